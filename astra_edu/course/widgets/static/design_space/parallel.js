// Parallel coordinates: an axis for each setting and measure, a line for each point, brushes on the axes.

import { fineness, looksOf, sized } from "../frame/canvas.js";
import { make, put } from "../frame/dom.js";
import { clamp } from "../frame/numbers.js";
import { several } from "../frame/words.js";
import { Brushes } from "./brushes.js";
import { ticked } from "./controls.js";
import { titled } from "./pareto.js";
import { rangeOf, scaleOf, valueIn } from "./points.js";
import { APART, LOWER, TALL, UPPER, drawStrandAxis, drawStrands } from "./strands.js";

const SIDE = 76; // px beside the axes
const MOST = 14; // axes
const MANY = 2000; // lines
const GRAB = 16; // px beside an axis where a drag brushes
const CLICK = 4; // px that a click may move

export class Parallel {
  constructor(parent, view) {
    this.view = view;
    this.brushes = new Brushes();
    this.box = make("div", {}, parent);
    this.bar = make("div", { class: "astra-bar" }, this.box);
    this.rail = make("div", { class: "astra-rail astra-swipe", tabindex: "0", role: "application", "aria-roledescription": "parallel coordinates" }, this.box);
    this.plot = make("div", { class: "astra-plot", style: `height: ${TALL}px` }, this.rail);
    this.back = make("canvas", { "aria-hidden": "true" }, this.plot).getContext("2d"); // every line; brushing leaves it as it is
    this.context = make("canvas", { "aria-hidden": "true" }, this.plot).getContext("2d");
    this.note = make("p", { class: "astra-legend" }, this.box);
    this.keys = {
      ArrowRight: () => this.#turn(1), ArrowLeft: () => this.#turn(-1),
      ArrowUp: () => this.#step(1), ArrowDown: () => this.#step(-1),
      "Shift+ArrowUp": () => this.#step(1, true), "Shift+ArrowDown": () => this.#step(-1, true),
      Delete: () => this.#clear(this.axes[this.at]), Backspace: () => this.#clear(this.axes[this.at]),
      n: () => this.#along(1), p: () => this.#along(-1),
    };
    this.at = 0;
    this.#hear();
  }

  load(points, chosen) {
    if (points !== this.points) this.brushes.clear();
    this.points = points;
    const twins = points.twins();
    const varying = points.varying.filter((column) => !twins.has(column));
    this.axes = varying.slice(0, MOST);
    this.at = clamp(this.at, 0, Math.max(0, this.axes.length - 1));
    this.ranges = this.axes.map((column) => rangeOf(column, chosen.log[column.name]));
    this.lines = Array.from({ length: points.count }, (_, row) => row).filter((row) => !points.failed.has(row));
    const same = points.columns.filter((column) => !points.varying.includes(column) && this.lines.length && points.has(this.lines[0], column));
    const parts = [
      varying.length > MOST && `The first ${MOST} of ${varying.length} columns.`,
      same.length && `The same for all: ${same.slice(0, 6).map((column) => `${titled(column)} ${points.words(this.lines[0], column)}`).join(", ")}${same.length > 6 ? ", …" : ""}.`,
      ...[...twins].map(([column, other]) => `${titled(column)} is ${titled(other)} everywhere.`),
    ];
    put(this.note, "text", parts.filter(Boolean).join(" "));
    put(this.rail, "aria-label", `${several(this.lines.length, "point")} as lines over ${several(this.axes.length, "axis").replace("axiss", "axes")}: ${this.axes.map(({ name }) => name).join(", ")}.`);
    this.#offer(chosen);
    this.stale = true;
  }

  #offer(chosen) {
    this.bar.replaceChildren();
    this.where = make("span", { class: "astra-axis" }, this.bar);
    const column = this.axes[this.at];
    if (!column) return;
    ticked(this.bar, `${column.name} by powers`, Boolean(chosen.log[column.name]), (on) => this.view.choose({ log: { ...chosen.log, [column.name]: on } }), "log", Boolean(column.words) || rangeOf(column, false).low <= 0);
    const clear = make("button", { type: "button", text: "no brushes", title: "Remove all brushes" }, this.bar);
    clear.addEventListener("click", () => this.#clear());
    this.#tell();
  }

  #tell() {
    const column = this.axes[this.at];
    const brush = column && this.brushes.get(column);
    put(this.where, "text", column ? `axis ${titled(column)}${brush ? `: ${valueIn(column, rounded(column, brush[0], 1))} to ${valueIn(column, rounded(column, brush[1], -1))}` : ": no brush"}` : "");
  }

  /** Where an axis stands. */
  x(k) {
    return this.axes.length > 1 ? SIDE + (k * (this.wide - 2 * SIDE)) / (this.axes.length - 1) : this.wide / 2;
  }

  draw() {
    const seen = this.rail.clientWidth;
    if (!seen || !this.axes.length) return;
    put(this.plot, "style", `height: ${TALL}px; width: ${Math.max(seen, (this.axes.length - 1) * APART + 2 * SIDE)}px`);
    const wide = this.plot.clientWidth;
    const looks = looksOf(this.view.root);
    const colours = this.view.colours();
    const look = [wide, fineness(), ...Object.values(looks), colours.copy].join();
    if (this.stale || look !== this.look) {
      Object.assign(this, { wide, look, stale: false });
      this.scales = this.axes.map((column, k) => scaleOf(column, this.ranges[k], TALL - LOWER, UPPER, 0));
      this.#draw(sized(this.back, wide, TALL), this.lines, colours.copy, 1, this.lines.length > 300 ? 0.25 : 0.45);
    }
    put(this.back.canvas, "style", this.view.rows.length ? "opacity: 0.6" : "opacity: 1");
    const context = sized(this.context, wide, TALL);
    const { rows, single } = this.view;
    const drawn = rows.filter((row) => !this.points.failed.has(row));
    if (drawn.length) this.#draw(context, drawn, single === null ? colours.strong : colours.reduce, single === null ? 2 : 3.5, single === null && drawn.length > 300 ? 0.6 : 1);
    this.axes.forEach((column, k) => drawStrandAxis(context, looks, colours, {
      column, x: Math.round(this.x(k)), room: Math.min(2 * SIDE, this.axes.length > 1 ? this.x(1) - this.x(0) : wide) - 8, scale: this.scales[k], brush: this.brushes.get(column),
      here: k === this.at, last: k === this.axes.length - 1, none: this.lines.some((row) => !this.points.has(row, column)),
    }));
    this.#tell();
  }

  #draw(context, rows, style, width, alpha) {
    const places = this.axes.map((_, k) => [Math.round(this.x(k)), rows.map((row) => this.#y(row, k))]);
    drawStrands(context, places, style, width, alpha);
  }

  /** The place of a point on an axis; where it has no value, below all that have one. */
  #y(row, k) {
    const { values } = this.axes[k];
    const fine = this.lines.length > MANY ? 3 : 1; // px: of many lines more lie on each other
    return Number.isFinite(values[row]) ? fine * Math.round(this.scales[k].at(values[row]) / fine) : TALL - LOWER + 14;
  }

  // ---- keys ----

  #turn(by) {
    if (!this.axes.length) return;
    this.at = clamp(this.at + by, 0, this.axes.length - 1);
    this.#offer(this.view.chosen);
    const x = this.x(this.at);
    this.rail.scrollLeft = clamp(this.rail.scrollLeft, x - this.rail.clientWidth + SIDE, x - SIDE);
    this.view.say(this.where.textContent);
    this.view.wake();
  }

  #step(by, end = false) {
    const column = this.axes[this.at];
    if (!column) return;
    this.brushes.step(column, by, end);
    this.#brushed();
  }

  #clear(column = null) {
    this.brushes.clear(column);
    this.#brushed();
  }

  /** What the brushes leave is selected. */
  #brushed() {
    this.view.select(this.brushes.any ? this.brushes.rows(this.points) : []);
    this.#tell();
    this.view.say(`${this.where.textContent}; ${this.view.count()}`);
  }

  /** Back to all that the brushes leave. */
  again() {
    return this.brushes.any ? this.brushes.rows(this.points) : [];
  }

  /** One after the other of those that the brushes leave. */
  #along(by) {
    const rows = (this.brushes.any ? this.brushes.rows(this.points) : this.lines).filter((row) => !this.points.failed.has(row));
    if (!rows.length) return;
    const at = rows.indexOf(this.view.single);
    this.view.select([rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : clamp(at + by, 0, rows.length - 1)]]);
  }

  // ---- the pointer ----

  #hear() {
    const { plot } = this;
    let drag = null;
    const place = ({ clientX, clientY }) => {
      const box = plot.getBoundingClientRect();
      return [clientX - box.left, clientY - box.top];
    };
    plot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const [x, y] = place(event);
      const k = this.axes.findIndex((_, axis) => Math.abs(this.x(axis) - x) <= GRAB);
      if (k < 0) return this.#pick(x, y);
      plot.setPointerCapture(event.pointerId);
      this.at = k;
      this.#offer(this.view.chosen);
      drag = { k, y, moved: false };
    });
    plot.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [, y] = place(event);
      drag.moved ||= Math.abs(y - drag.y) > CLICK;
      if (!drag.moved) return;
      const scale = this.scales[drag.k];
      const ends = [drag.y, y].map((at) => scale.from(clamp(at, UPPER, TALL - LOWER)));
      this.brushes.set(this.axes[drag.k], ...ends);
      this.#brushed();
    });
    plot.addEventListener("pointerup", () => {
      if (drag && !drag.moved) this.#clear(this.axes[drag.k]);
      drag = null;
    });
    plot.addEventListener("pointercancel", () => (drag = null));
    plot.addEventListener("dblclick", () => this.view.open());
  }

  /** The line nearest to a place between two axes. */
  #pick(x, y) {
    const k = this.axes.findIndex((_, axis) => this.x(axis) > x) - 1;
    if (k < 0) return;
    const part = (x - this.x(k)) / (this.x(k + 1) - this.x(k));
    const rows = this.brushes.any ? this.brushes.rows(this.points) : this.lines;
    let [found, least] = [null, 10];
    for (const row of rows) {
      const away = Math.abs((1 - part) * this.#y(row, k) + part * this.#y(row, k + 1) - y);
      if (away < least && !this.points.failed.has(row)) [found, least] = [row, away];
    }
    this.view.select(found === null ? this.again() : [found]);
  }
}

/** An end of a brush as it is said: of texts the first that is in it, of numbers four digits. */
function rounded({ words }, value, by) {
  if (words) return clamp(by > 0 ? Math.ceil(value) : Math.floor(value), 0, words.length - 1);
  return Number(value.toPrecision(4));
}
