import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.js";

const { bytes, count, fill, moment, nanoseconds, percent, ranges, several, tick } = await load("frame/words.js");

test("times in the unit that suits them, to the ns", () => {
  const said = { 0: "0 ns", 9_999: "9,999 ns", 10_000: "10.000 µs", 99_999_999: "99,999.999 µs", 1_404_443_125: "1,404.443125 ms" };
  for (const [ns, text] of Object.entries(said)) assert.equal(nanoseconds(Number(ns)), text);
  assert.equal(nanoseconds(0.5), "0.5 ns");
  assert.equal(nanoseconds(500, 1e6), "0.500 µs");
});

test("a moment is whole ns in the unit of the whole", () => {
  assert.equal(moment(1234.56, 9_000), "1,235 ns");
  assert.equal(moment(1234.56, 20_000), "1.235 µs");
});

test("sizes with binary units", () => {
  const said = { 0: "0 B", 1023: "1,023 B", 1024: "1 KiB", 1_572_864: "1.5 MiB", 1_099_511_627_776: "1 TiB" };
  for (const [size, text] of Object.entries(said)) assert.equal(bytes(Number(size)), text);
  assert.equal(bytes(2 ** 52), "4,096 TiB");
});

test("ticks have the digits that their step needs", () => {
  assert.equal(tick(2_500, 500, 1e3), "2.5");
  assert.equal(tick(2_000, 1_000, 1e3), "2");
  assert.equal(tick(1_000_000, 1_000_000, 1), "1,000,000");
});

test("counts, shares, ranges, and gaps that are filled", () => {
  assert.deepEqual([count(65_536), percent(0.125), several(1, "link"), several(2, "link")], ["65,536", "12.5 %", "1 link", "2 links"]);
  assert.deepEqual([[], [3], [0, 1], [0, 1, 2, 5]].map(ranges), ["", "3", "0, 1", "0–2, 5"]);
  assert.equal(fill("{who} sends {what} to {who}", { who: "NPU 1", what: 0 }), "NPU 1 sends 0 to NPU 1");
});
