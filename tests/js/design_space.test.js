import assert from "node:assert/strict";
import test from "node:test";
import { load, openPage, packed } from "./page.js";

openPage();
const { Points, distinct, frontier, isWide, numberWords, rangeOf, scaleOf, valueIn } = await load("design_space/points.js");
const { Brushes, placesOf } = await load("design_space/brushes.js");
const { cellsOf } = await load("design_space/heat.js");

/** columns: [name, values, {setting, words, unit}]; errors: [row, sentence]. */
const table = (columns, errors = []) => new Points({
  title: "", rows: columns[0][1].length, errors, labels: columns[0][1].map((_, k) => String(k)),
  columns: columns.map(([name, , more]) => ({ name, unit: "", setting: false, words: null, ...more })),
  numbers: packed(...columns.map(([, values]) => Float64Array.from(values))),
});

/** A small generator of whole numbers, the same every time. */
function* drawn(seed) {
  for (let x = seed; ; ) yield (x = (x * 1103515245 + 12345) % 2147483648) >> 8;
}

test("the frontier is who isn't beaten by another point", () => {
  const next = drawn(7);
  for (let trial = 0; trial < 300; trial += 1) {
    const values = () => Array.from({ length: 12 }, () => [NaN, Infinity, 0, 1, 2, 3, 4, 5][next.next().value % 8]);
    const points = table([["x", values()], ["y", values()]], [[3, "failed"]]);
    const [x, y] = points.columns;
    const better = { x: trial % 2 ? "more" : "less", y: trial % 3 ? "more" : "less" };
    const good = (row) => [x, y].map(({ name, values }) => (better[name] === "more" ? -1 : 1) * values[row]);
    const all = points.whole([x, y]);
    assert.ok(!all.includes(3));
    const beaten = (row) => all.some((other) => {
      const [a, b] = good(row), [c, d] = good(other);
      return c <= a && d <= b && (c < a || d < b);
    });
    assert.deepEqual(frontier(points, x, y, better).sort((a, b) => a - b), all.filter((row) => !beaten(row)));
  }
});

test("values are said with their unit, and missing ones as none", () => {
  assert.equal(valueIn({ unit: "ns" }, 45681), "45.681 µs");
  assert.equal(valueIn({ unit: "bytes" }, 2 ** 20), "1 MiB");
  assert.equal(valueIn({ unit: "GB/s" }, 12.5), "12.5 GB/s");
  assert.equal(valueIn({ unit: "", words: ["Ring", "Switch"] }, 1), "Switch");
  assert.equal(valueIn({ unit: "" }, NaN), "none");
  assert.equal(valueIn({ unit: "" }, Infinity), "∞");
  assert.deepEqual([1234567, 0.1 + 0.2, 1e-7, 2e15, -3, 0].map(numberWords), ["1,234,567", "0.3", "1.000e-7", "2.000e+15", "-3", "0"]);
});

test("an axis has its values in order, at any size, even or by powers", () => {
  for (const values of [[1e-9, 3e-9], [5, 7], [1, 1e6], [-4, 4], [12, 12], [0, 0], [2e17, 3e17]]) {
    for (const log of [false, true]) {
      const column = table([["a", values]]).columns[0];
      const range = rangeOf(column, log);
      assert.equal(range.log, log && values[0] > 0);
      const scale = scaleOf(column, range, 0, 1000);
      const places = values.map(scale.at);
      assert.ok(places[0] > 0 && places[1] < 1000, String(values));
      assert.equal(places[0] < places[1], values[0] < values[1]);
      values.forEach((value, k) => assert.ok(Math.abs(scale.from(places[k]) - value) <= 1e-9 * Math.abs(value)));
      assert.ok(scale.ticks.length >= 2 && scale.ticks.length < 30, `${values} ${scale.ticks}`);
      assert.ok(scale.ticks.every((tick) => scale.at(tick) > -1 && scale.at(tick) < 1001));
    }
  }
});

test("a few values of a setting have a tick each; wide ones go by powers", () => {
  const points = table([["npus", [4, 16, 8, 4], { setting: true }], ["time", [1, 2, 3, 100]], ["zero", [0, 1, 2, 1e6]]]);
  const [npus, time, zero] = points.columns;
  assert.deepEqual(scaleOf(npus, rangeOf(npus, false), 0, 100).ticks, [4, 8, 16]);
  assert.deepEqual(distinct(npus), [4, 8, 16]);
  assert.deepEqual([npus, time, zero].map(isWide), [false, true, false]);
});

test("brushes leave the points that are in all of them", () => {
  const points = table([["a", [1, 2, 3, 4, NaN, 2]], ["b", [5, 6, 7, 8, 9, 6]]], [[5, "failed"]]);
  const [a, b] = points.columns;
  const brushes = new Brushes();
  assert.ok(!brushes.any);
  brushes.set(a, 3, 2);
  assert.deepEqual(brushes.rows(points), [1, 2]);
  brushes.set(b, 7, 10);
  assert.deepEqual(brushes.rows(points), [2]);
  brushes.clear(a);
  assert.deepEqual(brushes.rows(points), [2, 3, 4]);
  brushes.clear();
  assert.deepEqual(brushes.rows(points), [0, 1, 2, 3, 4]);
});

test("keys move a brush from value to value, and its upper end alone", () => {
  const [a] = table([["a", [1, 2, 4, 8]]]).columns;
  const brushes = new Brushes();
  const after = (by, end) => (brushes.step(a, by, end), brushes.get(a));
  assert.deepEqual(after(1), [1, 1]);
  assert.deepEqual(after(1), [2, 2]);
  assert.deepEqual(after(1, true), [2, 4]);
  assert.deepEqual(after(1), [4, 8]);
  assert.deepEqual(after(1), [4, 8]);
  assert.deepEqual(after(-1, true), [4, 4]);
  assert.deepEqual(after(-1, true), [4, 4]);
  brushes.clear();
  assert.deepEqual(after(-1), [8, 8]);
  const [many] = table([["m", Array.from({ length: 500 }, (_, k) => k)]]).columns;
  assert.equal(placesOf(many).length, 21);
  assert.deepEqual([placesOf(many)[0], placesOf(many).at(-1)], [0, 499]);
});

test("a cell has the best of its points, in either direction", () => {
  const points = table([
    ["a", [1, 1, 2, 2, 1, 2], { setting: true }], ["b", [0, 0, 0, 1, 1, 1], { setting: true, words: ["x", "y"] }],
    ["c", [7, 8, 7, 7, 7, 8], { setting: true }], ["m", [5, 3, 9, 1, NaN, 4]],
  ], [[3, "failed"]]);
  const chosen = { across: "a", down: "b", measure: "m", where: {}, better: {} };
  const rows = (more) => cellsOf(points, { ...chosen, ...more }).cells.map((cells) => cells.map(({ row }) => row));
  assert.deepEqual(rows({}), [[1, 2], [null, 5]]);
  assert.deepEqual(rows({ better: { m: "more" } }), [[0, 2], [null, 5]]);
  assert.deepEqual(rows({ where: { c: "7" } }), [[0, 2], [null, null]]);
  assert.equal(cellsOf(points, chosen).cells[1][1].failed, 1);
  assert.equal(cellsOf(points, chosen).cells[0][0].count, 2);
});

test("measures that are another one at every point are found", () => {
  const points = table([["a", [1, NaN, 3]], ["b", [1, NaN, 3]], ["c", [1, 2, 3]], ["d", [1, NaN, 3]]]);
  assert.deepEqual([...points.twins()].map(([one, other]) => [one.name, other.name]), [["b", "a"], ["d", "a"]]);
});
