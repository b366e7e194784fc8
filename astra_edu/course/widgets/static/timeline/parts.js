// What the timeline consists of, from top to bottom.

import { make, makeHead } from "../frame/dom.js";
import { makeHelp } from "../frame/help.js";
import { Chart } from "./chart.js";

const KEYS =
  "+ −: zoom in, out · 0: the whole run · Enter: zoom to the span\n← →: earlier, later · Home, End: to the start, to the end\n" +
  "n p (or Shift + → ←): next, previous span of the lane · ↑ ↓: another lane · Esc: no span\n" +
  "/: highlight a layer; Enter there: its next span\n" +
  "Mouse: drag to move, click a span to keep it, double-click to zoom to it. The wheel zooms after a click here, or with Ctrl.\n" +
  "Dashed frames: the rest of the chunk's way. The line below a lane: how long the span waited for its turn.\n" +
  "Spans narrower than a pixel are drawn together, as a column that is as high as they fill their pixel's time.";

const MORE_KEYS =
  "\no: open, close the lanes of an NPU · Shift + o: of all · click a name to open or close it. The wheel scrolls; with Ctrl it zooms.";

export const keysOf = ({ many }) => KEYS + (many ? MORE_KEYS : "");

/** Elements in `root` by name; the buttons call zoom, pan, look and toggleAll of `view`. */
export function makeParts(root, id, view) {
  const { head, title } = makeHead(root);
  const times = make("span", { class: "astra-times" }, head);
  const chart = new Chart(root, { "aria-roledescription": "timeline", "aria-describedby": `${id}-keys` });
  const bar = make("div", { class: "astra-bar" }, root);
  const buttons = [
    ["+", "Zoom in", () => view.zoom(0.5)],
    ["−", "Zoom out", () => view.zoom(2)],
    ["whole", "Whole run", () => view.look(0, view.run.total)],
    ["◂", "Earlier", () => view.pan(-0.5)],
    ["▸", "Later", () => view.pan(0.5)],
    ["NPUs", "Open or close all NPUs", () => view.toggleAll()],
  ].map(([text, label, act]) => {
    const button = make("button", { type: "button", text, title: label, "aria-label": label }, bar);
    button.addEventListener("click", act);
    return button;
  });
  const where = make("output", { class: "astra-where", "aria-live": "off" }, bar);
  const searching = makeSearch(bar, `${id}-layers`);
  const help = makeHelp(bar, root, id, KEYS);
  const { plot, context } = chart;
  return { title, times, chart, plot, context, canvas: context.canvas, all: buttons.at(-1), where, help, ...searching, ...makeDetails(root) };
}

function makeSearch(bar, list) {
  const place = make("span", { class: "astra-search" }, bar);
  const label = make("label", {}, place);
  const thing = make("span", {}, label);
  const search = make("input", { type: "search", size: 12, list, spellcheck: "false", autocomplete: "off" }, label);
  const names = make("datalist", { id: list }, place);
  return { search, thing, names, found: make("output", { class: "astra-found", "aria-live": "polite" }, place) };
}

function makeDetails(root) {
  const legend = make("div", { class: "astra-legend" }, root);
  const detail = make("div", { class: "astra-facts" }, root);
  const said = make("p", { class: "astra-said", "aria-live": "polite" }, root);
  const details = make("details", {}, root);
  make("summary", { text: "Table of the lanes, for the time that is shown" }, details);
  return { legend, detail, said, details, table: make("table", {}, details) };
}
