import assert from "node:assert/strict";
import test from "node:test";
import { Model, load, openPage } from "./page.js";

const page = openPage();
const { Watch, calm } = await load("frame/watch.js");
const { sized, letter } = await load("frame/canvas.js");

test("no motion is asked for in the system's settings, at any time", () => {
  assert.equal(calm(), false);
  page.calm = true;
  assert.equal(calm(), true);
  page.calm = false;
});

test("a view hears the model until it ends", () => {
  const [model, watch, heard] = [new Model({ time: 0 }), new Watch(), []];
  watch.model(model, { time: () => heard.push(model.get("time")) });
  model.set("time", 1);
  watch.end();
  model.set("time", 2);
  assert.deepEqual(heard, [1]);
});

test("another size, a theme of the notebook's or of the system's: each redraws, until the view ends", () => {
  let drawn = 0;
  const [watch, plot] = [new Watch(), {}];
  watch.looks(plot, () => (drawn += 1));
  const [sizes, themes] = page.observers.slice(-2);
  assert.deepEqual([sizes.seen, themes.seen[0][0]], [[[plot]], document.body]);
  sizes.act();
  themes.act();
  page.scheme.fire("change");
  assert.equal(drawn, 3);
  watch.end();
  page.scheme.fire("change");
  assert.deepEqual([drawn, sizes.seen, themes.seen], [3, [], []]);
});

test("a canvas is as fine as the screen, and is given another size only if it has one", () => {
  globalThis.devicePixelRatio = 1.5;
  const sizes = [];
  const canvas = { get width() { return sizes.length ? 150 : 0; }, set width(x) { sizes.push(x); }, height: 75 };
  const context = { canvas, setTransform: (...to) => (context.scale = to[0]), clearRect() {} };
  sized(context, 100, 50);
  sized(context, 100, 50);
  assert.deepEqual([sizes, context.scale, context.globalAlpha], [[150], 1.5, 1]);
});

test("a text on a hatch gets a ground, one on a plain bar none", () => {
  const drawn = [];
  const context = { measureText: () => ({ width: 10 }), fillRect: (...box) => drawn.push(box), fillText: (text) => drawn.push(text) };
  letter(context, "sans-serif", "", "F", 50, 20);
  letter(context, "sans-serif", "#fff", "AG", 50, 20);
  assert.deepEqual(drawn, ["F", [43, 13, 14, 14], "AG"]);
});
