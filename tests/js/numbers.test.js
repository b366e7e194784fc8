import assert from "node:assert/strict";
import test from "node:test";
import { load, packed } from "./page.js";

const { clamp, columns, firstWhere, nearest, neighbour, tickStep, upTo } = await load("frame/numbers.js");

test("clamp keeps within bounds", () => {
  assert.deepEqual([-1, 0.5, 7].map((x) => clamp(x, 0, 1)), [0, 0.5, 1]);
});

test("upTo counts like a scan, for every place in and around the numbers", () => {
  const numbers = [0, 1, 1, 3, 8];
  for (const x of [-1, 0, 0.5, 1, 2, 3, 7, 8, 9]) assert.equal(upTo(numbers, x), numbers.filter((n) => n <= x).length);
  assert.equal(upTo([], 1), 0);
});

test("firstWhere finds the first, or the end", () => {
  for (let first = 3; first <= 9; first += 1) assert.equal(firstWhere(3, 9, (i) => i >= first), first);
});

test("the neighbour of an event is the next or previous one; between events, the one on that side", () => {
  const events = [0, 10, 20];
  assert.deepEqual([0, 5, 10, 20].map((x) => neighbour(events, x, 1)), [10, 10, 20, 20]);
  assert.deepEqual([0, 5, 10, 20].map((x) => neighbour(events, x, -1)), [0, 0, 0, 10]);
});

test("the nearest value, the first of two that are as near", () => {
  assert.deepEqual([0, 11, 15, 99].map((x) => nearest([10, 20, 30], x)), [0, 0, 0, 2]);
});

test("columns are the same from Python's bytes and from a saved page's base64", () => {
  const [times, kinds] = [Float64Array.of(1.5, -2, 1e300), Int32Array.of(-1, 7, 9)];
  const bytes = packed(times, kinds);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  for (const sent of [bytes, text]) assert.deepEqual(columns(sent, [Float64Array, Int32Array]), [times, kinds]);
});

test("ticks are 1, 2 or 5 times a power of ten, wide enough, and the whole where nothing fits", () => {
  for (const length of [3, 100, 12_345, 9e9]) {
    const step = tickStep(length, (step) => length / step <= 12);
    assert.ok(length / step <= 12 && [1, 2, 5].includes(Math.round(step / 10 ** Math.floor(Math.log10(step) + 1e-9))));
  }
  assert.equal(tickStep(50, () => false), 50);
  assert.equal(tickStep(2, () => true, 1), 1);
});
