import assert from "node:assert/strict";
import test from "node:test";
import { Element, Model, load, openPage, packed } from "./page.js";

openPage();
const { Plane, ROOM, fitted, rectangle, tiled } = await load("folds/plane.js");
const { figures, sentence, taken } = await load("folds/said.js");
const { Controls } = await load("folds/controls.js");

/** A plane of 6 × 4 in folds of 4 × 4 at most, for two products, on one array. */
const data = (arrays = 1) => ({
  folds: packed(...[[0, 0, 1, 1], [0, 0, 0, 0], [0, 4, 0, 4], [4, 2, 4, 2], [0, 0, 0, 0], [4, 4, 4, 4]].map((column) => Float64Array.from(column))),
  plane: [6, 4], grid: [2, 1], array: [4, 4, arrays], axes: ["K", "N", "M"], products: 2, holds: "weight",
  first: [0, 1, 2, 3], end: [9, 19, 29, 39], fold_cycles: 10, held: [1, 0.5, 1, 0.5], done: [0.4, 0.3, 0.4, 0.3],
  fold_count: 4, rounds: 4, cycles: 40, mapping: 0.75, compute: 0.3,
});

test("what fits is to scale, what is too long isn't and says so", () => {
  assert.deepEqual(fitted(2, 4, 100, 100), { width: 100, height: 50, exact: true });
  assert.deepEqual(fitted(4, 2, 100, 100), { width: 50, height: 100, exact: true });
  const long = fitted(1, 1000, 100, 100);
  assert.deepEqual([long.width / long.height, long.exact], [4, false]);
});

test("arrays are packed into the room without overlapping", () => {
  for (const [rows, columns, arrays] of [[16, 16, 1], [16, 16, 4], [8, 128, 7], [128, 8, 64], [1, 1, 256]]) {
    const { tiles, size, bottom } = tiled(rows, columns, arrays);
    assert.equal(new Set(tiles.map(({ x, y }) => `${x} ${y}`)).size, arrays);
    const right = Math.max(...tiles.map(({ x }) => x)) + size.width;
    assert.ok(right - Math.min(...tiles.map(({ x }) => x)) <= ROOM.width + 1e-9);
    assert.ok(bottom - tiles[0].y <= ROOM.height + 1e-9);
    for (const [i, a] of tiles.entries()) {
      for (const b of tiles.slice(i + 1)) assert.ok(Math.abs(a.x - b.x) >= size.width - 1e-9 || Math.abs(a.y - b.y) >= size.height - 1e-9);
    }
  }
});

test("folds are where their rows and columns say, and those that are done are one outline", () => {
  const plane = new Plane(data());
  const [across, down] = plane.scale;
  assert.equal(plane.count, 4);
  assert.deepEqual(plane.place(1), [plane.x, plane.y + 4 * down, 4 * across, 2 * down]);
  assert.deepEqual([0, 1, 4].map((step) => plane.round(step)), [[0, 0], [0, 1], [3, 4]]);
  assert.equal(plane.done(0, 2), rectangle(plane.x, plane.y, plane.width, plane.height));
  assert.equal(plane.done(1, 2), "");
  assert.equal(plane.done(1, 3), rectangle(plane.x, plane.y, 4 * across, 4 * down));
});

test("lines between folds and between PEs, where there is room for them", () => {
  const plane = new Plane(data());
  assert.equal(plane.lines().match(/M/g).length, 1);
  const { tiles } = tiled(4, 4, 1);
  const { held, lines } = plane.held([1], tiles);
  assert.equal(held, rectangle(tiles[0].x, tiles[0].y, 4 * tiles[0].across, 2 * tiles[0].down));
  assert.equal(lines.match(/M/g).length, 3 + 1);
  assert.equal(plane.held([1], [{ ...tiles[0], across: 2 }]).lines, "");
});

test("a fold in words and numbers", () => {
  const plane = new Plane(data());
  assert.match(sentence(plane, [0, 0], 0), /^Before the first of 4 folds/);
  assert.equal(sentence(plane, [1, 2], 2), "Fold 2 of 4, cycles 10 to 19: K 4 to 5 along the rows, N 0 to 3 along the columns; 50.0 % of the PEs hold a weight.");
  assert.equal(taken(plane, [1, 2], 2), "2 × 4 PEs hold a weight, 8 idle");
  assert.equal(taken(plane, [0, 0], 0), "nothing yet");
  assert.deepEqual(figures(data(), [1, 2], 2), ["2 of 4", "19 of 40", "50.0 % now, 75.0 % as a mean", "30.0 % so far, 30.0 % at the end"]);
  assert.match(sentence(new Plane(data(2)), [0, 2], 1), /^Round 1 of 4, folds 1 to 2, .*one fold on each of 2 arrays; 100.0 % of all PEs/);
});

test("the latest wish waits for the answer to the last", () => {
  const model = new Model({});
  const controls = new Controls(new Element("div"), model, "id");
  const values = { m: 64, n: 48, k: 40, rows: 16, columns: 16, count: 1, dataflow: "weight", products: 3 };
  controls.show(values);
  const { exact, slider } = controls.inputs.m;
  assert.deepEqual([exact.value, slider.attributes["aria-valuetext"], controls.box.hidden], [64, "64", false]);
  const wish = (text) => ((exact.value = text), exact.fire("change"));
  wish("96");
  const first = model.get("asked");
  assert.deepEqual([first.m, first.products, first.number], [96, 3, "id.1"]);
  wish("128");
  wish("");
  assert.equal(model.get("asked"), first);
  controls.show(values);
  assert.equal(exact.value, "", "what somebody is just typing stays");
  controls.answered(first.number);
  controls.askAgain();
  assert.deepEqual([model.get("asked").m, model.get("asked").number], [null, "id.2"]);
});

test("a saved page has no controls, as nobody would answer", () => {
  const controls = new Controls(new Element("div"), new Model({ live: false }), "id");
  controls.show({ dataflow: "weight" });
  assert.ok(controls.box.hidden);
});
