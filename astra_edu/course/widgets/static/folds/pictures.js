// Two pictures of a step: the product's plane, and the arrays on which folds are.

import { make, put } from "../frame/dom.js";
import { count } from "../frame/words.js";
import { BOX, ROOM, rectangle, tiled } from "./plane.js";

const LEAST = 5; // px of the current fold, however small it is
const MARKS = 16; // pointers at the edges
const KINDS = { now: "on the array now", done: "done", idle: "idle PEs" };

/** Dots and hatches, so that no colour stands alone; returns what to fill a kind of shape with. */
function makePatterns(svg, id) {
  const defs = make("defs", {}, svg);
  const pattern = (kind, size, d) => {
    const found = make("pattern", { id: `${id}-${kind}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, defs);
    make("rect", { width: size, height: size, class: `astra-back-${kind}` }, found);
    make("path", { d, class: `astra-mark-${kind}` }, found);
  };
  pattern("done", 8, "M2 1v2M1 2h2M6 5v2M5 6h2");
  pattern("idle", 7, "M-1 1L1 -1M0 7L7 0M6 8L8 6M-1 6L1 8M0 0L7 7M6 -1L8 1");
  return (kind) => (kind === "now" ? null : `url(#${id}-${kind})`);
}

export function makeLegend(root, id) {
  const legend = make("p", { class: "astra-legend" }, root);
  for (const [kind, text] of Object.entries(KINDS)) {
    const key = make("span", { class: "astra-key" }, legend);
    const picture = make("svg", { viewBox: "0 0 22 14", "aria-hidden": "true" }, key);
    const fill = makePatterns(picture, `${id}-key-${kind}`)(kind);
    make("rect", { x: 1, y: 1, width: 20, height: 12, class: `astra-fold-${kind}`, fill }, picture);
    make("span", { text }, key);
  }
}

const makePicture = () => make("svg", { viewBox: `0 0 ${BOX.width} ${BOX.height}`, "aria-hidden": "true" });

/** The plane with nothing done yet; returns the shapes that change from step to step. */
export function makePlane(box, id, plane) {
  const { x, y, width, height, data } = plane;
  const svg = makePicture();
  const fill = makePatterns(svg, `${id}-plane`);
  const [middle, centre] = [x + width / 2, y + height / 2];
  make("path", { d: rectangle(x, y, width, height), class: "astra-plane" }, svg);
  const doneShape = make("path", { class: "astra-fold-done", fill: fill("done") }, svg);
  make("path", { d: plane.lines(), class: "astra-fold-lines" }, svg);
  make("path", { d: rectangle(x, y, width, height), class: "astra-frame" }, svg);
  const nowShape = make("path", { class: "astra-fold-now" }, svg);
  const pointers = make("path", { class: "astra-pointers" }, svg);
  const [along, across] = data.axes;
  const scale = plane.exact ? "" : " (not to scale)";
  make("text", { x: middle, y: y - 18, text: `${across} = ${count(data.plane[1])}${scale}` }, svg);
  make("text", { x: x - 20, y: centre, transform: `rotate(-90 ${x - 20} ${centre})`, text: `${along} = ${count(data.plane[0])}` }, svg);
  const planeText = make("text", { x: middle, y: y + height + 22, class: "astra-caption" }, svg);
  box.replaceChildren(svg);
  return { doneShape, nowShape, pointers, planeText };
}

/** The arrays, idle; returns where they are and the shapes that change. */
export function makeArrays(box, id, [rows, columns, arrays]) {
  const { tiles, size, bottom } = tiled(rows, columns, arrays);
  const svg = makePicture();
  const fill = makePatterns(svg, `${id}-array`);
  const all = tiles.map(({ x, y }) => rectangle(x, y, size.width, size.height)).join("");
  make("path", { d: all, class: "astra-fold-idle", fill: fill("idle") }, svg);
  const heldShape = make("path", { class: "astra-fold-now" }, svg);
  const peLines = make("path", { class: "astra-pe-lines" }, svg);
  make("path", { d: all, class: "astra-frame" }, svg);
  const scale = size.exact ? "" : " (not to scale)";
  const name = `${arrays > 1 ? `${count(arrays)} arrays` : "array"} of ${count(rows)} × ${count(columns)} PEs${scale}`;
  const middle = BOX.left + ROOM.width / 2;
  make("text", { x: middle, y: BOX.top - 18, text: name }, svg);
  const arrayText = make("text", { x: middle, y: bottom + 22, class: "astra-caption" }, svg);
  box.replaceChildren(svg);
  return { tiles, heldShape, peLines, arrayText };
}

/** The folds that are on the arrays now, on the plane, with pointers to them at its edges. */
export function drawNow({ nowShape, pointers }, plane, places) {
  const larger = ([x, y, width, height]) => {
    const [w, h] = [Math.max(width, LEAST), Math.max(height, LEAST)];
    return rectangle(x + (width - w) / 2, y + (height - h) / 2, w, h);
  };
  put(nowShape, "d", places.map(larger).join(""));
  const tops = [...new Set(places.map(([left, , width]) => left + width / 2))];
  const sides = [...new Set(places.map(([, top, , height]) => top + height / 2))];
  const few = (marks) => (marks.length > MARKS ? [] : marks);
  const down = few(tops).map((at) => `M${at} ${plane.y - 2}l-4 -8h8z`);
  const right = few(sides).map((at) => `M${plane.x - 2} ${at}l-8 -4v8z`);
  put(pointers, "d", [...down, ...right].join(""));
}
