// Two columns against each other: circles, and diamonds on a line where no other point is better in both.

import { fineness, looksOf, sized, write } from "../frame/canvas.js";
import { make, put } from "../frame/dom.js";
import { several } from "../frame/words.js";
import { chooser, ticked } from "./controls.js";
import { frontier, rangeOf, scaleOf } from "./points.js";

const AROUND = { left: 64, right: 14, top: 26, bottom: 42 }; // px around the plot
const HIGH = 380;
const NEAR = 14; // px from a point that still mean it
const RADIUS = 3.5;

const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
const diamond = (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;

export class Pareto {
  constructor(parent, view) {
    this.view = view;
    this.box = make("div", {}, parent);
    this.bar = make("div", { class: "astra-bar" }, this.box);
    this.plot = make("div", { class: "astra-plot", tabindex: "0", role: "application", "aria-roledescription": "scatter plot", style: `height: ${HIGH}px` }, this.box);
    this.back = make("canvas", { "aria-hidden": "true" }, this.plot).getContext("2d"); // all points; selecting leaves it as it is
    this.context = make("canvas", { "aria-hidden": "true" }, this.plot).getContext("2d");
    this.legend = make("p", { class: "astra-legend" }, this.box);
    this.keys = {
      ArrowRight: () => this.#along(this.line, 1), ArrowLeft: () => this.#along(this.line, -1),
      n: () => this.#along(this.order, 1), p: () => this.#along(this.order, -1),
    };
    this.plot.addEventListener("click", (event) => this.#click(event));
    this.plot.addEventListener("dblclick", () => view.open());
  }

  /** The table or a choice has changed. */
  load(points, chosen) {
    this.points = points;
    const [x, y] = [chosen.x, chosen.y].map((name) => points.named.get(name));
    Object.assign(this, { x, y, line: frontier(points, x, y, chosen.better) });
    this.rows = points.whole([x, y]);
    this.order = [...this.rows].sort((a, b) => x.values[a] - x.values[b] || y.values[a] - y.values[b] || a - b);
    this.on = new Set(this.line);
    this.ranges = [x, y].map((column) => rangeOf(column, chosen.log[column.name], this.rows));
    this.#offer(chosen);
    this.stale = true;
    const away = points.count - points.failed.size - this.rows.length;
    this.missing = away ? `${several(away, "point")} that ran ${away === 1 ? "has" : "have"} no value here and ${away === 1 ? "isn't" : "aren't"} drawn.` : "";
    put(this.plot, "aria-label", `${y.name} over ${x.name}: ${several(this.rows.length, "point")}, ${this.line.length.toLocaleString("en")} of them on the frontier. ${this.missing}`);
  }

  #offer(chosen) {
    const drawn = this.points.varying.length > 1 ? this.points.varying : this.points.columns;
    const names = [...new Set([...drawn.map(({ name }) => name), chosen.x, chosen.y])];
    this.bar.replaceChildren();
    for (const [axis, column] of [["x", this.x], ["y", this.y]]) {
      chooser(this.bar, axis, names, chosen[axis], (name) => this.view.choose({ [axis]: name }));
      chooser(this.bar, `better in ${axis}`, ["less", "more"], chosen.better[column.name] ?? "less", (way) => this.view.choose({ better: { ...chosen.better, [column.name]: way } }), "better:");
      ticked(this.bar, `${axis} by powers`, Boolean(chosen.log[column.name]), (on) => this.view.choose({ log: { ...chosen.log, [column.name]: on } }), "log", Boolean(column.words) || rangeOf(column, false).low <= 0);
    }
  }

  draw() {
    const wide = this.plot.clientWidth;
    if (!wide) return;
    const looks = looksOf(this.view.root);
    const colours = this.view.colours();
    const look = [wide, fineness(), ...Object.values(looks), colours.copy].join();
    if (this.stale || look !== this.look) {
      Object.assign(this, { look, stale: false });
      this.across = scaleOf(this.x, this.ranges[0], AROUND.left, wide - AROUND.right);
      this.up = scaleOf(this.y, this.ranges[1], HIGH - AROUND.bottom, AROUND.top);
      this.#drawPoints(sized(this.back, wide, HIGH), looks, colours, wide);
      this.#explain(colours);
    }
    this.#drawSelected(sized(this.context, wide, HIGH), looks, colours);
  }

  #place(row) {
    return [this.across.at(this.x.values[row]), this.up.at(this.y.values[row])].map((at) => Math.round(10 * at) / 10);
  }

  #paint(context, rows, shape, r, style, alpha) {
    context.globalAlpha = alpha;
    context.fillStyle = style;
    context.fill(new Path2D(rows.map((row) => shape(...this.#place(row), r)).join("")));
    context.globalAlpha = 1;
  }

  #drawPoints(context, looks, colours, wide) {
    this.#drawAxes(context, looks, wide);
    const others = this.rows.filter((row) => !this.on.has(row));
    this.#paint(context, others, circle, RADIUS, colours.copy, this.rows.length > 1000 ? 0.5 : 0.8);
    const at = this.line.map((row) => this.#place(row));
    context.strokeStyle = colours.reduce;
    context.lineWidth = 1.5;
    context.stroke(new Path2D(at.map(([x, y], i) => (i ? `H${x}V${y}` : `M${x} ${y}`)).join("")));
    this.#paint(context, this.line, diamond, RADIUS + 2.5, colours.reduce, 1);
  }

  /** Of one point a ring; several are drawn once more, in a stronger colour, and the others pale. */
  #drawSelected(context, looks, colours) {
    const { rows, single } = this.view;
    const drawn = new Set(this.rows);
    const selected = rows.filter((row) => drawn.has(row));
    put(this.back.canvas, "style", selected.length > 1 ? "opacity: 0.4" : "opacity: 1");
    if (!selected.length) return;
    if (single === null) {
      this.#paint(context, selected.filter((row) => !this.on.has(row)), circle, RADIUS + 0.5, colours.strong, 1);
      this.#paint(context, selected.filter((row) => this.on.has(row)), diamond, RADIUS + 2.5, colours.reduce, 1);
      return;
    }
    context.strokeStyle = looks.ink;
    context.lineWidth = 2;
    context.stroke(new Path2D(circle(...this.#place(single), 9)));
  }

  #drawAxes(context, looks, wide) {
    const { across, up, x, y } = this;
    context.fillStyle = looks.ink;
    let clear = -Infinity;
    for (const tick of across.ticks) {
      const [at, text] = [across.at(tick), across.tick(tick)];
      line(context, at, AROUND.top, 1, HIGH - AROUND.bottom - AROUND.top, 0.12);
      const half = context.measureText(text).width / 2 + 8;
      if (at - half < clear) continue;
      write(context, looks, text, at, HIGH - AROUND.bottom + 12, 11, 0.85, "center");
      clear = at + half;
    }
    for (const tick of up.ticks) {
      line(context, AROUND.left, up.at(tick), wide - AROUND.left - AROUND.right, 1, 0.12);
      write(context, looks, begun(context, up.tick(tick), AROUND.left - 8), AROUND.left - 6, up.at(tick), 11, 0.85, "right");
    }
    const better = (column, [less, more]) => ((this.view.chosen.better[column.name] ?? "less") === "less" ? less : more);
    write(context, looks, `${titled(y, up.unit)} (${better(y, ["↓", "↑"])} is better)`, 4, 11, 12, 1);
    write(context, looks, `${titled(x, across.unit)} (${better(x, ["←", "→"])} is better)`, wide - AROUND.right, HIGH - 10, 12, 1, "right");
  }

  #explain(colours) {
    this.legend.replaceChildren();
    for (const [d, style, text] of [
      [diamond(14, 8, 6), colours.reduce, `frontier: no point is as good in one and better in the other (${this.line.length.toLocaleString("en")})`],
      [circle(14, 8, 4), colours.copy, `other points (${(this.rows.length - this.line.length).toLocaleString("en")})`],
    ]) {
      const key = make("span", { class: "astra-key" }, this.legend);
      make("path", { d, fill: style }, make("svg", { width: 28, height: 16, "aria-hidden": "true" }, key));
      key.append(text);
    }
    if (this.missing) make("span", { text: this.missing }, this.legend);
  }

  #along(rows, by) {
    if (!rows.length) return;
    const at = rows.indexOf(this.view.single);
    this.view.select([rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)]]);
  }

  #click({ clientX, clientY }) {
    const box = this.plot.getBoundingClientRect();
    const [px, py] = [clientX - box.left, clientY - box.top];
    let [found, least] = [null, NEAR];
    for (const row of this.rows) {
      const away = Math.hypot(this.across.at(this.x.values[row]) - px, this.up.at(this.y.values[row]) - py) - (this.on.has(row) ? 2 : 0);
      if (away < least) [found, least] = [row, away];
    }
    this.view.select(found === null ? [] : [found]);
  }
}

/** A line of a grid. */
function line(context, x, y, width, height, alpha) {
  context.globalAlpha = alpha;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
}

/** A column's name without its unit, and the unit of the axis. */
export function titled({ name, unit }, now) {
  const said = [` (${unit})`, `_${unit}`].find((end) => unit && name.endsWith(end) && name.length > end.length);
  const bare = said ? name.slice(0, -said.length) : name;
  return now ? `${bare}, ${now}` : bare;
}

/** As much of a text's end as fits: of a way such as platform.network[1].bandwidth without its first part. */
export function fitted(context, text, wide) {
  const way = text.slice(text.indexOf(".") + 1);
  for (const some of [text, way]) if (context.measureText(some).width <= wide) return some;
  let from = 1;
  while (from < text.length - 2 && context.measureText(`…${text.slice(from)}`).width > wide) from += 1;
  return `…${text.slice(from)}`;
}

/** As much of a text's beginning as fits: of a value, whose end says less than its beginning. */
export function begun(context, text, wide) {
  if (context.measureText(text).width <= wide) return text;
  let to = text.length - 1;
  while (to > 2 && context.measureText(`${text.slice(0, to)}…`).width > wide) to -= 1;
  return `${text.slice(0, to)}…`;
}
