// The timeline: draws the payload made by timeline.py.
//   run       columns of spans; a track is a row of a lane, its spans stand together by their start
//   stretch   the part of the run that is shown, and where the lanes are
//   View      one per place on the page: the lanes, the controls, the span that is looked at

import { make, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { hearKeys } from "./frame/keys.js";
import { Loop, Settled } from "./frame/loop.js";
import { Watch } from "./frame/watch.js";
import { moment, several } from "./frame/words.js";
import { legendKeys } from "./timeline/chart.js";
import { factsOf, listOf, tabulate } from "./timeline/facts.js";
import { nearestInLane, nextInLane, nextLane, nextOfKinds } from "./timeline/going.js";
import { actsOf, hearPointer } from "./timeline/hands.js";
import { makeParts } from "./timeline/parts.js";
import { Run } from "./timeline/run.js";
import { Stretch, arrange, spanAt } from "./timeline/stretch.js";

const SETTLED_MS = 150; // after the last move the window is shared with Python and the table is brought up to date
const NO_SPAN = "Point at a span for its facts, or step from span to span with the keys n and p.";

class View {
  constructor(model, el) {
    this.model = model;
    this.stretch = new Stretch();
    this.focus = this.hover = null; // the span kept by key or click, the one under the pointer
    this.loop = new Loop(() => this.draw());
    this.settled = new Settled(() => this.#settle(), SETTLED_MS);
    const id = unique();
    this.root = makeRoot(el, "timeline", id);
    this.root.astraTimeline = this; // for tests and the curious
    Object.assign(this, makeParts(this.root, id, this));
    this.#observe();
    this.load();
  }

  destroy() {
    this.settled.flush();
    this.loop.stop();
    this.watch.end();
    this.root.remove();
  }

  #observe() {
    const { plot } = this.chart;
    this.watch = new Watch();
    this.watch.model(this.model, { data: () => this.load(), window: () => this.#pull(), highlight: () => this.#match() });
    this.watch.looks(plot, () => this.wake());
    hearKeys(this.root, actsOf(this));
    hearPointer(plot, this);
    this.search.addEventListener("input", () => this.#share("highlight", this.search.value));
    this.search.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") this.nextFound();
      if (key === "Escape") plot.focus();
    });
    this.details.addEventListener("toggle", () => this.#tabulate());
  }

  // ---- what belongs to one run ----

  load() {
    const whole = !this.run || this.stretch.whole;
    const run = (this.run = new Run(this.model.get("data")));
    this.focus = this.hover = null;
    if (!(this.lane < run.lanes.length)) this.lane = undefined;
    const { title, total, compute, exposed } = run.data;
    const said = [`${total} in all`, `compute ${compute}, exposed communication ${exposed}`];
    put(this.title, "text", said[0]);
    put(this.times, "text", said[1]);
    put(this.root, "aria-label", `Timeline: ${title}`);
    put(this.chart.plot, "aria-label", `${title}: ${said.join(", ")}; ${several(run.count, "span")} in ${run.lanes.length} lanes`);
    this.names.replaceChildren(...run.layers.map((value) => make("option", { value })));
    const looks = [...new Set(run.kinds.map((kind) => kind.look))].sort((a, b) => a - b);
    this.legend.replaceChildren(...legendKeys(looks));
    this.stretch.total = run.total;
    this.chart.load(run, this.stretch, arrange(run.lanes));
    this.#tell();
    if (this.model.get("window")) this.#pull();
    else if (whole) this.look(0, run.total);
    else this.look(this.from, this.to);
    this.#match();
  }

  #match() {
    const asked = this.model.get("highlight") ?? "";
    const text = asked.trim();
    if (this.search.value.trim().toLowerCase() !== text.toLowerCase()) this.search.value = asked;
    const found = this.run.matching(text);
    this.matched = found && found.kinds;
    const counted = found ? `${several(found.spans, "span")} of ${several(found.layers, "layer")}` : "no such layer";
    put(this.found, "text", text ? counted : "");
    this.wake();
  }

  // ---- the stretch of time that is shown ----

  get from() {
    return this.stretch.from;
  }

  get to() {
    return this.stretch.to;
  }

  get scale() {
    return this.stretch.scale;
  }

  x(time) {
    return this.stretch.x(time);
  }

  time(x) {
    return this.stretch.time(x);
  }

  look(from, to) {
    this.stretch.look(from, to);
    this.wake();
    this.settled.wait();
  }

  zoom(by, around = this.#middle()) {
    this.look(around - (around - this.from) * by, around + (this.to - around) * by);
  }

  /** Of the span that is kept, if it is in sight; else of what is shown. */
  #middle() {
    const middle = this.focus === null ? -1 : (this.run.start[this.focus] + this.run.end[this.focus]) / 2;
    return middle >= this.from && middle <= this.to ? middle : this.stretch.middle;
  }

  pan(by) {
    const way = by * this.stretch.length;
    this.look(this.from + way, this.to + way);
  }

  zoomTo(span) {
    if (span === null) return;
    const length = Math.max(this.run.end[span] - this.run.start[span], 1);
    this.look(this.run.start[span] - length / 4, this.run.end[span] + length / 4);
  }

  #settle() {
    const window = this.stretch.whole ? null : [this.from, this.to];
    if (String(window) !== String(this.model.get("window"))) this.#share("window", window);
    this.#tabulate();
  }

  #share(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  #pull() {
    const [from, to] = this.model.get("window") ?? [0, this.run.total];
    if (from !== this.from || to !== this.to) this.look(from, to);
  }

  // ---- the span that is looked at ----

  /** The span at a point of the canvas, or null. */
  at(x, y) {
    return spanAt(this.run, this.stretch, x, y);
  }

  /** Keep a span, so that keys go on from it; its facts are read out. */
  choose(span) {
    this.focus = span;
    this.lane = span === null ? this.lane : this.run.track(span).lane;
    this.#tell(true);
  }

  /** The same, and bring it into sight. */
  goTo(span) {
    if (span === null) return;
    const there = this.stretch.showing(this.run.start[span], this.run.end[span]);
    if (there) this.look(...there);
    this.choose(span);
  }

  /** To the next span of the lane (by 1) or the one before (by -1). */
  step(by) {
    if (this.focus === null) return this.#enter(this.lane ?? nextLane(this.run, null, 1));
    this.goTo(nextInLane(this.run, this.run.lanes[this.lane], this.focus, by));
  }

  /** To another lane, at the same time. */
  change(by) {
    this.#enter(nextLane(this.run, this.lane, by));
  }

  #enter(lane) {
    if (lane !== null) this.goTo(nearestInLane(this.run, this.run.lanes[lane], this.#middle()));
  }

  /** To the next span that is highlighted, in time order; from the last one to the first. */
  nextFound() {
    if (this.matched) this.goTo(nextOfKinds(this.run, this.matched, this.focus));
  }

  /** The pointer is on a span, or on none. */
  point(span) {
    if (span === this.hover) return;
    this.hover = span;
    this.#tell();
  }

  #tell(aloud = false) {
    const span = this.hover ?? this.focus;
    this.way = span === null ? [] : this.run.way(span);
    const facts = span === null ? null : factsOf(this.run, span);
    this.detail.replaceChildren(...(facts ? listOf(facts) : [make("p", { text: NO_SPAN })]));
    if (aloud) put(this.said, "text", facts ? `${facts[0]}; ${facts[1].map((fact) => fact.join(" ")).join(", ")}` : "no span");
    this.wake();
  }

  // ---- drawing ----

  get context() {
    return this.chart.context;
  }

  get canvas() {
    return this.chart.context.canvas;
  }

  wake() {
    this.loop.wake();
  }

  draw() {
    this.chart.draw(this, this.matched);
    put(this.where, "text", `${moment(this.from, this.run.total)} to ${moment(this.to, this.run.total)}`);
  }

  #tabulate() {
    if (this.details.open) tabulate(this.table, this.run, this.stretch);
  }
}

export default widgetOf(View);
