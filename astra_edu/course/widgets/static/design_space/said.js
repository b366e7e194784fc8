// A point in words, what failed, and points as a table.

import { make, makeTable, put } from "../frame/dom.js";
import { several } from "../frame/words.js";
import { titled } from "./pareto.js";

const NOTHING_YET = "Click a point, or go to one with the keys, for its settings and measures.";
const KINDS = 5; // of errors that are listed
const LISTED = 100; // points in the table

/** Write a point's settings and measures; how many are selected, if it isn't one. */
export function pointWords(place, points, row, count) {
  place.replaceChildren();
  if (row === null) return make("p", { text: count ? `${count.toLocaleString("en")} of ${several(points.count, "point")} selected.` : NOTHING_YET }, place);
  make("strong", { text: `Point ${points.data.labels[row]}` }, place);
  const parts = [["settings", points.settings], ["measures", points.columns.filter(({ setting }) => !setting)]];
  const failed = points.failed.get(row);
  for (const [what, columns] of failed === undefined ? parts : parts.slice(0, 1)) {
    if (columns.length) make("p", { text: `${what}: ${columns.map((column) => `${titled(column)} ${points.words(row, column)}`).join(", ")}.` }, place);
  }
  if (failed !== undefined) make("p", { class: "astra-why", text: `It failed: ${failed}` }, place);
}

/** How many points failed, and why: each sentence once, with how often it was, and the first point that it is about. */
export function sayFailures(place, points, select) {
  place.replaceChildren();
  if (!points.failed.size) return;
  const kinds = new Map();
  for (const [row, why] of points.failed) kinds.set(why, [...(kinds.get(why) ?? []), row]);
  const head = `${points.failed.size.toLocaleString("en")} of ${several(points.count, "point")} failed:`;
  make("p", { text: head }, place);
  const list = make("ul", {}, place);
  for (const [why, rows] of [...kinds].sort((a, b) => b[1].length - a[1].length).slice(0, KINDS)) {
    const item = make("li", { text: `${why} ` }, list);
    const button = make("button", { type: "button", text: rows.length > 1 ? `${rows.length.toLocaleString("en")} points` : `point ${points.data.labels[rows[0]]}` }, item);
    button.addEventListener("click", () => select(rows[0]));
  }
  if (kinds.size > KINDS) make("li", { text: `and ${several(kinds.size - KINDS, "other error")}` }, list);
}

/** The first of some points as a table. */
export function listed(table, points, rows) {
  const key = `${points.data.labels.length} ${rows.length} ${rows.slice(0, LISTED)}`;
  if (table.astraListed === key) return;
  table.astraListed = key;
  table.replaceChildren();
  const body = makeTable(table, ["point", ...points.columns.map((column) => titled(column))]);
  for (const row of rows.slice(0, LISTED)) {
    const line = make("tr", {}, body);
    make("th", { scope: "row", text: points.data.labels[row] }, line);
    for (const column of points.columns) make("td", { text: points.words(row, column) }, line);
  }
  if (rows.length > LISTED) put(make("caption", {}, table), "text", `The first ${LISTED} of ${rows.length.toLocaleString("en")}`);
}
