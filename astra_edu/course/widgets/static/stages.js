// The stages of a pipeline: draws the payload made by stages.py.
//   run    the passes of each stage, what a stage does and keeps at a time
//   View   one per place on the page: controls, lanes with a cursor, what each stage keeps, play

import { make, makeHead, makeRoot, makeTable, put, unique, widgetOf } from "./frame/dom.js";
import { makeHelp } from "./frame/help.js";
import { hearKeys } from "./frame/keys.js";
import { Loop } from "./frame/loop.js";
import { Reel } from "./frame/reel.js";
import { Transport, transportKeys } from "./frame/transport.js";
import { Watch } from "./frame/watch.js";
import { moment } from "./frame/words.js";
import { Chart, legendKeys, short } from "./stages/chart.js";
import { Controls } from "./stages/controls.js";
import { Run } from "./stages/run.js";

const LABELS = { first: "Start", previous: "Moment before", next: "Moment after", last: "End" };
const COLUMNS = ["stage", "now", "keeps activations of micro-batches", "now", "at most", "by formula", "idle in all"];
const KEYS =
  "Space or k: play or pause\n← →: to the moment before, after, at which a pass begins or ends\nHome, End: start, end\n" +
  "+ −: faster, slower\nMouse: click or drag in the lanes to move the cursor\nTab: to the controls; there ← → change a value";

class View {
  constructor(model, el) {
    this.model = model;
    this.id = unique();
    this.root = makeRoot(el, "stages", this.id);
    this.root.astraStages = this; // for tests and the curious
    this.loop = new Loop(() => this.draw());
    this.reel = new Reel(model, "time", () => this.loop.wake(), () => put(this.said, "text", this.run.said(this.time)));
    this.#build();
    this.#observe();
    this.load();
  }

  destroy() {
    this.reel.stop();
    this.loop.stop();
    this.watch.end();
    this.root.remove();
  }

  get time() {
    return this.reel.at;
  }

  get canvas() {
    return this.chart.canvas;
  }

  get context() {
    return this.chart.context;
  }

  x(time) {
    return this.chart.x(time);
  }

  y(stage) {
    return this.chart.y(stage);
  }

  #build() {
    const { root, id } = this;
    this.title = makeHead(root).title;
    this.controls = new Controls(root, this.model, (name, value) => {
      this.model.set(name, value);
      this.reel.mail.post();
    });
    this.problem = make("p", { class: "astra-problem", role: "alert" }, root);
    this.words = make("p", { class: "astra-words" }, root);
    this.chart = new Chart(root, { "aria-roledescription": "pipeline chart", "aria-describedby": `${id}-keys` });
    this.range = make("input", { type: "range", min: 0, step: "any", class: "astra-range", "aria-label": "Time" }, root);
    this.transport = new Transport(root, this.reel, LABELS);
    this.legend = make("p", { class: "astra-legend" }, root);
    makeHelp(this.transport.bar, root, id, KEYS);
    this.said = make("p", { class: "astra-said", "aria-live": "polite" }, root);
    this.table = make("table", {}, make("div", { class: "astra-table" }, root));
  }

  #observe() {
    const { reel, range, chart } = this;
    const { plot } = chart;
    const show = () => this.controls.show(this.run.data);
    this.watch = new Watch();
    this.watch.model(this.model, { data: () => this.load(), time: () => reel.pull(), ...Object.fromEntries(Controls.traits.map((name) => [name, show])) });
    this.watch.looks(plot, () => (chart.forget(), this.loop.wake()));
    hearKeys(this.root, transportKeys(reel));
    range.addEventListener("input", () => reel.scrub(Number(range.value)));
    let drag = false;
    plot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      plot.setPointerCapture(event.pointerId);
      drag = true;
      reel.scrub(chart.timeAt(event.offsetX));
    });
    plot.addEventListener("pointermove", (event) => drag && reel.scrub(chart.timeAt(event.offsetX)));
    for (const end of ["pointerup", "pointercancel"]) plot.addEventListener(end, () => (drag = false));
  }

  /** What belongs to one setting. */
  load() {
    const run = (this.run = new Run(this.model.get("data")));
    const { data } = run;
    put(this.title, "text", data.title);
    put(this.problem, "text", data.problem && `✗ ${data.problem}`);
    put(this.words, "text", data.sentences.join(" "));
    this.root.classList.toggle("astra-stale", Boolean(data.problem));
    put(this.root, "aria-label", `Pipeline: ${data.title}`);
    put(this.chart.plot, "aria-label", `${data.title}. ${data.sentences.join(" ")}`);
    put(this.range, "max", run.total);
    this.controls.show(data);
    this.#drawLegend();
    this.#buildTable(data.rows);
    this.chart.load(run);
    this.reel.load(run.film());
    this.loop.wake();
  }

  #drawLegend() {
    const cells = "F k,n: micro-batch n through part k of the model; a number alone: the micro-batch";
    const paler = this.run.data.virtual > 1 ? ["letters and paler cells: the stage's virtual stages"] : [];
    this.legend.replaceChildren(...legendKeys(), ...["grey: bubble", cells, ...paler].map((text) => make("span", { text })));
  }

  #buildTable(rows) {
    this.table.replaceChildren();
    this.caption = make("caption", {}, this.table);
    const body = makeTable(this.table, COLUMNS);
    this.rows = rows.map(([stage, idle, keeps, formula]) => {
      const row = make("tr", {}, body);
      make("th", { scope: "row", text: `stage ${stage}` }, row);
      const [doing, holds, number] = ["", "", "", keeps, formula, idle].map((text) => make("td", { text }, row));
      return { doing, holds, number };
    });
  }

  draw() {
    const { run, time } = this;
    this.chart.draw(time);
    const text = moment(time, run.total);
    this.range.value = time;
    put(this.range, "aria-valuetext", text);
    this.transport.show(this.reel, `${text} of ${moment(run.total, run.total)}`);
    put(this.caption, "text", `At ${text}`);
    this.rows.forEach(({ doing, holds, number }, stage) => {
      const held = run.holds(stage, time);
      put(doing, "text", run.doingText(stage, time));
      put(holds, "text", held.text);
      put(number, "text", short(held.number));
    });
  }
}

export default widgetOf(View);
