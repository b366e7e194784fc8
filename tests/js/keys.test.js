import assert from "node:assert/strict";
import test from "node:test";
import { Element, load, openPage } from "./page.js";

openPage();
const { hearKeys, ownKey, press, shortcut } = await load("frame/keys.js");
const { nextSpeed, transportKeys } = await load("frame/transport.js");

const on = (tag, name = "") => {
  const element = new Element(tag);
  element.setAttribute("class", name);
  return element;
};

/** What became of a key: done, stopped, prevented. */
function pressed(event, acts = { x: () => done.push("x"), "Shift+x": () => done.push("Shift+x") }) {
  const said = [];
  press({ target: on("div"), stopPropagation: () => said.push("stopped"), preventDefault: () => said.push("prevented"), ...event }, acts);
  return [...done.splice(0), ...said];
}
const done = [];

test("keys of the page pass through", () => {
  for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
    assert.ok(shortcut({ key: "x", [modifier]: true }));
    assert.deepEqual(pressed({ key: "x", [modifier]: true }), []);
  }
  assert.deepEqual(pressed({ key: "Enter", shiftKey: true }), []);
});

test("a key that does something is used up; one that does nothing still doesn't reach the notebook", () => {
  assert.deepEqual(pressed({ key: "x" }), ["x", "stopped", "prevented"]);
  assert.deepEqual(pressed({ key: "y" }), ["stopped"]);
});

test("with Shift a key may do something else, and else does the same", () => {
  assert.deepEqual(pressed({ key: "x", shiftKey: true }), ["Shift+x", "stopped", "prevented"]);
  assert.deepEqual(pressed({ key: "x", shiftKey: true }, { x: () => done.push("x") }), ["x", "stopped", "prevented"]);
});

test("controls keep their own keys", () => {
  const own = (target, key) => ownKey({ target, key });
  assert.ok(own(on("select"), "ArrowDown") && own(on("input"), "ArrowDown"));
  assert.ok(own(on("button"), " ") && own(on("button"), "Enter") && own(on("summary"), " "));
  assert.ok(!own(on("button"), "ArrowDown") && !own(on("input", "astra-range"), "ArrowDown") && !own(on("div"), " "));
  assert.deepEqual(pressed({ key: "x", target: on("input") }), ["stopped"]);
});

test("both halves of a key are heard anywhere in a view", () => {
  const root = on("div");
  hearKeys(root, {});
  assert.deepEqual(Object.keys(root.heard), ["keydown", "keyup"]);
});

test("the keys of everything that plays", () => {
  const said = [];
  const note = (name) => (value) => said.push(value === undefined ? name : `${name} ${value}`);
  const player = { playing: false, speed: 1, play: note("play"), setSpeed: note("speed") };
  for (const name of ["first", "previous", "next", "last"]) player[name] = note(name);
  const acts = transportKeys(player);
  for (const key of [" ", "k", "ArrowRight", "ArrowLeft", "Home", "End", "+", "=", "-"]) acts[key]();
  player.playing = true;
  acts.k();
  const wanted = ["play true", "play true", "next", "previous", "first", "last", "speed 2", "speed 2", "speed 0.5", "play false"];
  assert.deepEqual(said, wanted);
});

test("speeds go up and down in steps, from any speed, and end somewhere", () => {
  assert.deepEqual([0.25, 1, 3, 4].map((speed) => nextSpeed(speed, 1)), [0.5, 2, 4, 4]);
  assert.deepEqual([0.25, 1, 3, 10].map((speed) => nextSpeed(speed, -1)), [0.25, 0.5, 2, 4]);
});
