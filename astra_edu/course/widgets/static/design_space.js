// A table of points in three pictures: draws the payload made by design_table.py.
//   points     the table: columns, ranges, the frontier, values in words
//   pareto, parallel, heat   the pictures; brushes belongs to the second
//   said       a point in words, what failed, the table below
//   DesignSpaceView   one per place on the page: which picture, what is selected, the timeline of a point

import { make, makeHead, makeRoot, put, unique, widgetOf } from "./frame/dom.js";
import { makeHelp } from "./frame/help.js";
import { press, shortcut } from "./frame/keys.js";
import { Loop, Settled } from "./frame/loop.js";
import { stubModel } from "./frame/stub.js";
import { Watch } from "./frame/watch.js";
import { several } from "./frame/words.js";
import { Heat } from "./design_space/heat.js";
import { Parallel } from "./design_space/parallel.js";
import { Pareto } from "./design_space/pareto.js";
import { Points, isWide } from "./design_space/points.js";
import { listed, pointWords, sayFailures } from "./design_space/said.js";
import { TimelineView } from "./timeline.js";

const SETTLE_MS = 150; // after the last change the selection is shared with Python
const PICTURES = { pareto: "Pareto frontier", parallel: "parallel coordinates", heat: "heat map" };
const SPACE_KEYS =
  "1 2 3: Pareto frontier, parallel coordinates, heat map · Enter (or double-click): the timeline of the point · Esc: nothing selected\n" +
  "Pareto frontier: ← →: along the frontier · n p: next, previous point by x\n" +
  "parallel coordinates: ← →: another axis · ↑ ↓: move its brush · Shift + ↑ ↓: its upper end · Delete: no brush · n p: next, previous line\n" +
  "heat map: ← → ↑ ↓: the next cell\n" +
  "Mouse: click a point, a line or a cell; drag along an axis to brush it, click it to remove the brush.\n?: these keys";

export class DesignSpaceView {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.root = makeRoot(el, "design_space", this.id);
    this.root.astraSpace = this; // for tests and the curious
    this.loop = new Loop(() => this.draw());
    this.settled = new Settled(() => this.#share(), SETTLE_MS);
    this.#build();
    this.watch = new Watch();
    this.watch.model(model, { data: () => this.load(), chosen: () => this.#chosen(), rows: () => this.#pull(), opened: () => this.#show() });
    this.watch.looks(this.stage, () => this.wake());
    this.load();
  }

  destroy() {
    this.settled.flush();
    this.loop.stop();
    this.watch.end();
    this.timeline?.destroy();
    this.root.remove();
  }

  #build() {
    const { root } = this;
    this.title = makeHead(root).title;
    const bar = make("div", { class: "astra-bar", role: "group", "aria-label": "Picture" }, root);
    this.tabs = Object.entries(PICTURES).map(([name, text]) => {
      const tab = make("button", { type: "button", text }, bar);
      tab.addEventListener("click", () => this.choose({ view: name }));
      return [name, tab];
    });
    makeHelp(bar, root, this.id, SPACE_KEYS);
    this.stage = make("div", { class: "astra-picture" }, root);
    this.pictures = { pareto: new Pareto(this.stage, this), parallel: new Parallel(this.stage, this), heat: new Heat(this.stage, this) };
    const about = make("div", { class: "astra-about" }, root);
    this.live = make("div", { class: "astra-point" }, about);
    this.said = make("p", { class: "astra-said", "aria-live": "polite" }, root);
    this.button = make("button", { type: "button", text: "its timeline", hidden: true }, about);
    this.button.addEventListener("click", () => this.open());
    this.problem = make("p", { class: "astra-problem", role: "status" }, root);
    this.failures = make("div", { class: "astra-failures" }, root);
    this.details = make("details", {}, root);
    this.summary = make("summary", {}, this.details);
    this.rail = make("div", { class: "astra-rail", tabindex: "0", role: "region", "aria-label": "Table" }, this.details);
    this.table = make("table", {}, this.rail);
    this.details.addEventListener("toggle", () => this.wake());
    this.below = make("div", { class: "astra-below" }, root);
    root.addEventListener("keydown", (event) => press(event, this.#acts()));
    root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
  }

  #acts() {
    const names = Object.keys(PICTURES);
    const numbers = Object.fromEntries(names.map((name, k) => [k + 1, () => this.choose({ view: name })]));
    return { ...numbers, Enter: () => this.open(), Escape: () => this.select(this.single !== null && this.picture.again ? this.picture.again() : []), ...this.picture.keys };
  }

  // ---- the table and what is chosen ----

  load() {
    const points = (this.points = new Points(this.model.get("data")));
    const { settings, measures } = points;
    put(this.title, "text", points.data.title);
    put(this.root, "aria-label", `Design space: ${points.data.title}`);
    sayFailures(this.failures, points, (row) => this.select([row]));
    this.defaults = { log: Object.fromEntries(points.columns.filter(isWide).map(({ name }) => [name, true])), settings, measures };
    this.#chosen();
    this.#show();
  }

  /** Settings with several values, which a heat map has two of. */
  heatSettings() {
    return this.points.varying.filter(({ setting }) => setting);
  }

  /** Change what is chosen, here and in Python. */
  choose(changes) {
    this.model.set("chosen", { ...this.chosen, ...changes });
    this.model.save_changes();
  }

  #chosen() {
    const { view, log, ...others } = this.model.get("chosen");
    const before = this.chosen?.view;
    this.chosen = { better: {}, where: {}, ...others, view, log: { ...this.defaults.log, ...log } };
    for (const [name, tab] of this.tabs) put(tab, "aria-pressed", String(name === view));
    for (const [name, picture] of Object.entries(this.pictures)) picture.box.hidden = name !== view;
    const inside = this.stage.contains(document.activeElement) ? document.activeElement : null;
    const label = inside?.getAttribute("aria-label");
    this.picture = this.pictures[view];
    this.picture.load(this.points, this.chosen);
    if (before === view && inside && !inside.isConnected) [...this.stage.querySelectorAll("select, input")].find((one) => one.offsetParent && one.getAttribute("aria-label") === label)?.focus();
    if (before && before !== view && inside) this.picture.box.querySelector("[role=application]").focus();
    this.wake();
  }

  // ---- what is selected ----

  get rows() {
    return this.picked ?? this.model.get("rows");
  }

  /** The one point that is selected, or null. */
  get single() {
    const { rows } = this;
    return rows.length === 1 ? rows[0] : null;
  }

  /** Select points; Python hears of it when it has settled. */
  select(rows) {
    this.picked = rows;
    this.settled.wait();
    this.#tell();
    this.wake();
  }

  say(text) {
    put(this.said, "text", text);
  }

  count() {
    return `${this.rows.length.toLocaleString("en")} of ${several(this.points.count, "point")} selected`;
  }

  #share() {
    const rows = this.picked;
    this.picked = null;
    if (!rows || String(rows) === String(this.model.get("rows"))) return;
    this.model.set("rows", rows);
    this.model.save_changes();
  }

  #pull() {
    if (this.picked === null || this.picked === undefined) this.#tell();
    this.wake();
  }

  #tell() {
    const { single, points } = this;
    pointWords(this.live, points, single, this.rows.length);
    this.say(single === null ? this.count() : this.live.textContent);
    const can = single !== null && !points.failed.has(single);
    put(this.button, "hidden", !(can && (this.model.get("can") || this.#stored(single))));
    put(this.problem, "text", "");
    const { row, data } = this.model.get("opened") ?? {};
    const away = can && points.data.saved && !this.#stored(single) && !(data && row === single);
    if (away) make("p", { class: "astra-aside", text: "To see its timeline, run it again in a notebook." }, this.live);
  }

  #stored(row) {
    return this.model.get("stored")?.[row];
  }

  // ---- the timeline of a point ----

  open() {
    const { single } = this;
    if (single === null || this.button.hidden) return;
    this.settled.flush();
    const stored = this.#stored(single);
    if (stored) this.model.set("opened", { row: single, data: stored });
    else {
      put(this.problem, "text", "The point is run again …");
      this.model.set("wanted", single);
    }
    this.model.save_changes();
  }

  #show() {
    const { row, data, problem } = this.model.get("opened") ?? {};
    put(this.problem, "text", problem ?? "");
    put(this.below, "hidden", !data);
    if (data) {
      if (!this.inner) {
        this.over = make("p", { class: "astra-whose" }, this.below);
        this.inner = stubModel({ data, until: 0, window: null, highlight: "" });
        this.timeline = new TimelineView(this.inner, this.below);
      }
      put(this.over, "text", `The timeline of point ${this.points.data.labels[row]}`);
      this.inner.set("data", data);
    }
    this.#tell();
    if (problem) put(this.problem, "text", problem);
  }

  // ---- drawing ----

  colours() {
    const style = getComputedStyle(this.live);
    const named = (name) => style.getPropertyValue(name);
    const ink = make("i", { hidden: true }, this.root);
    const found = Object.fromEntries(["copy", "reduce", "strong"].map((name) => {
      ink.style.color = name === "strong" ? "light-dark(#003d66, #a2d1f1)" : named(`--astra-${name}`);
      return [name, getComputedStyle(ink).color];
    }));
    ink.remove();
    return found;
  }

  wake() {
    this.loop.wake();
  }

  draw() {
    this.picture.draw();
    const shown = this.rows.length ? this.rows : this.chosen.view === "pareto" ? this.picture.line : [];
    const what = this.rows.length ? this.count() : this.chosen.view === "pareto" ? `the ${several(shown.length, "point")} on the frontier` : "nothing is selected";
    put(this.summary, "text", `Table: ${what}`);
    if (this.details.open) listed(this.table, this.points, shown);
  }
}

export default widgetOf(DesignSpaceView);
