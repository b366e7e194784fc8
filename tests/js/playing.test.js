import assert from "node:assert/strict";
import test from "node:test";
import { Element, Model, load, openPage } from "./page.js";

const page = openPage();
const { Playback } = await load("frame/playback.js");
const { Loop, Mail, Settled } = await load("frame/loop.js");
const { Reel } = await load("frame/reel.js");
const { Transport, makeTrack } = await load("frame/transport.js");

const FILM = { end: 4, rate: 2, beat: 0.5, after: (position) => Math.floor(position) + 1, step: (position, by) => position + by, shown: Math.floor };

test("nothing moves until it is played; playing ends at the end and begins anew from there", () => {
  const it = new Playback(FILM, 3);
  assert.equal(it.moving, false);
  assert.ok(it.play(true));
  it.advance(0.25, false);
  assert.equal(it.position, 3.5);
  it.advance(9, false);
  assert.deepEqual([it.position, it.playing], [4, false]);
  it.play(true);
  assert.equal(it.position, 0);
  assert.equal(it.play(true), false);
  assert.equal(new Playback({ end: 0 }).play(true), false);
});

test("the speed counts, with and without motion", () => {
  const it = Object.assign(new Playback(FILM), { speed: 2 });
  it.play(true);
  it.advance(0.25, false);
  assert.equal(it.position, 1);
  it.advance(0.2, true);
  assert.equal(it.position, 1);
  it.advance(0.2, true);
  assert.equal(it.position, 2);
});

test("who asked for no motion sees one still picture after the other", () => {
  const it = new Playback(FILM, 0.5);
  it.play(true);
  const seen = new Set();
  for (let k = 0; k < 30; k += 1) {
    it.advance(0.1, true);
    seen.add(it.position);
  }
  assert.deepEqual([...seen], [0.5, 1, 2, 3, 4]);
  assert.equal(it.playing, false);
});

test("a glide ends where it was sent, and a jump ends it", () => {
  const it = new Playback(FILM);
  it.seek(1, true);
  assert.ok(it.moving);
  it.advance(0.25, false);
  assert.equal(it.position, 0.5);
  it.advance(9, false);
  assert.deepEqual([it.position, it.moving], [1, false]);
  it.seek(2, true);
  it.arrive();
  assert.equal(it.position, 2);
  it.seek(99);
  assert.equal(it.position, 4);
});

test("a loop goes on as long as it is wanted, and a long pause is no leap", () => {
  const seen = [];
  const loop = new Loop((seconds) => seen.push(seconds) < 3);
  loop.wake();
  loop.wake();
  for (const ms of [16, 20, 5000, 16]) page.frame(ms);
  assert.deepEqual(seen, [0, 0.02, 0.1]);
  loop.wake();
  loop.stop();
  page.frame();
  assert.equal(seen.length, 3);
});

test("mail: the first at once, the latest in the end, nothing twice, nothing lost", () => {
  const sent = [];
  let value = 0;
  const mail = new Mail(() => sent.push([page.now, value]));
  const start = page.now;
  for (value = 1; value <= 5; value += 1) {
    mail.post();
    page.tick(10);
  }
  value = 5;
  page.tick(200);
  assert.deepEqual(sent, [[start, 1], [sent[1][0], 5]]);
  mail.flush();
  assert.equal(sent.length, 2);
  page.tick(200);
  value = 6;
  mail.post();
  value = 7;
  mail.post();
  mail.flush();
  assert.deepEqual(sent.slice(2).map(([, what]) => what), [6, 7]);
});

test("what waits until things have settled is done once, or at the latest when a view closes", () => {
  let done = 0;
  const settled = new Settled(() => (done += 1), 100);
  settled.wait();
  page.tick(60);
  settled.wait();
  page.tick(60);
  assert.equal(done, 0);
  page.tick(60);
  settled.flush();
  assert.equal(done, 1);
  settled.wait();
  settled.flush();
  assert.equal(done, 2);
});

function reel(step = 0) {
  const said = [];
  const model = new Model({ step });
  const it = new Reel(model, "step", () => said.push(it.at), () => said.push("rested"));
  it.load(FILM);
  model.on("change:step", () => it.pull());
  return { it, model, said };
}

test("a reel shows, stops and tells Python", () => {
  const { it, model, said } = reel(1);
  it.next();
  assert.deepEqual([it.at, model.get("step")], [2, 2]);
  it.previous();
  it.last();
  it.next();
  assert.deepEqual([it.at, model.get("step")], [4, 4]);
  it.first();
  assert.deepEqual(said.filter((what) => what !== "rested"), [2, 1, 4, 0]);
  page.tick(200);
  assert.equal(model.saved.at(-1).step, 0);
});

test("a reel plays whole steps to its end and then rests", () => {
  const { it, model, said } = reel();
  it.play(true);
  for (let k = 0; k < 300 && it.playing; k += 1) page.frame();
  assert.deepEqual([it.at, it.playing, model.get("step")], [4, false, 4]);
  assert.deepEqual([...new Set(said)], [0, 1, 2, 3, 4, "rested"]);
});

test("moved from outside a reel stops and follows; its own echo doesn't stop it", () => {
  const { it, model } = reel();
  it.play(true);
  for (let k = 0; k < 60; k += 1) page.frame();
  assert.ok(it.playing && it.at > 0);
  it.pull();
  assert.ok(it.playing);
  model.set("step", 0);
  assert.deepEqual([it.playing, it.at], [false, 0]);
});

test("a reel that closes sends what still waits", () => {
  const { it, model } = reel();
  it.next();
  it.next();
  it.stop();
  assert.equal(model.saved.at(-1).step, 2);
});

test("the transport says what its buttons do, and shows play, pause, time and any speed", () => {
  const { it } = reel();
  const root = new Element("div");
  const transport = new Transport(root, it, { first: "Start", previous: "Back", next: "On", last: "End" });
  const buttons = transport.bar.children.filter(({ tagName }) => tagName === "BUTTON");
  assert.deepEqual(buttons.map((button) => button.attributes["aria-label"]), ["Start", "Back", "Play", "On", "End"]);
  buttons[3].fire("click");
  assert.equal(it.at, 1);
  buttons[2].fire("click");
  transport.show(it, "step 1");
  assert.deepEqual([it.playing, buttons[2].attributes["aria-label"], transport.where.textContent], [true, "Pause", "step 1"]);
  transport.show({ playing: false, speed: 3 }, "");
  assert.deepEqual([buttons[2].attributes.title, transport.menu.value], ["Play", "3"]);
  assert.ok(transport.menu.options.some(({ value }) => value === "3"));
  it.play(false);
});

test("the strip scrubs, which stops what plays", () => {
  const { it } = reel();
  const { range } = makeTrack(new Element("div"), it, { "aria-label": "Time" });
  it.play(true);
  range.value = "3";
  range.fire("input");
  assert.deepEqual([it.at, it.playing], [3, false]);
});
