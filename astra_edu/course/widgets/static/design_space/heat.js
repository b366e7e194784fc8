// The heat map: a table of two settings, in each cell the measure of the point that has both, as a number and a shade.

import { make, put } from "../frame/dom.js";
import { clamp } from "../frame/numbers.js";
import { unit, withCommas } from "../frame/words.js";
import { chooser, ticked } from "./controls.js";
import { titled } from "./pareto.js";
import { distinct, rangeOf, valueIn } from "./points.js";

const BEST = "the best of all";
const LONGEST = 40; // values of a setting that have a row or a column
const TURN = 0.7; // of the way from light to strong: where both inks can be read, in both themes

/**
 * cells[down][across]: {row, count, failed} of the points with these two values and those of `where`: the best of them.
 * where: setting -> value in words; of the others all count. row is null where no point has a value.
 */
export function cellsOf(points, { across, down, measure, where, better }) {
  const [a, d, m] = [across, down, measure].map((name) => points.named.get(name));
  const [columns, rows] = [a, d].map(distinct);
  const [place, line] = [columns, rows].map((values) => new Map(values.map((value, k) => [value, k])));
  const cells = rows.map(() => columns.map(() => ({ row: null, count: 0, failed: 0 })));
  const wanted = Object.entries(where).filter(([name]) => points.named.has(name) && name !== across && name !== down).map(([name, words]) => [points.named.get(name), words]);
  const sign = better[measure] === "more" ? -1 : 1;
  for (let row = 0; row < points.count; row += 1) {
    const cell = cells[line.get(d.values[row])]?.[place.get(a.values[row])];
    if (!cell || !wanted.every(([column, words]) => points.words(row, column) === words)) continue;
    if (points.failed.has(row)) cell.failed += 1;
    if (points.failed.has(row) || !points.has(row, m)) continue;
    cell.count += 1;
    if (cell.row === null || sign * m.values[row] < sign * m.values[cell.row]) cell.row = row;
  }
  return { columns, rows, cells };
}

export class Heat {
  constructor(parent, view) {
    this.view = view;
    this.box = make("div", {}, parent);
    this.bar = make("div", { class: "astra-bar" }, this.box);
    this.rail = make("div", { class: "astra-rail", tabindex: "0", role: "application", "aria-roledescription": "heat map" }, this.box);
    this.legend = make("p", { class: "astra-legend" }, this.box);
    this.keys = { ArrowRight: () => this.#move(0, 1), ArrowLeft: () => this.#move(0, -1), ArrowDown: () => this.#move(1, 0), ArrowUp: () => this.#move(-1, 0) };
    this.rail.addEventListener("dblclick", () => view.open());
  }

  load(points, chosen) {
    this.points = points;
    this.#offer(chosen);
    this.rail.replaceChildren();
    this.legend.replaceChildren();
    this.marked = null;
    if (!this.able) {
      this.cells = [];
      return make("p", { text: "A heat map needs two settings that vary, and a measure." }, this.rail);
    }
    const column = points.named.get(chosen.measure);
    Object.assign(this, cellsOf(points, chosen), { measure: column });
    const shown = this.cells.slice(0, LONGEST).flatMap((cells) => cells.slice(0, LONGEST)).filter(({ row }) => row !== null).map(({ row }) => row);
    this.range = rangeOf(column, chosen.log[column.name], shown);
    [this.size, this.unit] = column.unit === "ns" && this.range.low >= 0 ? unit(this.range.high) : [1, column.unit];
    this.#build(chosen);
    this.#explain(chosen);
    const words = [`${titled(column)} of ${titled(points.named.get(chosen.down))} (rows) and ${titled(points.named.get(chosen.across))} (columns)`, `${shown.length} of ${this.cells.length * this.columns.length} cells have a value.`];
    put(this.rail, "aria-label", words.join(": "));
  }

  get able() {
    return this.view.heatSettings().length > 1 && this.points.measures.length > 0;
  }

  #offer(chosen) {
    const settings = this.view.heatSettings();
    const { points, view, bar } = this;
    bar.replaceChildren();
    if (!this.able) return;
    for (const axis of ["across", "down"]) {
      const other = axis === "across" ? "down" : "across";
      chooser(bar, axis, settings.map(({ name }) => name), chosen[axis], (name) => view.choose({ [axis]: name, ...(chosen[other] === name ? { [other]: chosen[axis] } : {}) }));
    }
    chooser(bar, "measure", points.measures.map(({ name }) => name), chosen.measure, (measure) => view.choose({ measure }));
    const column = points.named.get(chosen.measure);
    chooser(bar, "better in the measure", ["less", "more"], chosen.better[column.name] ?? "less", (way) => view.choose({ better: { ...chosen.better, [column.name]: way } }), "better:");
    ticked(bar, "shades by powers", Boolean(chosen.log[column.name]), (on) => view.choose({ log: { ...chosen.log, [column.name]: on } }), "log", rangeOf(column, false).low <= 0);
    for (const setting of settings.filter(({ name }) => name !== chosen.across && name !== chosen.down)) {
      const values = distinct(setting).slice(0, 500).map((value) => valueIn(setting, value));
      chooser(bar, titled(setting), [BEST, ...values], chosen.where[setting.name] ?? BEST, (words) => {
        const { [setting.name]: _, ...others } = chosen.where;
        view.choose({ where: words === BEST ? others : { ...others, [setting.name]: words } });
      });
    }
  }

  #build(chosen) {
    const { points } = this;
    const [across, down] = [points.named.get(chosen.across), points.named.get(chosen.down)];
    const table = make("table", { class: "astra-heat" }, this.rail);
    const head = make("tr", {}, make("thead", {}, table));
    const corner = make("th", { scope: "col", class: "astra-corner" }, head);
    for (const text of [`${titled(across, across.unit)} →`, `${titled(down, down.unit)} ↓`]) make("span", { text }, corner);
    const bare = (column, value) => valueIn({ ...column, unit: "" }, value);
    for (const value of this.columns.slice(0, LONGEST)) make("th", { scope: "col", text: bare(across, value) }, head);
    const body = make("tbody", {}, table);
    this.shown = this.cells.slice(0, LONGEST).map((cells, k) => {
      const line = make("tr", {}, body);
      make("th", { scope: "row", text: bare(down, this.rows[k]) }, line);
      return cells.slice(0, LONGEST).map((cell) => this.#cell(line, cell));
    });
  }

  #cell(line, { row, count, failed }) {
    const element = make("td", {}, line);
    if (row === null) put(element, "class", failed ? "astra-failed" : "astra-empty");
    put(element, "text", row === null ? (failed ? "failed" : "–") : this.#number(this.measure.values[row]));
    if (row !== null) {
      const level = this.#level(this.measure.values[row]);
      put(element, "style", shade(level));
      put(element, "title", `${this.points.words(row, this.measure)}${count > 1 ? `, the best of ${count}` : ""}`);
    }
    element.addEventListener("click", () => row !== null && this.view.select([row]));
    return element;
  }

  #number(value) {
    const scaled = value / this.size;
    const size = Math.abs(scaled);
    if (size >= 1e7 || (size && size < 1e-3)) return scaled.toExponential(2);
    return withCommas(Number(scaled.toPrecision(size >= 1000 ? Math.ceil(Math.log10(size + 1)) : 4)), 0, 6);
  }

  /** How dark a value is, from 0 to 1. */
  #level(value) {
    const { low, high, log } = this.range;
    const by = log ? Math.log : (x) => x;
    return clamp((by(value) - by(low)) / (by(high) - by(low) || 1), 0, 1);
  }

  #explain(chosen) {
    const { legend, range, measure } = this;
    make("span", { text: `${titled(measure, this.unit)}:` }, legend);
    make("span", { class: "astra-low", text: this.#number(range.low) }, legend);
    make("span", { class: "astra-ramp", role: "img", "aria-label": `light is low, strong is high${range.log ? ", by powers" : ""}`, style: `background: linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(colourAt).join(", ")})` }, legend);
    make("span", { class: "astra-high", text: this.#number(range.high) }, legend);
    const more = Math.max(...this.cells.flat().map(({ count }) => count));
    const best = (chosen.better[measure.name] ?? "less") === "less" ? "least" : "most";
    if (more > 1) make("span", { text: `Up to ${more.toLocaleString("en")} points in a cell: the ${best} is shown.` }, legend);
    const beyond = [this.columns, this.rows].some((values) => values.length > LONGEST);
    if (beyond) make("span", { text: `The first ${LONGEST} values of each setting.` }, legend);
  }

  draw() {
    const { single } = this.view;
    for (const [element] of this.marked ?? []) put(element, "aria-selected", null);
    this.marked = [];
    (this.shown ?? []).forEach((elements, d) => elements.forEach((element, a) => {
      if (single === null || this.cells[d][a].row !== single) return;
      this.marked.push([element, d, a]);
      put(element, "aria-selected", "true");
    }));
  }

  /** To the next cell with a value in a direction. */
  #move(down, across) {
    if (!this.shown?.length) return;
    let [, d, a] = this.marked?.[0] ?? [null, down < 0 ? this.shown.length : down ? -1 : 0, across < 0 ? this.shown[0].length : across ? -1 : 0];
    for (d += down, a += across; this.shown[d]?.[a]; d += down, a += across) {
      const { row } = this.cells[d][a];
      if (row === null) continue;
      this.view.select([row]);
      return this.shown[d][a].scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}

/** Five shades of one colour, light to strong, from --astra-heat-0 to --astra-heat-4. */
const colourAt = (level) => {
  const k = Math.min(3, Math.floor(4 * level));
  const share = Math.round(100 * (4 * level - k));
  return share ? `color-mix(in oklab, var(--astra-heat-${k}), var(--astra-heat-${k + 1}) ${share}%)` : `var(--astra-heat-${k})`;
};

const shade = (level) => `background: ${colourAt(level)}; color: var(--astra-heat-ink-${level < TURN ? "low" : "high"})`;
