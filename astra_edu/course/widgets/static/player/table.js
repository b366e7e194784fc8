// The table of who holds what of each shard; for too many NPUs, a table of counts.

import { make, makeTable, put } from "../frame/dom.js";
import { calm } from "../frame/watch.js";
import { fill } from "../frame/words.js";

const MOST_ON_PHONES = 8; // columns of words
const MARKS = ["astra-sends", "astra-gets-reduce", "astra-gets-copy"];

export class Table {
  constructor(body) {
    this.box = make("div", { class: "astra-table" }, body);
  }

  load(data, nodes) {
    const { columns, shard, texts, leaving } = data.table;
    Object.assign(this, { data, nodes, shownStep: null, shownCells: null, marked: [], cell: null });
    const table = make("table", { class: `${texts ? "astra-texts" : "astra-heat"}${leaving ? " astra-pairs" : ""}` });
    make("caption", { text: leaving ? "What each NPU still has for which NPU, and has got from it" : "What each NPU holds of each shard" }, table);
    const few = (i, all) => all || i % 8 === 0;
    const head = make("tr", {}, make("thead", {}, table));
    make("th", { scope: "col", class: "astra-corner", text: data.detail ? "NPU" : "" }, head);
    columns.forEach((text, c) => make("th", { scope: "col", title: text, text: few(c, texts) ? text : "" }, head));
    const body = make("tbody", {}, table);
    this.rows = shard.map((_, r) => make("tr", { "data-npu": r }, body));
    this.cells = shard.map((row, r) => {
      make("th", { scope: "row", text: few(r, data.detail) ? r : "" }, this.rows[r]);
      return row.map((c, i) => this.#makeCell(r, i, c));
    });
    table.style.setProperty("--astra-rows", data.npus);
    this.detail = make("p", { class: "astra-detail" });
    const swipe = make("div", { class: texts && columns.length > MOST_ON_PHONES ? "astra-swipe" : "" });
    swipe.append(table);
    this.box.replaceChildren(swipe, makeCellLegend(data), this.detail);
  }

  #makeCell(r, i, shard) {
    const { wanted, texts } = this.data.table;
    const demanded = wanted[r][i] && wanted.some((other) => !other[i]) ? "astra-wanted" : "";
    const cell = make("td", { "data-shard": shard, class: demanded }, this.rows[r]);
    const label = texts ? make("span", {}, cell) : null; // its own layout root: the table needn't be laid out again
    return Object.assign(cell, { astraLabel: label, astra: { r, i, shard, wanted: wanted[r][i] } });
  }

  loadCounts({ note, head, rows }) {
    const table = make("table");
    make("caption", { text: note }, table);
    const body = makeTable(table, head);
    for (const row of rows) {
      const line = make("tr", {}, body);
      row.forEach((text, i) => make(i ? "td" : "th", i ? { text } : { scope: "row", text }, line));
    }
    this.cell = null;
    this.box.replaceChildren(table);
  }

  /** Say in words what the cell under the pointer holds. */
  look(cell) {
    this.cell = cell?.dataset.shard ? cell : null;
  }

  draw(film, position, clock, step, focus) {
    const state = `${clock} ${film.arrived(position, clock)}`;
    if (state !== this.shownCells) {
      this.shownCells = state;
      this.cells.forEach((row, r) => {
        row.forEach((cell) => this.#drawCell(cell, film.held(r, cell.astra.shard, position, clock)));
        const asked = row.filter(({ astra }) => astra.wanted); // nothing is asked of who only sends
        this.nodes[r].classList.toggle("astra-done", asked.length > 0 && asked.every(({ astra }) => astra.set === astra.wanted));
      });
    }
    if (step !== this.shownStep) this.#markStep(step);
    this.rows.forEach((row, npu) => row.classList.toggle("astra-focus", npu === focus));
    put(this.detail, "text", this.cell ? this.#said(this.cell.astra) : "");
  }

  #markStep(step) {
    this.shownStep = step;
    for (const cell of this.marked) cell.classList.remove(...MARKS);
    this.marked = [];
    const now = this.data.steps[step - 1];
    const mark = (cell, name) => {
      cell?.classList.add(name);
      if (cell) this.marked.push(cell);
    };
    for (const [source, destination, shards] of now?.tokens ?? []) {
      for (const shard of shards) {
        mark(this.#cellOf(source, shard, true), "astra-sends");
        if (!now.stops) mark(this.#cellOf(destination, shard, false), `astra-gets-${now.op}`);
      }
    }
  }

  /** The cell about a shard in an NPU's row; an all-to-all's blocks have one only where they start and end. */
  #cellOf(npu, shard, leaving) {
    const n = this.data.npus;
    if (npu >= n) return null; // a switch, which has no row
    if (!this.data.table.leaving) return this.cells[npu][shard];
    const [origin, goal] = [Math.floor(shard / n), shard % n];
    if (leaving) return origin === npu ? this.cells[npu][goal] : null;
    return goal === npu ? this.cells[npu][origin] : null;
  }

  #drawCell(cell, set) {
    const { astra } = cell;
    const { data } = this;
    if (astra.set === set) return;
    astra.set = set;
    const final = set !== 0 && set === astra.wanted;
    const share = data.reducing && !final ? data.sets[set][2] / data.npus : set && 1;
    const kind = final ? "astra-final" : data.reducing ? "astra-partial" : "astra-kept";
    cell.classList.remove("astra-final", "astra-partial", "astra-kept");
    if (set) cell.classList.add(kind);
    cell.style.setProperty("--astra-level", share);
    if (!data.table.texts) return;
    const { leaving } = data.table;
    const text = leaving ? data.names[set ? astra.shard : leaving[astra.r][astra.i]].slice(1) : data.sets[set][0];
    put(cell.astraLabel, "text", final ? (leaving ? text + data.table.tick : "✓") : text);
  }

  #said({ r, i, shard, set }) {
    const { data } = this;
    const { leaving } = data.table;
    if (leaving) {
      const said = i === r ? data.words.keeps : set ? data.words.got : data.words.waits;
      return fill(said, { npu: r, peer: i, shard: data.names[shard], leaving: data.names[leaving[r][i]] });
    }
    const [, spoken, size] = data.sets[set];
    const holding = data.reducing && set ? `${spoken} (${size} of ${data.npus})` : spoken;
    return fill(data.words.holds, { npu: r, shard: data.names[shard], holding });
  }
}

function makeCellLegend({ phases, reducing, steps, table, npus, words }) {
  const legend = make("p", { class: "astra-legend" });
  if (table.leaving && table.texts) make("span", { class: "astra-whose", text: fill(words.whose, { source: 0, destination: npus - 1 }) }, legend);
  const ops = new Set(phases.map((phase) => phase.op));
  if (ops.has("reduce")) make("span", { class: "astra-cue astra-reduce", text: "added on arrival" }, legend);
  if (ops.has("copy")) make("span", { class: "astra-cue astra-copy", text: "copied" }, legend);
  if (reducing) make("span", { class: "astra-key astra-key-partial", text: table.texts ? "numbers: the NPUs whose data are in it" : "how many NPUs’ data are in it" }, legend);
  make("span", { class: "astra-key astra-key-final", text: "as it must end" }, legend);
  if (ops.size) make("span", { class: "astra-key astra-key-sends", text: "sends it now" }, legend);
  if (ops.size) make("span", { class: `astra-key astra-key-gets${ops.has("reduce") ? " astra-reduce" : ""}`, text: "gets it now" }, legend);
  if (steps.some((step) => step.wrong !== null)) make("span", { text: "✗ can't be sent" }, legend);
  if (calm() && steps.some((step) => !step.docks && !step.stops)) make("span", { text: "shards on their way, the table once they have arrived" }, legend);
  return legend;
}
