import assert from "node:assert/strict";
import test from "node:test";
import { load, openPage, packed } from "./page.js";

openPage();
const { Run } = await load("timeline/run.js");
const { LOOKS, groundOf, lookOf, opacityOf } = await load("timeline/looks.js");
const { Lanes, onNames, spanAt } = await load("timeline/lanes.js");
const { NAMES, Stretch } = await load("timeline/stretch.js");
const { nearestInLane, nextInLane, nextLane, nextOfKinds } = await load("timeline/going.js");
const { factsOf } = await load("timeline/facts.js");
const { labelsOf } = await load("timeline/chart.js");

// start, end, queued, chunk, kind; compute; exposed; dimension 0 with two rows; dimension 1, on which there is nothing
const SPANS = [
  [0, 10, 0, -1, 0], [20, 40, 20, -1, 1],
  [10, 20, 10, -1, 2],
  [12, 20, 10, 0, 3], [24, 30, 20, 0, 4],
  [14, 24, 10, 1, 3],
];
const column = (type, i) => type.from(SPANS, (span) => span[i]);
const run = new Run({
  total_ns: 40,
  spans: packed(column(Float64Array, 0), column(Float64Array, 1), column(Float64Array, 2), column(Int32Array, 3), column(Int32Array, 4)),
  tracks: [[0, 0, 0, 2], [1, 0, 2, 1], [2, 0, 3, 2], [2, 1, 5, 1], [3, 0, 6, 0]],
  lanes: [
    ["compute", 2, 30, 0, true, "compute"], ["exposed communication", 1, 10, 0, true, "exposed communication"],
    ["dimension 0", 3, 18, 0, false, "dimension 0"], ["dimension 1", 0, 0, 0, false, "dimension 1"],
  ],
  groups: ["NPU 0"],
  kinds: [
    ["conv1", "forward", null, "compute", null, "forward", ""], ["conv10", "weight gradient", null, "compute", null, "weight gradient", ""],
    ["", "", null, "exposed communication", null, "exposed communication", ""],
    ["conv1", "weight gradient", "all-reduce", "reduce-scatter", 2048, "reduce-scatter", ""],
    ["conv1", "weight gradient", "all-reduce", "all-gather", 2048, "all-gather", ""],
  ],
});

/** Three NPUs, each with compute, the time without it in the same line, and a dimension that is shown when it is opened. */
const many = () => new Run({
  total_ns: 10,
  spans: packed(Float64Array.of(0, 5, 0), Float64Array.of(5, 10, 4), Float64Array.of(0, 5, 0), Int32Array.of(-1, -1, -1), Int32Array.of(0, 1, 2)),
  tracks: [[0, 0, 0, 1], [1, 0, 1, 1], [5, 0, 2, 1]],
  lanes: [0, 1, 2].flatMap((npu) => [["compute", true], ["exposed", true], ["dimension 0", false]].map(([short, shut], i) => {
    return [`NPU ${npu}, ${short}`, Number([[1, 1, 0], [0, 0, 1], [0, 0, 0]][npu][i]), 0, npu, shut, short];
  })),
  groups: ["NPU 0", "NPU 1", "NPU 2"],
  kinds: [["a", "compute", null, "compute", null, "compute", ""], ["", "", null, "bubble", null, "bubble", ""], ["", "", null, "message", 1024, "message", ""]],
});

test("rows of a lane are tracks of their own, and every span belongs to one", () => {
  assert.deepEqual(run.lanes.map(({ tracks }) => tracks.length), [1, 1, 2, 1]);
  assert.deepEqual(SPANS.map((_, i) => run.track(i).lane), [0, 0, 1, 2, 2, 2]);
});

test("a stretch of time is clipped: only what it touches, only as long as it lasts", () => {
  const { tracks } = run.lanes[2];
  assert.deepEqual(run.within(tracks[0], 20, 24), [4, 4]);
  assert.deepEqual(run.within(tracks[0], 19, 25), [3, 5]);
  assert.deepEqual(run.busy(run.lanes[2], 0, 40), { spans: 3, busy: 18 });
  assert.deepEqual(run.busy(run.lanes[2], 13, 15), { spans: 2, busy: 2 });
  assert.deepEqual(run.busy(run.lanes[3], 0, 40), { spans: 0, busy: 0 });
});

test("the nearest span within reach", () => {
  const [track] = run.lanes[0].tracks;
  assert.deepEqual([5, 12, 18, 15].map((time) => run.near(track, time, 3)), [0, 0, 1, null]);
});

test("the way of a chunk, whichever of its spans is looked at", () => {
  assert.deepEqual([3, 4].map((span) => run.way(span)), [[3, 4], [3, 4]]);
  assert.deepEqual([0, 5].map((span) => run.way(span)), [[0], [5]]);
});

test("a layer that is named is meant alone; a part of names means them all", () => {
  assert.deepEqual(run.matching("conv1"), { kinds: [true, false, false, true, true], layers: 1, spans: 4 });
  assert.equal(run.matching(" CONV ").layers, 2);
  assert.equal(run.matching("fc"), null);
  assert.equal(run.matching(""), null);
});

test("from span to span in time order, over all rows of a lane", () => {
  const [, , lane] = run.lanes;
  const going = (span, by) => nextInLane(run, lane, span, by);
  assert.deepEqual([3, 5, 4].map((span) => going(span, 1)), [5, 4, null]);
  assert.deepEqual([4, 5, 3].map((span) => going(span, -1)), [5, 3, null]);
  assert.deepEqual([0, 22, 40].map((time) => nearestInLane(run, lane, time)), [3, 5, 4]);
});

test("from lane to lane, past those without spans", () => {
  assert.deepEqual([nextLane(run, undefined, 1), nextLane(run, 0, 1), nextLane(run, 2, 1), nextLane(run, 0, -1)], [0, 1, null, null]);
  assert.equal(nextLane(run, undefined, -1), 2);
});

test("among what is highlighted, round and round", () => {
  const { kinds } = run.matching("conv1");
  assert.deepEqual([null, 0, 3, 5, 4].map((span) => nextOfKinds(run, kinds, span)), [0, 3, 5, 4, 0]);
});

test("what is shown stays inside the run, at least two ns and at most all of it", () => {
  const stretch = Object.assign(new Stretch(), { total: 40, width: NAMES + 400 });
  const looked = (from, to) => (stretch.look(from, to), [stretch.from, stretch.to]);
  assert.deepEqual(looked(-10, 10), [0, 20]);
  assert.deepEqual(looked(35, 45), [30, 40]);
  assert.deepEqual(looked(10, 10.1), [10, 12]);
  assert.deepEqual(looked(-99, 99), [0, 40]);
  assert.ok(stretch.whole);
  assert.deepEqual([stretch.x(10), stretch.time(stretch.x(10))], [NAMES + 100, 10]);
});

test("what is not in sight is brought to the middle; what is longer than the sight needn't be all in it", () => {
  const stretch = Object.assign(new Stretch(), { total: 40 });
  stretch.look(0, 10);
  assert.equal(stretch.showing(2, 8), null);
  assert.deepEqual(stretch.showing(8, 12), [5, 15]);
  assert.deepEqual(stretch.showing(20, 22), [16, 26]);
  assert.equal(stretch.showing(5, 30), null);
  assert.deepEqual(stretch.showing(20, 40), [20, 30]);
});

test("lanes are below each other, their rows packed into them; a point finds lane, row and span", () => {
  const lanes = new Lanes(run);
  const { height } = lanes;
  assert.deepEqual([lanes.many, lanes.folds.size, lanes.seen], [false, 0, height]);
  const stretch = Object.assign(new Stretch(), { total: 40, width: NAMES + 400 });
  stretch.look(0, 40);
  for (const [i, lane] of run.lanes.entries()) {
    const next = run.lanes[i + 1];
    assert.ok(lane.y + lane.height < (next ? next.y : height));
    assert.equal(lane.height, lane.row * lane.tracks.length);
  }
  SPANS.forEach(([start, end], span) => {
    const { lane, row } = run.track(span);
    const { y, row: high } = run.lanes[lane];
    assert.equal(spanAt(run, lanes, stretch, stretch.x((start + end) / 2), y + (row + 0.5) * high), span);
  });
  assert.equal(spanAt(run, lanes, stretch, stretch.x(15), run.lanes[0].y + 1), null);
  assert.equal(spanAt(run, lanes, stretch, 10, run.lanes[0].y + 1), null);
  assert.equal(spanAt(run, lanes, stretch, stretch.x(5), 0), null);
});

test("of several NPUs each has one line until it is opened, and what is open stays open for another run", () => {
  const run = many();
  const lanes = new Lanes(run);
  const shown = () => run.lanes.filter(({ hidden }) => !hidden).map(({ y }) => y);
  assert.equal(new Set(shown()).size, 3);
  assert.deepEqual(run.lanes.map(({ hidden }) => hidden), Array(3).fill([false, false, true]).flat());
  const closed = lanes.height;
  assert.ok(lanes.toggle(1));
  assert.deepEqual(run.lanes.slice(3, 6).map(({ hidden }) => hidden), [false, false, false]);
  assert.ok(lanes.height > closed && new Set(shown()).size === 5);
  assert.equal(lanes.toggle(7), false);
  assert.deepEqual([...new Lanes(many(), lanes.open).open], [1]);
  lanes.toggleAll();
  assert.equal(lanes.height, closed);
  lanes.toggleAll();
  assert.equal(new Set(shown()).size, 9);
});

test("many lanes scroll: what is in sight, and how far to go to see a lane", () => {
  const lanes = Object.assign(new Lanes(many(), new Set([0, 1, 2])), { seen: 100 });
  const [first, last] = [lanes.lanes[0], lanes.lanes.at(-2)];
  assert.deepEqual([lanes.inSight(first, 0), lanes.inSight(last, 0)], [true, false]);
  const top = lanes.scrollTo(last, 0);
  assert.ok(lanes.inSight(last, top) && last.y + last.height <= top + 100);
  assert.equal(lanes.scrollTo(first, 0), 0);
});

test("in a line of several lanes a point finds the nearest span; lanes that are hidden are skipped", () => {
  const run = many();
  const lanes = new Lanes(run);
  const stretch = Object.assign(new Stretch(), { total: 10, width: NAMES + 100 });
  stretch.look(0, 10);
  const at = (time) => spanAt(run, lanes, stretch, stretch.x(time), run.lanes[0].y + 2);
  assert.deepEqual([at(2), at(8)], [0, 1]);
  assert.ok(onNames(20) && !onNames(NAMES));
  assert.deepEqual([nextLane(run, 0, 1), nextLane(run, 1, 1)], [1, null]);
  lanes.toggle(1);
  assert.equal(nextLane(run, 1, 1), 5);
});

test("to zoom, pan and look around", () => {
  const stretch = Object.assign(new Stretch(), { total: 40, from: 10, to: 20 });
  assert.deepEqual([stretch.zoomed(0.5, 12), stretch.panned(0.5), stretch.around(4, 8)], [[11, 16], [15, 25], [3, 9]]);
});

test("facts of a chunk's span, of compute, of exposed communication", () => {
  const facts = (span) => [factsOf(run, span)[0], Object.fromEntries(factsOf(run, span)[1])];
  const [heading, chunk] = facts(4);
  assert.equal(heading, "conv1, weight gradient: all-gather");
  assert.deepEqual([chunk.chunk, chunk.brings, chunk.waited, chunk.lasts], ["0, phase 2 of 2", "2 KiB", "4 ns", "6 ns (15.0 % of the run)"]);
  assert.deepEqual(facts(0), ["conv1: forward", { on: "compute", starts: "0 ns", ends: "10 ns", lasts: "10 ns (25.0 % of the run)" }]);
  assert.equal(facts(2)[1].meanwhile, "dimension 0 busy 80.0 %, dimension 1 busy 0.0 %");
  assert.deepEqual([factsOf(many(), 1)[0], factsOf(many(), 2)[0]], ["bubble", "a message of 1 KiB"]);
});

test("labels, the longest first; a phase nobody knows gets letters and a look of its own", () => {
  assert.deepEqual(labelsOf(run, 3), ["conv1 reduce-scatter, chunk 0", "conv1 RS 0", "RS 0", "RS"]);
  assert.deepEqual(labelsOf(run, 0), ["conv1 forward", "conv1 F", "F"]);
  assert.deepEqual([0, 1, 2].map((span) => labelsOf(many(), span)), [["a"], ["bubble", "bubble"], ["1 KiB"]]);
  const known = LOOKS.length;
  const look = lookOf("my own-phase");
  assert.deepEqual([look, LOOKS[look].letters, lookOf("my own-phase")], [known, "MOP", known]);
});

test("no two looks that can meet in a lane are told apart by colour alone", () => {
  const seen = LOOKS.slice(0, 8).map(({ letters, hatch }) => letters + hatch);
  assert.equal(new Set(seen).size, seen.length);
  const bubble = LOOKS[lookOf("bubble")];
  assert.deepEqual([opacityOf(bubble) < 1, groundOf(bubble), opacityOf(LOOKS[1]), groundOf(LOOKS[1])], [true, "", 1, LOOKS[1].fill]);
});
