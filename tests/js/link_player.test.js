import assert from "node:assert/strict";
import test from "node:test";
import { load, openPage, packed } from "./page.js";

openPage();
const { Traffic } = await load("link_player/traffic.js");
const { beside, pointOn, strokeOf } = await load("link_player/network.js");
const { sentence } = await load("link_player/busiest.js");

// of two links: link, bytes, queued, start, free, end; the second message on link 0 waits for the first
const USES = [[0, 100, 0, 0, 10, 15], [1, 50, 5, 5, 10, 12], [0, 200, 2, 10, 30, 35]];
const data = {
  uses: packed(...[0, 1, 2, 3, 4, 5].map((i) => Float64Array.from(USES, (use) => use[i]))),
  links: [[0, 1, "0 → 1", 0, 0, 5, 5, 10, 0], [1, 0, "1 → 0", 10, 0, 5, -5, 0, 0]],
  lost: [[1, 11]],
  total_ns: 40,
  bottleneck: "0 → 1 is busiest.",
};
const traffic = new Traffic(data);
const states = (time) => [0, 1].map((i) => traffic.at(i, time));

test("events are all starts and arrivals, once each, and the ends of the run", () => {
  assert.deepEqual(traffic.events, [0, 5, 10, 12, 15, 35, 40]);
});

test("what a link does at a time", () => {
  assert.deepEqual(traffic.at(0, 0), { share: 0, sending: 100, waiting: 0, underWay: [0] });
  assert.deepEqual(traffic.at(0, 5), { share: 1, sending: 100, waiting: 1, underWay: [5 / 15] });
  assert.deepEqual(traffic.at(0, 12), { share: 1, sending: 200, waiting: 0, underWay: [2 / 25, 12 / 15] });
  assert.deepEqual(traffic.at(0, 40), { share: 30 / 40, sending: 0, waiting: 0, underWay: [] });
  assert.deepEqual(traffic.at(1, 4), { share: 0, sending: 0, waiting: 0, underWay: [] });
});

test("steps go from event to event; stills go on at least as fast as the film", () => {
  const film = traffic.film();
  assert.deepEqual([film.step(5, 1), film.step(7, -1), film.step(40, 1)], [10, 5, 40]);
  assert.equal(film.after(5), 10);
  assert.ok(new Traffic({ ...data, total_ns: 4000 }).film().after(12) >= 12 + (4000 / 20) * 0.35);
});

test("a message is on its link's curve, the number of those that wait beside its beginning", () => {
  const [link] = data.links;
  assert.deepEqual([0, 0.5, 1].map((share) => pointOn(link, share)), [[0, 0], [5, 2.5], [10, 0]]);
  assert.deepEqual(beside(link), [2, -10]);
});

test("shades are fifths, rounded up", () => {
  assert.deepEqual([0, 0.01, 0.2, 0.21, 1].map((share) => strokeOf(share).at(-2)), ["0", "1", "1", "2", "5"]);
});

test("what is said of a time, with the link that is followed", () => {
  assert.equal(sentence(data, states(5), 5, -1), "5 ns: 2 of 2 links send, 1 message waits, 1 of them for 0 → 1.");
  assert.equal(
    sentence(data, states(12), 12, 1),
    "12 ns: 1 of 2 links send, 0 messages wait, 1 packet lost so far. 1 → 0 is idle, 0 waiting, busy for 41.7 % so far.",
  );
  assert.ok(sentence(data, states(40), 40, -1).endsWith("0 → 1 is busiest."));
});
