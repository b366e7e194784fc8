// The timeline: draws the payload made by timeline.py.
//   run       columns of spans; a track is a row of a lane, its spans stand together by their start
//   stretch   the part of the run that is shown
//   lanes     where they are, those of an NPU closed to a line or open
//   View      one per place on the page: the lanes, the controls, the span that is looked at

import { makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { hearKeys } from "./frame/keys.js";
import { Loop, Settled } from "./frame/loop.js";
import { Watch } from "./frame/watch.js";
import { moment } from "./frame/words.js";
import { tabulate } from "./timeline/facts.js";
import { nearestInLane, nextInLane, nextLane, nextOfKinds } from "./timeline/going.js";
import { actsOf, hearPointer } from "./timeline/hands.js";
import { Lanes } from "./timeline/lanes.js";
import { makeParts } from "./timeline/parts.js";
import { Run } from "./timeline/run.js";
import { foundIn, sayRun, saySpan } from "./timeline/said.js";
import { Stretch } from "./timeline/stretch.js";

const SETTLED_MS = 150; // after the last move the window is shared with Python and the table is brought up to date

class View {
  constructor(model, el) {
    this.model = model;
    this.stretch = new Stretch();
    this.lanes = new Lanes();
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
    const { plot } = this;
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
    sayRun(this, run);
    this.stretch.total = run.total;
    this.lanes.load(run);
    this.chart.load(run, this.stretch, this.lanes);
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
    put(this.found, "text", text ? foundIn(this.run, found) : "");
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
    return this.lanes.spanAt(this.stretch, x, y, this.plot.scrollTop);
  }

  /** A span is kept; a name opens or closes its lanes. */
  click(x, y) {
    const group = this.lanes.named(x, y);
    if (group === undefined) this.choose(this.at(x, y));
    else this.toggle(group);
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
    const lane = this.run.lanes[this.run.track(span).lane];
    if (lane.hidden) this.toggle(lane.group);
    if (this.run.many) this.plot.scrollTop = this.lanes.scrolled(lane, this.plot.scrollTop);
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
    saySpan(this, this.run, span, aloud);
    this.wake();
  }

  // ---- the lanes of an NPU, or the links ----

  toggle(group) {
    if (!this.lanes.toggle(group)) return;
    this.#arranged();
    put(this.said, "text", `${this.run.groups[group]}: lanes ${this.lanes.open.has(group) ? "opened" : "closed"}`);
  }

  toggleAll() {
    this.lanes.toggleAll();
    this.#arranged();
  }

  #arranged() {
    this.chart.fit();
    this.#tabulate();
    this.wake();
  }

  // ---- drawing ----

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
