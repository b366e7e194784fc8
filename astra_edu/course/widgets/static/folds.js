// The folds: draws the payload made by folds.py.
//   plane   the folds as columns of numbers, and where they are on the picture
//   View    one per place on the page: the plane, the arrays, the controls
// A step is a round of folds, one on each array: step 0 is before the first round, step k when round k is over.

import { Controls } from "./folds/controls.js";
import { drawNow, makeArrays, makeLegend, makePlane } from "./folds/pictures.js";
import { Plane } from "./folds/plane.js";
import { FIGURES, figures, sentence, taken } from "./folds/said.js";
import { make, makeHead, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { makeHelp } from "./frame/help.js";
import { hearKeys } from "./frame/keys.js";
import { clamp } from "./frame/numbers.js";
import { STILL_S } from "./frame/playback.js";
import { Reel } from "./frame/reel.js";
import { Transport, makeTrack, transportKeys } from "./frame/transport.js";
import { Watch } from "./frame/watch.js";
import { count } from "./frame/words.js";

const ALL_S = 24; // to play everything at speed 1, if no beat is shorter or longer than it may be
const LABELS = { first: "Before the first fold", previous: "One round of folds back", next: "One round of folds on", last: "After the last fold" };
const KEYS = "Space or k: play or pause\n← →: one round of folds back or on\nHome, End: before the first, after the last\n+ −: faster, slower";

/** The rounds, to be played. */
function filmOf(steps) {
  const rate = 1 / clamp(ALL_S / steps, 0.002, 1);
  const beat = Math.max(STILL_S, 1 / rate);
  const after = (position) => Math.max(Math.floor(position) + 1, Math.floor(position + rate * beat));
  return { end: steps, rate, beat, after, step: (position, by) => position + by, shown: Math.floor };
}

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.root = makeRoot(el, "folds", this.id, "live");
    this.root.astraFolds = this; // for tests and the curious
    this.reel = new Reel(model, "step", () => this.draw());
    this.#build();
    hearKeys(this.root, transportKeys(this.reel));
    this.watch = new Watch();
    this.watch.model(model, { data: () => this.load(), step: () => this.reel.pull() });
    this.load();
  }

  destroy() {
    this.reel.stop();
    this.watch.end();
    this.root.remove();
  }

  get step() {
    return this.reel.at;
  }

  #build() {
    const { root } = this;
    this.title = makeHead(root).title;
    this.controls = new Controls(root, this.model, this.id);
    this.body = make("div", { class: "astra-body" }, root);
    this.planeBox = make("div", { class: "astra-stage" }, this.body);
    this.arrayBox = make("div", { class: "astra-stage" }, this.body);
    makeLegend(root, this.id);
    const facts = make("dl", { class: "astra-figures" }, root);
    this.figures = FIGURES.map((name) => {
      const pair = make("div", {}, facts);
      return { name: make("dt", { text: name }, pair), value: make("dd", {}, pair) };
    });
    this.parts = make("div", { class: "astra-parts" }, root);
    const panel = make("div", { class: "astra-panel" }, root);
    Object.assign(this, makeTrack(panel, this.reel, { step: 1, "aria-label": "Rounds of folds that are over" }));
    this.over = make("i", { class: "astra-over" }, this.strip);
    this.transport = new Transport(panel, this.reel, LABELS);
    makeHelp(this.transport.bar, panel, this.id, KEYS);
    this.live = make("p", { class: "astra-live", id: `${this.id}-live` }, root);
    this.note = make("p", { class: "astra-note" }, root);
    this.problem = make("p", { class: "astra-problem", role: "alert" }, root);
  }

  /** What belongs to one folding. */
  load() {
    const data = this.model.get("data");
    const problem = data.problem ?? "";
    put(this.problem, "text", problem);
    this.body.classList.toggle("astra-stale", Boolean(problem));
    this.controls.answered(data.number);
    if (!problem && data !== this.data) this.#show(data);
    this.controls.askAgain();
  }

  #show(data) {
    const steps = data.first.length;
    this.data = data;
    this.plane = new Plane(data);
    this.controls.show(data.controls);
    put(this.root, "aria-label", `Folds: ${data.title}`);
    put(this.title, "text", data.title);
    Object.assign(this, makePlane(this.planeBox, this.id, this.plane), makeArrays(this.arrayBox, this.id, data.array));
    this.#showParts();
    put(this.range, "max", steps);
    put(this.figures[0].name, "text", data.array[2] > 1 ? "folds" : "fold");
    const more = data.rounds > steps;
    put(this.note, "text", more ? `The first ${count(this.plane.count)} of ${count(data.fold_count)} folds can be stepped through; what is said of all of them is of all.` : "");
    this.reel.load(filmOf(steps));
    this.draw();
  }

  #showParts() {
    const { parts, fold_cycles: cycles } = this.data;
    this.parts.replaceChildren();
    const said = parts.map(([name, n]) => `${name} ${count(n)}`).join(" + ");
    make("span", { text: `one fold: ${said} = ${count(cycles)} cycles` }, this.parts);
    const bar = make("div", { class: "astra-part-bar", "aria-hidden": "true" }, this.parts);
    for (const [name, n] of parts) {
      make("i", { class: `astra-part astra-part-${name}`, style: `width:${(100 * n) / cycles}%`, text: n / cycles > 0.12 ? name : "" }, bar);
    }
  }

  draw() {
    const { data, plane, step, reel } = this;
    const round = plane.round(step);
    this.#drawPictures(round);
    put(this.arrayText, "text", taken(plane, round, step));
    figures(data, round, step).forEach((text, i) => put(this.figures[i].value, "text", text));
    const where = step ? `${step} of ${data.rounds}` : "before the first fold";
    if (Number(this.range.value) !== step) this.range.value = step;
    put(this.range, "aria-valuetext", where);
    this.over.style.width = `${(100 * step) / reel.film.end}%`;
    this.transport.show(reel, step ? `round ${count(step)} of ${count(data.rounds)}` : where);
    put(this.live, "aria-live", reel.playing ? "off" : "polite"); // nobody wants every fold read out
    put(this.live, "text", sentence(plane, round, step));
  }

  #drawPictures([start, end]) {
    const { data, plane } = this;
    const folds = Array.from({ length: end - start }, (_, i) => start + i);
    const product = folds.length ? plane.product[end - 1] : 0;
    const shown = folds.filter((i) => plane.product[i] === product);
    put(this.doneShape, "d", plane.done(product, shown[0] ?? 0));
    drawNow(this, plane, shown.map((i) => plane.place(i)));
    const { held, lines } = plane.held(folds, this.tiles);
    put(this.heldShape, "d", held);
    put(this.peLines, "d", lines);
    put(this.planeText, "text", data.products > 1 ? `product ${count(product + 1)} of ${count(data.products)}` : "the product's plane, cut into folds");
  }
}

export default widgetOf(View);
