import assert from "node:assert/strict";
import test from "node:test";
import { Element, load, openPage } from "./page.js";

const { Settings } = await load("instrument/settings.js");

test("a slider that moves while an answer is on its way keeps what it was moved to", () => {
  const page = openPage();
  const shared = [];
  const settings = new Settings(new Element("div"), ({ tensor }) => shared.push(tensor));
  const setting = { name: "tensor", label: "tensor group", menu: false, values: [1, 2, 4], words: ["1", "2", "4"], texts: ["1", "2", "4"] };
  const show = (tensor) => settings.show({ settings: [setting], greyed: {} }, { tensor });
  show(1);
  const { control } = settings.controls[0];
  control.value = 2;
  control.fire("input");
  show(2); // the answer to the move before
  assert.equal(control.value, 2); // the place of 4
  page.tick(31);
  assert.deepEqual(shared, [4]);
});
