// What the timeline consists of, from top to bottom.

import { make, makeHead, put } from "../frame/dom.js";
import { makeHelp } from "../frame/help.js";
import { several } from "../frame/words.js";
import { Chart, legendKeys } from "./chart.js";
import { Search } from "./search.js";

const TIMELINE_KEYS =
  "+ −: zoom in, out · 0: the whole run · Enter: zoom to the span\n← →: earlier, later · Home, End: to the start, to the end\n" +
  "n p (or Shift + → ←): next, previous span of the lane · ↑ ↓: another lane · Esc: no span\n" +
  "/: highlight a layer; Enter there: its next span · ?: these keys\n" +
  "Mouse: drag to move, click a span to keep it, double-click to zoom to it. The wheel zooms after a click here, or with Ctrl.\n" +
  "Dashed frames: the rest of the chunk's way. The line below a lane: how long the span waited for its turn.\n" +
  "Spans narrower than a pixel are drawn together, as a column that is as high as they fill their pixel's time.";

const KEYS_OF_MANY = "\no: open, close the lanes of an NPU · Shift + o: of all · click a name to open or close it. The wheel scrolls; with Ctrl it zooms.";

/** Elements in `root` by name, and what they call of `view`. */
export function makeParts(root, id, view) {
  const { head, title } = makeHead(root);
  const times = make("span", { class: "astra-times" }, head);
  const chart = new Chart(root, { "aria-roledescription": "timeline", "aria-describedby": `${id}-keys` });
  const bar = make("div", { class: "astra-bar" }, root);
  for (const [text, label, act] of [
    ["+", "Zoom in", () => view.zoom(0.5)],
    ["−", "Zoom out", () => view.zoom(2)],
    ["whole", "Whole run", () => view.look(0, view.stretch.total)],
    ["◂", "Earlier", () => view.pan(-0.5)],
    ["▸", "Later", () => view.pan(0.5)],
  ]) {
    make("button", { type: "button", text, title: label, "aria-label": label }, bar).addEventListener("click", act);
  }
  const all = make("button", { type: "button", text: "NPUs", title: "Open or close all NPUs", "aria-label": "Open or close all NPUs", hidden: true }, bar);
  all.addEventListener("click", () => view.toggleAll());
  const where = make("output", { class: "astra-where", "aria-live": "off" }, bar);
  const search = new Search(bar, `${id}-layers`, {
    changed: (text) => view.share("highlight", text),
    next: () => view.nextFound(),
    left: () => chart.plot.focus(),
  });
  const explain = makeHelp(bar, root, id, TIMELINE_KEYS);
  return { title, times, chart, all, where, explain, search, ...makeDetails(root) };
}

function makeDetails(root) {
  const legend = make("div", { class: "astra-legend" }, root);
  const detail = make("div", { class: "astra-facts" }, root);
  const said = make("p", { class: "astra-said", "aria-live": "polite" }, root);
  const details = make("details", {}, root);
  make("summary", { text: "Table of the lanes, for the time that is shown" }, details);
  return { legend, detail, said, details, table: make("table", {}, details) };
}

/** Say everywhere what run that is. */
export function describe(root, parts, run) {
  const { title, total, times } = run.data;
  const looks = [...new Set(run.kinds.map((kind) => kind.look))].sort((a, b) => a - b);
  put(parts.title, "text", `${total} in all`);
  put(parts.times, "text", times);
  put(root, "aria-label", `Timeline: ${title}`);
  put(parts.chart.plot, "aria-label", `${title}: ${total} in all, ${times}; ${several(run.count, "span")} in ${run.lanes.length} lanes`);
  parts.search.load(run);
  parts.legend.replaceChildren(...legendKeys(looks));
}

/** With several NPUs there are more keys; where lanes can be closed, a button for all of them. */
export function offer({ all, explain }, { many, folds }) {
  put(all, "hidden", !folds.size);
  explain(TIMELINE_KEYS + (many ? KEYS_OF_MANY : ""));
}
