// The chart: a lane for each stage with its passes, a cursor, and bars of what each stage keeps.
// Positions on the canvas are in CSS pixels.

import { hatch, legendKey, letter, looksOf, sized, write } from "../frame/canvas.js";
import { make, put } from "../frame/dom.js";
import { tickStep } from "../frame/numbers.js";
import { tick, unit } from "../frame/words.js";
import { LOOKS } from "./run.js";

const NAMES = 62; // left of the lanes
const BARS = 190; // right of them: how much each stage holds
const AXIS = 28; // above them
const GAP = 5; // between them
const TICKS = 64; // px between two ticks
const KEPT = "#e69f00";
const HATCH = "rgb(63 74 160 / 0.55)";

export const short = (value) => String(Number(value.toFixed(2)));

/** A pass: later virtual stages are paler, backward passes hatched. */
function cell(context, look, [virtualStage, virtual], [x, y, wide, high]) {
  const share = (0.6 * virtualStage) / Math.max(1, virtual - 1);
  const [r, g, b] = look.fill.map((value) => Math.round(value + share * (255 - value)));
  context.fillStyle = `rgb(${r} ${g} ${b})`;
  context.fillRect(x, y, wide, high);
  if (wide < 4) return;
  if (look.hatch) hatch(context, look.hatch, [x, y, wide, high], x, HATCH);
  context.strokeStyle = look.edge;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
}

export function legendKeys() {
  return LOOKS.map((look) => legendKey(look.name, 28, 16, (context) => {
    cell(context, look, [0, 1], [0, 0, 28, 16]);
    letter(context, "sans-serif", look.ground, look.letter, 14, 8.5);
  }));
}

export class Chart {
  constructor(root, attributes) {
    this.plot = make("div", { class: "astra-plot", tabindex: "0", role: "application", ...attributes }, root);
    this.context = make("canvas", { "aria-hidden": "true" }, this.plot).getContext("2d");
    this.lanes = make("canvas").getContext("2d"); // without the cursor
  }

  get canvas() {
    return this.context.canvas;
  }

  load(run) {
    const { stages } = run.data;
    this.run = run;
    this.lane = stages > 10 ? 24 : 34;
    this.height = AXIS + stages * (this.lane + GAP) + 2;
    put(this.plot, "style", `height: ${this.height}px`);
    this.forget();
  }

  /** Draw the lanes anew next time: their size or their colours may have changed. */
  forget() {
    this.drawn = false;
  }

  x(time) {
    return NAMES + time * this.scale;
  }

  timeAt(x) {
    return (x - NAMES) / this.scale;
  }

  y(stage) {
    return AXIS + stage * (this.lane + GAP);
  }

  draw(time) {
    const width = this.plot.clientWidth;
    if (width <= NAMES + BARS) return;
    if (!this.drawn) this.#drawLanes(width);
    const context = sized(this.context, width, this.height);
    context.drawImage(this.lanes.canvas, 0, 0, width, this.height);
    const [x, top, high] = [this.x(time), AXIS - 6, this.height - AXIS + 6];
    context.fillStyle = this.looks.paper;
    context.fillRect(x - 2, top, 4, high);
    context.fillStyle = this.looks.ink;
    context.fillRect(x - 1, top, 2, high);
    this.run.stages.forEach((_, stage) => this.#drawHeld(stage, this.run.holds(stage, time).number));
  }

  /** The bar of a stage: how much it holds now, within a frame that is as long as it ever holds. */
  #drawHeld(stage, number) {
    const { context, run, looks } = this;
    const [x, y, most] = [this.width - BARS + 12, this.y(stage), run.data.keeps[stage]];
    const long = (micro) => (micro / run.most) * (BARS - 86);
    context.fillStyle = KEPT;
    context.fillRect(x, y + 5, long(number), this.lane - 10);
    context.strokeStyle = looks.ink;
    context.lineWidth = 1.2;
    context.strokeRect(x, y + 5, long(most), this.lane - 10);
    write(context, looks, `${short(number)} of ${short(most)}`, this.width - 4, y + this.lane / 2, 12, 1, "right");
  }

  #drawLanes(width) {
    const { run, lane } = this;
    const context = sized(this.lanes, width, this.height);
    this.looks = looksOf(this.plot.parentElement);
    this.width = width;
    this.scale = (width - NAMES - BARS) / Math.max(1, run.total);
    this.#drawAxis(context);
    run.stages.forEach(({ passes }, stage) => {
      const y = this.y(stage);
      write(context, this.looks, `stage ${stage}`, 0, y + lane / 2, 12.5);
      context.globalAlpha = 0.1;
      context.fillStyle = this.looks.ink;
      context.fillRect(NAMES, y, width - NAMES - BARS, lane);
      context.globalAlpha = 1;
      for (const pass of passes) this.#drawPass(context, stage, pass, y);
    });
    this.drawn = true;
  }

  #drawPass(context, stage, pass, y) {
    const { run, lane, looks } = this;
    const [look, x, wide] = [LOOKS[pass.kind], this.x(pass.start), (pass.end - pass.start) * this.scale];
    cell(context, look, [pass.virtualStage, run.data.virtual], [x, y, wide, lane]);
    context.font = `11px ${looks.font}`;
    const texts = [run.name(stage, pass), `${pass.microBatch}${run.letter(pass.virtualStage)}`];
    const fits = texts.find((text) => context.measureText(text).width + 5 <= wide);
    if (fits) letter(context, looks.font, look.ground, fits, x + wide / 2, y + lane / 2 + 0.5);
  }

  #drawAxis(context) {
    const { looks } = this;
    const { total } = this.run;
    const [size, name] = unit(total);
    const step = tickStep(total, (step) => step * this.scale >= TICKS);
    write(context, looks, `time, ${name}`, 0, 10, 11, 0.8);
    write(context, looks, "micro-batches kept, of most", this.width - BARS + 12, 10, 11, 0.8);
    for (let k = 0; k * step <= total && step > 0; k += 1) {
      const x = this.x(k * step);
      context.globalAlpha = 0.2;
      context.fillStyle = looks.ink;
      context.fillRect(x - 0.5, 18, 1, this.height - 18);
      write(context, looks, tick(k * step, step, size), x, 10, 11, 0.9, "center");
    }
  }
}
