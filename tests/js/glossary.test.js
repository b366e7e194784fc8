import assert from "node:assert/strict";
import test from "node:test";
import { load, openPage } from "./page.js";

openPage();
const { Glossary, firsts } = await load("frame/glossary.js");
const GLOSSARY = { pattern: "(?<![\\w-])(?:[aA]ll-reduces|[aA]ll-reduce|NPU)(?![\\w-])", forms: { "all-reduces": 0, "all-reduce": 0, npu: 1 }, meanings: ["a sum", "a GPU"] };

test("the first of each word counts, whatever its form", () => {
  const [a, b] = [{ data: "npu, re-all-reduce, All-reduces" }, { data: "an all-reduce of an NPU, an NPU" }];
  assert.deepEqual([...firsts([a, b], GLOSSARY)], [
    [0, [a, 20, 31]],
    [1, [b, 20, 23]],
  ]);
});

test("without words, as node has it, nothing is marked", () => {
  new Glossary({}).end();
});
