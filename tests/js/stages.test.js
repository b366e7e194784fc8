import assert from "node:assert/strict";
import test from "node:test";
import { Element, Model, load, openPage } from "./page.js";

openPage();
const { Run } = await load("stages/run.js");
const { Controls, said } = await load("stages/controls.js");

// two stages, two micro-batches, GPipe: kind, virtual stage, micro-batch, start, end
const run = new Run({
  stages: 2, virtual: 1, total_ns: 80, keeps: [2, 2],
  spans: [
    [0, 0, 0, 0, 10, 0, 0, 1, 10, 20, 1, 0, 0, 50, 60, 1, 0, 1, 70, 80],
    [0, 0, 0, 10, 20, 0, 0, 1, 20, 30, 1, 0, 0, 30, 50, 1, 0, 1, 50, 70],
  ],
});

test("what a stage does: a pass from its start to before its end, or it waits, or it is done", () => {
  assert.deepEqual([0, 9, 10, 20, 55, 80].map((time) => run.doingText(0, time)), [
    "forward of micro-batch 0", "forward of micro-batch 0", "forward of micro-batch 1", "waits", "backward of micro-batch 0", "done",
  ]);
});

test("what it keeps: from the start of the forward to the end of the backward pass", () => {
  assert.deepEqual([0, 10, 59, 60, 80].map((time) => run.holds(0, time).text), ["0", "0, 1", "0, 1", "1", "nothing"]);
  assert.equal(run.holds(0, 10).number, 2);
});

test("virtual stages have letters and count as a part of a micro-batch", () => {
  const two = new Run({ stages: 1, virtual: 2, total_ns: 20, keeps: [1], spans: [[0, 0, 0, 0, 10, 0, 1, 0, 10, 20]] });
  assert.deepEqual(two.holds(0, 15), { text: "a: 0; b: 0", number: 1 });
  assert.equal(two.doingText(0, 15), "forward of micro-batch 0, virtual stage b");
  assert.equal(two.name(0, two.stages[0].passes[1]), "F 1,0");
});

test("it is stepped from event to event, with motion and without", () => {
  const film = run.film();
  assert.deepEqual(run.events, [0, 10, 20, 30, 50, 60, 70, 80]);
  assert.deepEqual([film.step(0, 1), film.step(15, -1), film.after(30), film.end], [10, 10, 50, 80]);
});

test("all of it in a sentence", () => {
  assert.equal(run.said(25), "25 ns: stage 0 waits, keeps 0, 1; stage 1 forward of micro-batch 1, keeps 0, 1");
});

test("sliders say what their values mean", () => {
  assert.deepEqual([said("ratio", 1.5), said("p2p", 0), said("p2p", 0.25), said("stages", 4)], ["1.5 × forward", "takes no time", "25 % of forward", "4"]);
});

test("what is set is shared by its own value, not by the slider's place", () => {
  const shared = [];
  const state = { order: "1f1b", stages: 4, micro_batches: 8, virtual: 2, ratio: 2, p2p: 0, slow: null };
  const controls = new Controls(new Element("div"), new Model(state), (...what) => shared.push(what));
  controls.fields.replaceChildren = controls.order.replaceChildren = controls.slow.replaceChildren = () => {};
  controls.sliders.forEach(({ label }) => (label.classList.toggle = () => {}));
  controls.show({ orders: [["1f1b", false]], most: { stages: 16, micro_batches: 64, virtual: 4 }, ratios: [0.5, 1, 2], transfers: [0, 0.5] });
  const { ratio, stages } = Object.fromEntries(controls.sliders.map((slider) => [slider.name, slider.range]));
  assert.deepEqual([ratio.value, ratio.max, stages.value, stages.max], [2, 2, 4, 16]);
  ratio.value = "1";
  ratio.fire("input");
  stages.value = "5";
  stages.fire("input");
  controls.slow.value = "";
  controls.slow.fire("change");
  assert.deepEqual(shared, [["ratio", 1], ["stages", 5], ["slow", null]]);
});
