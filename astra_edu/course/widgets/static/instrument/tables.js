// The pictures as tables.

import { make, makeTable } from "../frame/dom.js";
import { withCommas } from "../frame/words.js";
import { sum } from "./bars.js";

function barTable(parent, bars) {
  const looks = [...new Set(bars.bars.flatMap(({ parts }) => parts.map(({ look }) => look)))];
  const table = make("table", {}, parent);
  make("caption", { text: `${bars.title}, ${bars.unit}` }, table);
  const body = makeTable(table, ["bar", ...looks, "all"]);
  for (const bar of bars.bars) {
    const row = make("tr", {}, body);
    make("th", { scope: "row", text: bar.label }, row);
    for (const look of looks) {
      const parts = bar.parts.filter((part) => part.look === look);
      make("td", { text: parts.length ? sum({ parts }).toPrecision(4) : "" }, row);
    }
    make("td", { text: bar.said }, row);
  }
}

/** rows: the first of them is the head. */
function rowTable(parent, caption, [head, ...rows]) {
  const table = make("table", {}, parent);
  make("caption", { text: caption }, table);
  const body = makeTable(table, head);
  for (const [name, ...cells] of rows) {
    const row = make("tr", {}, body);
    make("th", { scope: "row", text: name }, row);
    for (const text of cells) make("td", { text }, row);
  }
}

const tableNumber = (value, digits) => withCommas(Number(value.toPrecision(digits)), 0, 12);

function laneRows({ unit, blocks }) {
  const rows = blocks.map((block) => [block.lane, tableNumber(block.start, 6), tableNumber(block.end, 6), block.title || block.text || block.look]);
  return [["lane", "from", `to (${unit})`, "what"], ...rows];
}

function curveRows({ x, y, curves }) {
  const known = curves.map(({ points }) => new Map(points));
  const places = [...new Set(curves.flatMap(({ points }) => points.map(([place]) => place)))].sort((a, b) => a - b);
  const rows = places.map((place) => [tableNumber(place, 6), ...known.map((points) => (points.has(place) ? tableNumber(points.get(place), 4) : ""))]);
  return [[x, ...curves.map(({ look }) => `${look}: ${y}`)], ...rows];
}

export function showTables(parent, { bars, lanes, curves }) {
  parent.replaceChildren();
  for (const one of bars) barTable(parent, one);
  for (const one of lanes) rowTable(parent, one.title, laneRows(one));
  for (const one of curves) rowTable(parent, one.title, curveRows(one));
}
