import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { load } from "./page.js";

const { confront } = await load("instrument/confront.js");
const { changes } = await load("instrument/changes.js");

test("a prediction is confronted in Python's words", () => {
  const cases = JSON.parse(readFileSync(new URL("confronted.json", import.meta.url)));
  assert.ok(cases.length > 90);
  for (const { question, answer, predicted, ...wanted } of cases) {
    assert.deepEqual(confront(question, answer, predicted), wanted, wanted.said);
  }
});

test("what has changed is said with the percent", () => {
  const now = { time: [10, "10 ms"], memory: [5, "5 GiB"], NPUs: [8, "8"] };
  const before = { time: [12, "12 ms"], memory: [5, "5 GiB"], NPUs: [4, "4"] };
  assert.equal(changes("before", now, before), "Against the setting before: time 12 ms → 10 ms (−16.7 %); memory the same; NPUs 4 → 8 (+100.0 %).");
  assert.equal(changes("pinned", { a: [1, "1"] }, { a: [0, "0"] }), "Against the pinned setting: a 0 → 1.");
});

test("nothing is said of a change where there is nothing to compare", () => {
  assert.equal(changes("before", {}, {}, "first step nothing yet → card E"), "");
  assert.equal(changes("before", { time: [10, "10 ms"] }, { memory: [5, "5 GiB"] }), "");
});
