import assert from "node:assert/strict";
import test from "node:test";
import { Model, load, openPage } from "./page.js";

const page = openPage();
const { Film, along, halfWay, progress } = await load("player/film.js");
const { Deck } = await load("player/deck.js");
const { sentence } = await load("player/said.js");

// source, destination, shards, sets they then have, label, when it is sent within the step, start and end in ns
const token = (from, to, shard, set, start, end) => [from, to, [shard], [set], `X${shard}`, 0, start, end];

/** Two NPUs add up shard 0 at NPU 1 and hand it back. */
const data = () => ({
  names: ["X0"],
  npus: 2,
  number: 7,
  reducing: true,
  step_count: 2,
  start: [[0, 0, 1], [1, 0, 2]],
  steps: [
    { spread: 0, phase: "reduce", op: "reduce", text: "Step 1 of 2, reduce: all", tokens: [token(0, 1, 0, 3, 0, 100)] },
    { spread: 0, phase: "copy", op: "copy", text: "Step 2 of 2, copy: all", tokens: [token(1, 0, 0, 3, 150, 400)] },
  ],
  marks: [0, 150, 400],
  sets: [["", "nothing", 0], ["0", "NPU 0", 1], ["1", "NPU 1", 1], ["✓", "all", 2]],
  words: { send: "NPU {source} sends {shards}{holding} to NPU {destination}", nothing: "NPU {npu} rests", own: "its own data" },
});

test("who holds what at which position, by both clocks", () => {
  const film = new Film(data());
  const held = (position, clock) => [0, 1].map((npu) => film.held(npu, 0, position, clock));
  assert.deepEqual([0, 0.9, 1, 1.5, 2].map((beats) => held(beats, "steps")), [[1, 2], [1, 2], [1, 3], [1, 3], [3, 3]]);
  assert.deepEqual([0, 99, 100, 399, 400].map((ns) => held(ns, "time")), [[1, 2], [1, 2], [1, 3], [1, 3], [3, 3]]);
});

test("a position belongs to the step that it is in or ends", () => {
  const film = new Film(data());
  assert.deepEqual([0, 0.1, 1, 1.1, 2].map((beats) => film.step(beats, "steps")), [0, 1, 1, 2, 2]);
  assert.deepEqual([0, 1, 150, 151, 400].map((ns) => film.step(ns, "time")), [0, 1, 1, 2, 2]);
});

test("a step on ends the step that is under way, a step back goes before it", () => {
  const film = new Film(data());
  assert.deepEqual([0, 75, 150, 400].map((ns) => film.after(ns, "time")), [150, 150, 400, 400]);
  assert.deepEqual([0, 75, 150, 400].map((ns) => film.after(ns, "time", -1)), [0, 0, 0, 150]);
});

test("from clock to clock and back is the same place", () => {
  const film = new Film(data());
  for (const beats of [0, 0.25, 1, 1.5, 2]) assert.equal(film.convert(film.convert(beats, "steps", "time"), "time", "steps"), beats);
  assert.equal(film.convert(0.5, "steps", "time"), 75);
});

test("a token's way, and half of it where nothing moves", () => {
  const [step] = data().steps;
  assert.equal(progress(step, 0, step.tokens[0], 0.25, "steps"), 0.25);
  assert.equal(progress(step, 0, step.tokens[0], 50, "time"), 0.5);
  assert.equal(halfWay({ spread: 0.5 }, [0, 1, [], [], "", 0.25]), 0.5);
  const curve = [[0, 0], [0, 1], [1, 1], [1, 0]];
  assert.deepEqual([0, 0.5, 1].map((t) => along(curve, t)), [[0, 0], [0.5, 0.75], [1, 0]]);
});

test("what is said of a step, and of one NPU in it", () => {
  const [all, film] = [data(), new Film(data())];
  assert.match(sentence(all, film, 0, null), /^Before the first of 2 steps/);
  assert.equal(sentence(all, film, 1, null), "Step 1 of 2, reduce: all");
  assert.equal(sentence(all, film, 1, 0), "Step 1 of 2, reduce: NPU 0 sends X0, its own data, to NPU 1.");
  assert.equal(sentence(all, film, 2, 1), "Step 2 of 2, copy: NPU 1 sends X0, all, to NPU 0.");
  const none = { ...data(), step_count: 7, steps: [], marks: null };
  assert.equal(sentence(none, new Film(none), 0, null), "Before the first of 7 steps, which can't be shown.");
});

/** A deck with one view that counts its pictures, and the model of it. */
function deck(state = {}) {
  const model = new Model({ data: data(), step: 0, time: 0, playing: false, speed: 1, clock: "steps", ...state });
  const it = Deck.of(model);
  const view = { model, drawn: 0, loaded: 0, draw: () => (view.drawn += 1), load: () => (view.loaded += 1) };
  it.join(view);
  page.frame();
  return { it, model, view };
}

test("a deck plays to the end, tells Python, and lets nothing move by itself", () => {
  const { it, model, view } = deck();
  page.frame();
  assert.deepEqual([it.position, view.drawn], [0, 1]);
  it.play(true);
  for (let k = 0; k < 400 && it.playing; k += 1) page.frame();
  page.tick(200);
  assert.deepEqual(["step", "time", "playing", "shown"].map((name) => model.get(name)), [2, 2, false, 7]);
});

test("a step glides, or jumps where no motion is wanted; a second one finishes the first", () => {
  const { it } = deck();
  it.next();
  page.frame();
  page.frame();
  assert.ok(it.position > 0 && it.position < 1);
  it.next();
  assert.equal(it.position, 1);
  page.calm = true;
  it.next();
  assert.equal(it.position, 2);
  page.calm = false;
});

test("the clock changes, the place stays", () => {
  const { it } = deck({ step: 1, time: 1 });
  it.use("time");
  assert.deepEqual([it.clock, it.position, it.total], ["time", 150, 400]);
  it.use("time");
  it.use("steps");
  assert.equal(it.position, 1);
});

test("Python's step, time, clock and schedule are followed", async () => {
  const { it, model, view } = deck();
  for (const [name, value, position] of [["step", 2, 2], ["time", 0.5, 0.5], ["clock", "time", 75]]) {
    model.set(name, value);
    await null;
    assert.equal(it.position, position);
  }
  model.set("data", data());
  await null;
  assert.deepEqual([view.loaded, it.data], [1, model.get("data")]);
});

test("views of one model share a deck, as long as there are any", () => {
  const { it, model, view } = deck();
  assert.equal(Deck.of(model), it);
  it.leave(view);
  assert.notEqual(Deck.of(model), it);
  assert.equal(model.heard["change:step"].length, 0);
});

test("what an NPU sends up to a switch that adds up, and what comes down to it", () => {
  const all = data();
  const [up, down] = [token(0, 2, 0, 0, 0, 50), token(2, 1, 0, 3, 50, 100)];
  all.steps = [{ ...all.steps[0], text: "Step 1 of 1, all-reduce: all", tokens: [up, down] }];
  all.words.up = "NPU {source} sends {shards}{holding} up";
  all.words.down = "down comes {shards}{holding} to NPU {destination}";
  const film = new Film(all);
  assert.equal(sentence(all, film, 1, 0), "Step 1 of 1, all-reduce: NPU 0 sends X0, its own data, up.");
  assert.equal(sentence(all, film, 1, 1), "Step 1 of 1, all-reduce: down comes X0, all, to NPU 1.");
});
