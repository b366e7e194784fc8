// The controls of a folding: sliders with a field for the exact number, and the dataflow. Python answers them.

import { make, put } from "../frame/dom.js";
import { nearest } from "../frame/numbers.js";
import { DATAFLOWS } from "./said.js";

const SIZES = [1, 2, 3, 4, 6, 8, 12].concat([...Array(20).keys()].flatMap((p) => [16 << p, 24 << p]).filter((n) => n <= 1e6));
const SIDES = SIZES.filter((n) => n <= 512);
const COUNTS = [1, 2, 4, 8, 16, 32, 64];
const CONTROLS = [
  ["m", "M", SIZES],
  ["n", "N", SIZES],
  ["k", "K", SIZES],
  ["rows", "rows", SIDES],
  ["columns", "columns", SIDES],
  ["count", "arrays", COUNTS],
];

export class Controls {
  /** The model's trait `asked` gets what they say, with a number that begins with `id` and that the answer bears. */
  constructor(root, model, id) {
    Object.assign(this, { model, id, asked: 0 });
    this.box = make("div", { class: "astra-controls", role: "group", "aria-label": "Product and array" }, root);
    this.inputs = Object.fromEntries(CONTROLS.map((control) => [control[0], this.#makeInput(control)]));
    const line = make("label", { class: "astra-control", text: "stationary " }, this.box);
    this.dataflow = make("select", { "aria-label": "Dataflow: what is stationary" }, line);
    for (const name of DATAFLOWS) make("option", { value: name, text: `${name}s` }, this.dataflow);
    this.dataflow.addEventListener("change", () => this.#ask());
  }

  #makeInput([, text, values]) {
    const line = make("div", { class: "astra-control" }, this.box);
    make("span", { text, "aria-hidden": "true" }, line);
    const slider = make("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": text }, line);
    const exact = make("input", { type: "number", min: 1, step: 1, "aria-label": `${text}, exactly` }, line);
    slider.addEventListener("input", () => {
      exact.value = values[slider.value];
      put(slider, "aria-valuetext", exact.value);
      this.#ask();
    });
    exact.addEventListener("change", () => this.#ask());
    return { slider, exact, values };
  }

  /** The answer to a wish is here. */
  answered(number) {
    if (number === this.waiting) this.waiting = null;
  }

  /** Ask for what has been wished since. */
  askAgain() {
    if (this.again && !this.waiting) this.#ask();
  }

  /** Show what is on show, unless somebody is just changing it. */
  show(values) {
    put(this.box, "hidden", this.model.get("live") === false); // in a saved page nobody answers
    this.products = values.products;
    if (this.again || this.waiting) return;
    for (const [name, { slider, exact, values: choices }] of Object.entries(this.inputs)) {
      exact.value = values[name];
      slider.value = nearest(choices, values[name]);
      put(slider, "aria-valuetext", String(values[name]));
    }
    this.dataflow.value = values.dataflow;
  }

  /** The latest wish waits for the answer to the last. */
  #ask() {
    this.again = Boolean(this.waiting);
    if (this.again) return;
    const wish = { dataflow: this.dataflow.value, products: this.products };
    for (const [name, { exact }] of Object.entries(this.inputs)) wish[name] = exact.value === "" ? null : Number(exact.value);
    this.waiting = wish.number = `${this.id}.${(this.asked += 1)}`;
    this.model.set("asked", wish);
    this.model.save_changes();
  }
}
