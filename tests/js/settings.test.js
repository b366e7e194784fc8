import assert from "node:assert/strict";
import test from "node:test";
import { Element, load, openPage } from "./page.js";

const { Settings } = await load("instrument/settings.js");

test("a slider that moves while an answer is on its way keeps what it was moved to", () => {
  const page = openPage();
  const shared = [];
  const settings = new Settings(new Element("div"), ({ tensor }) => shared.push(tensor));
  const setting = { name: "tensor", label: "tensor group", menu: false, values: [1, 2, 4], words: ["1", "2", "4"], texts: ["1", "2", "4"] };
  const show = (tensor, answered) => settings.show({ settings: [setting], greyed: {} }, { tensor }, answered);
  show(1, true);
  const { control } = settings.controls[0];
  for (const place of [1, 2]) {
    control.value = place;
    control.fire("input");
  }
  show(2, true); // the answer to the first
  assert.equal(control.value, 2); // the place of 4
  page.tick(31);
  assert.deepEqual(shared, [2, 4]);
});

test("what was asked for stays until its own answer is there, and is asked again with what comes next", () => {
  const page = openPage();
  const shared = [];
  const settings = new Settings(new Element("div"), (...wish) => shared.push(wish));
  const three = { menu: false, values: [1, 2, 4], words: ["1", "2", "4"], texts: ["1", "2", "4"] };
  const both = ["tensor", "data"].map((name) => ({ ...three, name, label: name }));
  const show = (values, answered) => settings.show({ settings: both, greyed: {} }, values, answered);
  const move = (i, place) => {
    settings.controls[i].control.value = place;
    settings.controls[i].control.fire("input");
    page.tick(31);
  };
  const places = () => settings.controls.map(({ control }) => control.value);
  show({ tensor: 1, data: 1 }, true);
  move(0, 1);
  move(1, 2);
  assert.deepEqual(shared, [[{ tensor: 2 }, 1, false], [{ tensor: 2, data: 4 }, 2, false]]);
  show({ tensor: 2, data: 1 }, false); // the answer to the first, or to another view
  assert.deepEqual(places(), [1, 2]);
  show({ tensor: 2, data: 2 }, true); // the answer, which brought a setting in line
  assert.deepEqual(places(), [1, 1]);
  move(0, 2);
  assert.deepEqual(shared.at(-1), [{ tensor: 4 }, 3, false]);
});

test("from where a slider is taken hold of to where it is let go is one move, and so is a key", () => {
  const page = openPage();
  const shared = [];
  const settings = new Settings(new Element("div"), (values, number, goesOn) => shared.push(goesOn));
  const setting = { name: "tensor", label: "tensor group", menu: false, values: [1, 2, 4], words: ["1", "2", "4"], texts: ["1", "2", "4"] };
  settings.show({ settings: [setting], greyed: {} }, { tensor: 1 }, true);
  const { control } = settings.controls[0];
  const move = (place, ms) => {
    control.value = place;
    control.fire("input");
    page.tick(ms);
  };
  move(1, 40);
  move(2, 10);
  move(1, 10); // waits, and is sent once the drag is over
  control.fire("change");
  page.tick(40);
  assert.deepEqual(shared, [false, true, true]);
  move(2, 40);
  control.fire("change");
  assert.equal(shared.at(-1), false);
});

test("while a slider is dragged its values are sent now and then: at once, and with a pause between", () => {
  const page = openPage();
  const shared = [];
  const settings = new Settings(new Element("div"), ({ tensor }) => shared.push(tensor));
  const setting = { name: "tensor", label: "tensor group", menu: false, values: [1, 2, 4], words: ["1", "2", "4"], texts: ["1", "2", "4"] };
  settings.show({ settings: [setting], greyed: {} }, { tensor: 1 }, true);
  for (const place of [1, 2, 1, 2]) {
    settings.controls[0].control.value = place;
    settings.controls[0].control.fire("input");
    page.tick(20);
  }
  assert.deepEqual(shared, [2, 4, 4]); // at 0 and after 30 and 60 ms
});

test("what makes no difference is greyed, with the reason in words, and free again where it does", () => {
  openPage();
  const settings = new Settings(new Element("div"), () => {});
  const menu = { name: "bits", label: "precision", menu: true, values: ["a", "b", "c"], words: ["a", "b", "c"], texts: ["a", "b", "c"] };
  const slider = { name: "size", label: "size", menu: false, values: [1, 2], words: ["1", "2"], texts: ["1", "2"] };
  const show = (alike) => settings.show({ settings: [menu, slider], greyed: {}, alike }, { bits: "a", size: 1 }, true);
  show({ bits: { places: [1, 2], why: "Predicted as a: b.", every: false, foreign: [2] }, size: { places: [1], why: "No difference.", every: true, foreign: [] } });
  const [bits, size] = settings.controls;
  const state = ({ control, why }) => ["disabled" in control.attributes, why.textContent, why.hidden];
  assert.deepEqual(state(bits), [false, "Predicted as a: b.", false]);
  assert.deepEqual(bits.control.options.map(({ hidden }) => hidden), [false, false, true]);
  assert.deepEqual(state(size), [true, "No difference.", false]);
  assert.equal(size.control.attributes["aria-describedby"], size.id);
  show({});
  assert.deepEqual(state(size), [false, "", true]);
  assert.equal(size.control.attributes["aria-describedby"], undefined);
});
