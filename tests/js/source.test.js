import assert from "node:assert/strict";
import test from "node:test";
import { Model, load } from "./page.js";

const { Source } = await load("instrument/source.js");

const data = (npus, more = {}) => ({ text: `npus=${npus}`, problem: "", scene: { title: `${npus} NPUs` }, ...more });

/** A source; what it has shown; Python that answers wish after wish, when told to. */
function begin(state = {}) {
  const model = new Model({ values: { npus: 2 }, data: JSON.stringify(data(2)), answered: "", ...state });
  const [shown, stood] = [[], []];
  const settings = {
    text: ({ npus }) => `npus=${npus}`,
    values: (text) => ({ npus: Number(text.slice(5)) }),
    show: (data, values, answered) => stood.push([data.text, answered]),
    why: () => "",
  };
  const source = new Source(model, "v", settings, () => shown.push(source.data.scene.title));
  for (const name of ["data", "answered"]) model.on(`change:${name}`, () => source.arrived());
  const answer = (number, npus, more) => {
    Object.assign(model.state, { values: { npus }, answered: `v.${number}` }); // all of a message, then who listens
    if (JSON.stringify(data(npus, more)) !== model.get("data")) model.set("data", JSON.stringify(data(npus, more)));
    model.heard["change:answered"].forEach((hear) => hear());
  };
  return { model, source, shown, stood, answer };
}

test("what Python sends is shown, and what was shown before is kept beside it", () => {
  const { model, source, shown, answer } = begin();
  source.ask({ npus: 4 }, 1);
  assert.deepEqual([model.saved.at(-1).wish, shown], [{ values: { npus: 4 }, number: "v.1" }, []]);
  assert.equal(source.answered, false);
  answer(1, 4);
  assert.deepEqual([shown, source.before.text, source.answered], [["4 NPUs"], "npus=2", true]);
});

test("a setting that was seen before is there at once, and drawn only once where Python says the same", () => {
  const { model, source, shown, stood, answer } = begin();
  source.ask({ npus: 4 }, 1);
  answer(1, 4);
  source.ask({ npus: 2 }, 2);
  assert.deepEqual([shown, source.before.text], [["4 NPUs", "2 NPUs"], "npus=4"]);
  assert.deepEqual(model.saved.at(-1).wish, { values: { npus: 2 }, number: "v.2" }); // Python follows all the same
  answer(2, 2);
  assert.deepEqual([shown, stood.at(-1)], [["4 NPUs", "2 NPUs"], ["npus=2", true]]);
});

test("what Python says of it now is shown where that is something else", () => {
  const { source, shown, answer } = begin();
  source.ask({ npus: 4 }, 1);
  answer(1, 4);
  source.ask({ npus: 2 }, 2);
  answer(2, 2, { scene: { title: "2 other NPUs" } });
  assert.deepEqual(shown, ["4 NPUs", "2 NPUs", "2 other NPUs"]);
});

test("a drag is compared with what was there before it, what Python sends with what was shown", () => {
  const { model, source, answer } = begin();
  source.ask({ npus: 3 }, 1);
  source.ask({ npus: 4 }, 2, true);
  answer(1, 3);
  assert.equal(source.before.text, "npus=2");
  answer(2, 4);
  assert.equal(source.before.text, "npus=2");
  source.ask({ npus: 5 }, 3);
  answer(3, 5);
  assert.equal(source.before.text, "npus=4");
  model.set("data", JSON.stringify(data(8)));
  assert.equal(source.before.text, "npus=5");
  const saved = begin({ live: false, data: data(2), stored: { "npus=3": data(3), "npus=4": data(4), "npus=5": data(5) } });
  saved.model.on("change:values", () => saved.source.find());
  saved.source.ask({ npus: 3 }, 1);
  saved.source.ask({ npus: 4 }, 2, true);
  assert.equal(saved.source.before.text, "npus=2");
  saved.model.set("values", { npus: 5 }); // another view of it
  assert.equal(saved.source.before.text, "npus=4");
});

test("an older answer doesn't come between what is shown already and its own", () => {
  const { source, shown, answer } = begin();
  source.ask({ npus: 8 }, 1);
  source.ask({ npus: 2 }, 2);
  answer(1, 8);
  assert.deepEqual(shown, ["2 NPUs"]);
  answer(2, 2);
  source.ask({ npus: 4 }, 3);
  answer(3, 4);
  assert.deepEqual(shown, ["2 NPUs", "4 NPUs"]);
});

test("what another view of it wishes is shown, once its own wishes are answered", () => {
  const { model, source, shown, stood, answer } = begin();
  source.ask({ npus: 4 }, 1);
  answer(1, 4);
  source.ask({ npus: 2 }, 2); // known
  answer(2, 2);
  Object.assign(model.state, { values: { npus: 8 }, answered: "w.1" });
  model.set("data", JSON.stringify(data(8)));
  assert.deepEqual([shown.at(-1), source.answered, stood.at(-1)[1]], ["8 NPUs", true, true]);
});

test("a problem, and what was brought in line with a note, isn't shown again before Python says so", () => {
  const { source, shown, answer } = begin();
  source.ask({ npus: 3 }, 1);
  answer(1, 2, { problem: "3 is none", text: "npus=2" });
  source.ask({ npus: 4 }, 2);
  answer(2, 4, { note: "brought in line" });
  source.ask({ npus: 2 }, 3);
  answer(3, 2);
  assert.deepEqual(shown, ["2 NPUs", "4 NPUs", "2 NPUs"]);
  source.ask({ npus: 4 }, 4);
  assert.equal(shown.length, 3);
});

test("so many settings are kept, those that were seen last", () => {
  const { source, shown, answer } = begin();
  for (let npus = 3; npus <= 62; npus++) {
    source.ask({ npus }, npus);
    answer(npus, npus);
  }
  source.ask({ npus: 2 }, 63);
  assert.equal(shown.at(-1), "62 NPUs");
  answer(63, 2);
  source.ask({ npus: 4 }, 64);
  assert.equal(shown.at(-1), "4 NPUs");
});

test("a saved page finds what it holds, brings controls in line, and says what it doesn't hold", () => {
  const stored = { "npus=4": data(4), "npus=5": data(4) };
  const { model, source, shown } = begin({ live: false, data: data(2), stored });
  model.on("change:values", () => source.find());
  source.ask({ npus: 4 }, 1);
  assert.deepEqual([shown, source.answered], [["4 NPUs"], true]);
  source.ask({ npus: 5 }, 2);
  assert.deepEqual(model.get("values"), { npus: 4 });
  source.ask({ npus: 8 }, 3);
  assert.match(source.data.problem, /doesn't hold/);
  assert.deepEqual(source.data.nearest, { npus: 4 });
});
