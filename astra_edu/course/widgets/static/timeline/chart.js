// The chart: lanes with their names, an axis, spans as bars, and frames around the span that is looked at.

import { legendKey, letter, looksOf, sized, write } from "../frame/canvas.js";
import { make, put } from "../frame/dom.js";
import { clamp, tickStep } from "../frame/numbers.js";
import { bytes, tick, unit } from "../frame/words.js";
import { AXIS, NEXT } from "./lanes.js";
import { LOOKS, bar, groundOf, opacityOf } from "./looks.js";
import { drawHead, drawName } from "./names.js";
import { NAMES } from "./stretch.js";

const PALE = 0.22; // spans that are not highlighted
const LEAST = 4; // px that even the shortest spans are high
const MOST_WIDTHS = 20000;

export class Chart {
  constructor(root, attributes) {
    this.plot = make("div", { class: "astra-plot", tabindex: "0", role: "application", ...attributes }, root);
    this.context = make("canvas", { "aria-hidden": "true" }, this.plot).getContext("2d");
    this.rest = make("div", {}, this.plot); // makes the plot as high as all lanes
    this.widths = new Map(); // of texts
  }

  load(run, stretch, lanes) {
    Object.assign(this, { run, stretch, lanes });
    const { many, height, seen } = lanes;
    put(this.plot, "style", `height: ${seen}px`);
    put(this.plot, "class", `astra-plot${many ? " astra-many" : ""}`);
    put(this.context.canvas, "style", many ? `height: ${seen}px` : null);
    put(this.rest, "style", many ? `height: ${height - seen}px` : null);
  }

  /** looked: {focus, hover, way}, spans or null; matched: which kinds are highlighted, null for all. */
  draw(looked, matched) {
    const { plot, run, stretch, lanes } = this;
    const [width, top] = [plot.clientWidth, plot.scrollTop];
    if (width <= NAMES) return;
    const context = sized(this.context, width, lanes.seen);
    this.looks = looksOf(plot.parentElement);
    this.width = stretch.width = width;
    this.#drawAxis();
    context.save();
    this.#clip(0, top && AXIS - NEXT);
    context.translate(0, -top);
    const shown = new Set(run.lanes.filter((lane) => lanes.inSight(lane, top)));
    for (const lane of shown) if (lane.first || !lane.closed) this.#drawLane(lane);
    for (const [group, y] of lanes.heads) drawHead(context, this.looks, run.groups[group], y);
    this.#clip(NAMES, top);
    for (const track of run.tracks) if (shown.has(run.lanes[track.lane])) this.#drawTrack(track, matched);
    this.#drawLookedAt(looked);
    context.restore();
  }

  #clip(left, top) {
    this.context.beginPath();
    this.context.rect(left, top, this.width - left, this.lanes.seen);
    this.context.clip();
  }

  #fill(alpha, x, y, width, height) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = this.looks.ink;
    context.fillRect(x, y, width, height);
    context.globalAlpha = 1;
  }

  #drawLane(lane) {
    const { run, stretch } = this;
    const end = stretch.total > run.total ? clamp(stretch.x(run.total), NAMES, this.width) : this.width;
    this.#fill(0.06, NAMES, lane.y, end - NAMES, lane.height);
    drawName(this.context, this.looks, this.run, this.lanes, lane);
  }

  #drawAxis() {
    const { context, looks, stretch, width } = this;
    const { from, to, length, total } = stretch;
    const [size, name] = unit(total);
    context.font = `11px ${looks.font}`;
    const wide = (time, step) => context.measureText(tick(time, step, size)).width;
    const step = tickStep(length, (step) => step * stretch.scale >= wide(to, step) + 34, 1);
    write(context, looks, `time, ${name}`, NAMES - 12, 11, 11, 0.75, "right");
    for (let k = Math.ceil(from / step); k * step <= to; k += 1) {
      const x = stretch.x(k * step);
      this.#fill(0.18, x - 0.5, 20, 1, this.lanes.seen - 20);
      const half = wide(k * step, step) / 2;
      write(context, looks, tick(k * step, step, size), clamp(x, NAMES + half - 6, width - half - 1), 11, 11, 0.85, "center");
    }
    const part = (width - NAMES) / total; // which part of the run that is
    this.#fill(0.15, NAMES, 22, width - NAMES, 3);
    this.#fill(0.75, NAMES + from * part, 22, Math.max(2, length * part), 3);
  }

  /** A bar for every span of a pixel or more; narrower ones become columns, as high as they fill their pixel. */
  #drawTrack(track, matched) {
    const { run, context, stretch } = this;
    const lane = run.lanes[track.lane];
    const [y, height] = [lane.y + track.row * lane.row, lane.row > 4 ? lane.row - (lane.tracks.length > 1) : lane.row];
    const [first, last] = run.within(track, stretch.from, stretch.to);
    const filled = new Float64Array(2 * LOOKS.length); // of the pixel, for each look, pale and not
    let pixel = null;
    const labels = [];
    for (let i = first; i < last; i += 1) {
      const [x0, x1] = [stretch.x(run.start[i]), stretch.x(run.end[i])];
      const { look } = run.of(i);
      const pale = Boolean(matched && !matched[run.kind[i]]);
      if (x1 - x0 < 1) {
        if (pixel !== null && pixel !== Math.floor(x0)) this.#drawColumn(filled, pixel, y, height);
        pixel = Math.floor(x0);
        filled[2 * look + pale] += Math.max(x1 - x0, 1e-6);
        continue;
      }
      const [a, b] = [Math.max(x0, NAMES - 8), Math.min(x1, this.width + 8)];
      context.globalAlpha = pale ? PALE : opacityOf(LOOKS[look]);
      bar(context, LOOKS[look], a, y, Math.max(1, b - a - (x1 - x0 > 3)), height, x0);
      if (!pale && b - a > 12 && height >= 12) labels.push([i, Math.max(a, NAMES), Math.min(b, this.width)]);
    }
    if (pixel !== null) this.#drawColumn(filled, pixel, y, height);
    for (const [i, a, b] of labels) this.#label(i, a, b, y + height / 2);
    context.globalAlpha = 1;
  }

  #drawColumn(filled, x, y, height) {
    const { context } = this;
    const sum = filled.reduce((a, b) => a + b, 0);
    const part = Math.max(Math.min(sum, 1) * height, Math.min(LEAST, height)) / sum;
    let bottom = y + height;
    filled.forEach((share, i) => {
      if (!share) return;
      const look = LOOKS[i >> 1];
      context.globalAlpha = i % 2 ? PALE : opacityOf(look);
      context.fillStyle = look.fill;
      context.fillRect(x, (bottom -= share * part), 1, share * part);
    });
    filled.fill(0);
  }

  /** The longest text about a span that fits between two places. */
  #label(span, a, b, y) {
    const { context, run, looks } = this;
    const look = LOOKS[run.of(span).look];
    context.font = `11px ${looks.font}`;
    const fits = labelsOf(run, span).find((text) => this.#wide(text) + 8 <= b - a);
    const ink = opacityOf(look) < 1 ? looks.ink : undefined;
    if (fits) letter(context, looks.font, groundOf(look), fits, (a + b) / 2, y, { width: this.#wide(fits), ink });
  }

  #wide(text) {
    if (!this.widths.has(text)) {
      if (this.widths.size > MOST_WIDTHS) this.widths.clear();
      this.widths.set(text, this.context.measureText(text).width);
    }
    return this.widths.get(text);
  }

  /** Frames around the span that is looked at and around the rest of its chunk's way, and a line for its waiting. */
  #drawLookedAt({ focus, hover, way }) {
    const { context, looks } = this;
    context.setLineDash([4, 3]);
    for (const span of way) this.#frame(span, 1, 1.5, looks.ink);
    context.setLineDash([]);
    for (const span of new Set([focus, hover])) {
      if (span === null) continue;
      this.#frame(span, 1.5, 4.5, looks.paper);
      this.#frame(span, 1.5, 2.5, looks.ink);
    }
    const span = hover ?? focus;
    if (span !== null) this.#drawWaiting(span);
  }

  #frame(span, grow, lineWidth, strokeStyle) {
    const { context, run, stretch } = this;
    const { lane: number, row } = run.track(span);
    const lane = run.lanes[number];
    if (lane.hidden) return;
    const x0 = stretch.x(run.start[span]);
    const x1 = Math.max(stretch.x(run.end[span]), x0 + 3);
    Object.assign(context, { lineWidth, strokeStyle });
    context.strokeRect(x0 - grow, lane.y + row * lane.row - grow, x1 - x0 + 2 * grow, lane.row + 2 * grow);
  }

  #drawWaiting(span) {
    const { run, stretch } = this;
    const lane = run.lanes[run.track(span).lane];
    if (lane.hidden || run.start[span] <= run.queued[span]) return;
    const [x0, x1, y] = [stretch.x(run.queued[span]), stretch.x(run.start[span]), lane.y + lane.height + (this.lanes.many ? 1.5 : 4.5)];
    this.#fill(1, x0, y, x1 - x0, 1.5);
    this.#fill(1, x0, y - 3, 1.5, 7);
    this.#fill(1, x1 - 1.5, y - 3, 1.5, 7);
  }
}

/** What can stand on a span, the longest text first. */
export function labelsOf(run, span) {
  const { layer, phase, look, size, brief } = run.of(span);
  const { name, letters } = LOOKS[look];
  const chunk = run.chunk[span];
  const texts = () => {
    if (chunk >= 0) return [`${layer} ${phase}, chunk ${chunk}`, `${layer} ${letters} ${chunk}`, `${letters} ${chunk}`, letters];
    if (phase === "compute" && letters) return [`${layer} ${name}`, `${layer} ${letters}`, brief && `${letters} ${brief}`, brief, letters];
    if (layer) return [layer, letters];
    return phase === "message" ? [bytes(size)] : [name, name.split(" ")[0], letters];
  };
  return texts().filter(Boolean);
}

/** An entry of the legend for each of the looks with these numbers. */
export const legendKeys = (numbers) =>
  numbers.map((number) => {
    const look = LOOKS[number];
    return legendKey(look.name, 32, 18, (context) => {
      context.globalAlpha = opacityOf(look);
      bar(context, look, 0, 0, 32, 18);
      letter(context, "sans-serif", groundOf(look), look.letters, 16, 9.5);
    });
  });
