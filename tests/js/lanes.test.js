import assert from "node:assert/strict";
import test from "node:test";
import { load, openPage, packed } from "./page.js";

openPage();
const { Run } = await load("timeline/run.js");
const { NAMES, Stretch } = await load("timeline/stretch.js");
const { AXIS, LOW, Lanes, NEXT, onNames, spanAt } = await load("timeline/lanes.js");
const { cut, nameOf } = await load("timeline/names.js");
const { nextInLane, nextLane } = await load("timeline/going.js");
const { factsOf } = await load("timeline/facts.js");
const { labelsOf } = await load("timeline/chart.js");

const NPUS = 64;
const LANES = ["compute", "exposed communication", "dimension 0"];

/** 64 NPUs: each computes until 10, waits until 20 for chunk 0 on dimension 0; then a link with a message. */
function runOf(npus) {
  const spans = Array.from({ length: npus }, () => [[0, 10, 0, -1, 0], [10, 20, 10, -1, 1], [10, 20, 10, 0, 2]]).flat();
  spans.push([12, 16, 10, -1, 3]);
  const column = (type, i) => type.from(spans, (span) => span[i]);
  const groups = Array.from({ length: npus }, (_, npu) => `NPU ${npu}`);
  const lanes = groups.flatMap((name, npu) => LANES.map((lane, i) => [`${name}, ${lane}`, 1, 10, npu, i < 2, i === 1 ? "exposed" : lane]));
  return new Run({
    total_ns: 20,
    spans: packed(column(Float64Array, 0), column(Float64Array, 1), column(Float64Array, 2), column(Int32Array, 3), column(Int32Array, 4)),
    groups: [...groups, "links, busiest first"],
    lanes: [...lanes, ["0 → 1", 1, 4, npus, false, "0 → 1"]],
    tracks: spans.map((_, i) => [i, 0, i, 1]),
    kinds: [
      ["backward 1", "compute", null, "compute", null, "compute", ""], ["", "", null, "exposed communication", null, "exposed communication", ""],
      ["gradients", "all-reduce", "all-reduce", "all-reduce", 2048, "all-reduce", ""], ["", "", null, "message", 1024, "message", ""],
    ],
  });
}

function opened(npus = NPUS) {
  const run = runOf(npus);
  return { run, lanes: new Lanes(run), stretch: Object.assign(new Stretch(), { total: 20, from: 0, to: 20, width: NAMES + 400 }) };
}

test("closed, an NPU is one line: compute and the time without it share it, the rest is hidden", () => {
  const { run, lanes } = opened();
  for (let npu = 0; npu < NPUS; npu += 1) {
    const [compute, exposed, dimension] = run.lanes.slice(3 * npu);
    assert.equal(exposed.y, compute.y);
    assert.deepEqual([compute, exposed, dimension].map(({ hidden }) => hidden), [false, false, true]);
    assert.ok(run.lanes[3 * npu + 3].y > compute.y + compute.height);
  }
  assert.equal(run.lanes.at(-1).hidden, false); // the first link stands for all
  assert.ok(lanes.seen < 650 && lanes.height > 1200);
});

test("opened, its lanes are below each other, and those after it make room; closed again, all is as before", () => {
  const { run, lanes } = opened();
  const before = lanes.height;
  assert.ok(lanes.toggle(2));
  const [compute, exposed, dimension, next] = run.lanes.slice(6);
  assert.ok(compute.y < exposed.y && exposed.y < dimension.y && dimension.y < next.y);
  assert.equal(dimension.hidden, false);
  assert.ok(lanes.height > before);
  lanes.toggle(2);
  assert.equal(lanes.height, before);
  lanes.toggleAll();
  assert.ok(run.lanes.every(({ hidden }) => !hidden));
  lanes.toggleAll();
  assert.equal(lanes.height, before);
});

test("what cannot be closed stays open, and another run keeps open what it has, too", () => {
  const { lanes } = opened();
  assert.equal(lanes.toggle(99), false);
  lanes.toggle(1);
  lanes.toggle(40);
  assert.deepEqual([...new Lanes(runOf(4), lanes.open).open], [1]);
});

test("a point in a closed line finds the span there, of whichever lane; below the axis only", () => {
  const { run, lanes, stretch } = opened();
  const y = run.lanes[15].y + 5; // NPU 5
  assert.deepEqual([4, 15].map((time) => spanAt(run, lanes, stretch, stretch.x(time), y)), [15, 16]);
  assert.equal(spanAt(run, lanes, stretch, stretch.x(4), y, y - AXIS), 15);
  assert.equal(spanAt(run, lanes, stretch, stretch.x(4), y, y - 10), null);
  assert.ok(onNames(30) && !onNames(NAMES + 1));
  assert.equal(lanes.at(y)[0].group, 5);
});

test("as far is scrolled as a lane needs to be seen, and no further", () => {
  const { run, lanes } = opened();
  const [first, last] = [run.lanes[0], run.lanes.at(-1)];
  assert.equal(lanes.scrollTo(first, 0), 0);
  const top = lanes.scrollTo(last, 0);
  assert.ok(last.y >= top + AXIS && last.y + last.height <= top + lanes.seen);
  assert.ok(lanes.inSight(last, top) && !lanes.inSight(last, 0) && !lanes.inSight(first, top));
  assert.equal(lanes.scrollTo(first, top), first.y - AXIS);
  assert.equal(lanes.inSight(run.lanes[2], 0), false);
});

test("names: a closed NPU's own, an open one's before its first lane", () => {
  const { run, lanes } = opened();
  lanes.toggle(1);
  assert.deepEqual([0, 3, 4, 5].map((i) => nameOf(run, run.lanes[i])), ["NPU 0", "NPU 1, compute", "exposed", "dimension 0"]);
});

test("links have a line for the name of them all while they are open, and it closes them", () => {
  const run = runOf(2);
  const lanes = new Lanes(run);
  const first = run.lanes.at(-1);
  assert.equal(lanes.heads.size, 0);
  assert.equal(nameOf(run, first), "links, busiest first");
  const closed = first.y;
  lanes.toggle(2);
  assert.deepEqual([...lanes.heads], [[2, closed]]);
  assert.equal(first.y, closed + LOW + NEXT);
  assert.deepEqual([closed + 1, first.y + 1, 0].map((y) => lanes.groupAt(y)), [2, 2, undefined]);
  assert.deepEqual(lanes.at(closed + 1), []);
  assert.equal(nameOf(run, first, true), "0 → 1");
  lanes.toggle(0);
  assert.deepEqual([...lanes.heads.keys()], [2]); // an NPU's first lane has its name
  lanes.toggle(2);
  assert.equal(lanes.heads.size, 0);
});

test("a name that is too long is cut, and the dots have room, too", () => {
  const wide = (text) => text.length;
  assert.deepEqual([10, 9, 4, 1].map((room) => cut("64 of 192 ", room, wide)), ["64 of 192 ", "64 of 19…", "64 …", "…"]);
});

test("from lane to lane past what is hidden", () => {
  const { run, lanes } = opened();
  assert.deepEqual([nextLane(run, 1, 1), nextLane(run, 3, -1)], [3, 1]);
  lanes.toggle(0);
  assert.equal(nextLane(run, 1, 1), 2);
  assert.equal(nextInLane(run, run.lanes[2], 2, 1), null);
});

test("a chunk's way and what dimensions carry meanwhile are an NPU's own; a message has its size", () => {
  const { run } = opened();
  assert.deepEqual(run.way(3 * 7 + 2), [3 * 7 + 2]);
  const facts = (span) => [factsOf(run, span)[0], Object.fromEntries(factsOf(run, span)[1])];
  assert.equal(facts(4)[1].meanwhile, "dimension 0 busy 100.0 %");
  assert.equal(facts(5)[0], "gradients: all-reduce");
  const [heading, message] = facts(3 * NPUS);
  assert.deepEqual([heading, message.on, message.waited], ["a message of 1 KiB", "0 → 1", "2 ns"]);
  assert.deepEqual([labelsOf(run, 3 * NPUS), labelsOf(run, 0)], [["1 KiB"], ["backward 1"]]);
});
