// The timeline: draws the payload made by timeline.py.
//   run       columns of spans; a track is a row of a lane, its spans stand together by their start
//   stretch   the part of the run that is shown
//   lanes     where the lanes are, and which are open
//   TimelineView   one per place on the page: the lanes, the controls, the span that is looked at

import { makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { hearKeys } from "./frame/keys.js";
import { Loop, Settled } from "./frame/loop.js";
import { Watch } from "./frame/watch.js";
import { moment } from "./frame/words.js";
import { factsOf, showFacts, tabulate } from "./timeline/facts.js";
import { nearestInLane, nextInLane, nextLane, nextOfKinds } from "./timeline/going.js";
import { actsOf, hearPointer } from "./timeline/hands.js";
import { Lanes, onNames, spanAt } from "./timeline/lanes.js";
import { describe, makeParts, offer } from "./timeline/parts.js";
import { Run } from "./timeline/run.js";
import { Stretch } from "./timeline/stretch.js";

const SETTLED_MS = 150; // after the last move the window is shared with Python and the table is brought up to date

export class TimelineView {
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
    this.watch.model(this.model, { data: () => this.load(), until: () => this.load(), window: () => this.#pull(), highlight: () => this.#match() });
    this.watch.looks(plot, () => this.wake());
    hearKeys(this.root, actsOf(this));
    hearPointer(plot, this);
    this.details.addEventListener("toggle", () => this.#tabulate());
  }

  // ---- what belongs to one run ----

  load() {
    const whole = !this.run || this.stretch.whole;
    const run = (this.run = new Run(this.model.get("data")));
    this.focus = this.hover = null;
    if (!(this.lane < run.lanes.length)) this.lane = undefined;
    describe(this.root, this, run);
    this.stretch.total = Math.max(run.total, this.model.get("until") ?? 0); // another run's, to share its clock
    this.lanes = new Lanes(run, this.lanes?.open);
    offer(this, this.lanes);
    this.#arranged();
    this.#tell();
    if (this.model.get("window")) this.#pull();
    else if (whole) this.look(0, this.stretch.total);
    else this.look(this.from, this.to);
    this.#match();
  }

  // ---- the lanes ----

  #arranged() {
    this.chart.load(this.run, this.stretch, this.lanes);
    this.#tabulate();
    this.wake();
  }

  /** Open or close the lanes of an NPU, or the links. */
  toggle(group) {
    if (!this.lanes.toggle(group)) return;
    this.#arranged();
    put(this.said, "text", `${this.run.groups[group]}: lanes ${this.lanes.open.has(group) ? "opened" : "closed"}`);
  }

  toggleAll() {
    this.lanes.toggleAll();
    this.#arranged();
  }

  /** A span is kept; a name opens or closes its lanes. */
  click(x, y) {
    if (onNames(x) && this.lanes.many) this.toggle(this.lanes.groupAt(y));
    else this.choose(this.at(x, y));
  }

  #match() {
    this.search.show(this.model.get("highlight") ?? "");
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
    this.look(...this.stretch.zoomed(by, around));
  }

  /** Of the span that is kept, if it is in sight; else of what is shown. */
  #middle() {
    const middle = this.focus === null ? -1 : (this.run.start[this.focus] + this.run.end[this.focus]) / 2;
    return middle >= this.from && middle <= this.to ? middle : this.stretch.middle;
  }

  pan(by) {
    this.look(...this.stretch.panned(by));
  }

  zoomTo(span) {
    if (span !== null) this.look(...this.stretch.around(this.run.start[span], this.run.end[span]));
  }

  #settle() {
    const window = this.stretch.whole ? null : [this.from, this.to];
    if (String(window) !== String(this.model.get("window"))) this.share("window", window);
    this.#tabulate();
  }

  share(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  #pull() {
    const [from, to] = this.model.get("window") ?? [0, this.stretch.total];
    if (from !== this.from || to !== this.to) this.look(from, to);
  }

  // ---- the span that is looked at ----

  /** The span at a point of the canvas, or null. */
  at(x, y) {
    return spanAt(this.run, this.lanes, this.stretch, x, y, this.plot.scrollTop);
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
    this.plot.scrollTop = this.lanes.scrollTo(lane, this.plot.scrollTop);
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
    const { matched } = this.search;
    if (matched) this.goTo(nextOfKinds(this.run, matched, this.focus));
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
    showFacts(this, span === null ? null : factsOf(this.run, span), aloud);
    this.wake();
  }

  // ---- drawing ----

  get context() {
    return this.chart.context;
  }

  get canvas() {
    return this.chart.context.canvas;
  }

  get plot() {
    return this.chart.plot;
  }

  get seen() {
    return this.lanes.seen;
  }

  wake() {
    this.loop.wake();
  }

  draw() {
    this.chart.draw(this, this.search.matched);
    put(this.where, "text", `${moment(this.from, this.run.total)} to ${moment(this.to, this.run.total)}`);
  }

  #tabulate() {
    if (this.details.open) tabulate(this.table, this.run, this.stretch);
  }
}

export default widgetOf(TimelineView);
