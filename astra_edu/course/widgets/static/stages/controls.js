// The controls of a pipeline: menus and sliders for everything that can be set.

import { make, put } from "../frame/dom.js";

const MENUS = [["order", "order"], ["slow", "slow stage"]];
const SLIDERS = [
  ["stages", "stages"],
  ["micro_batches", "micro-batches"],
  ["virtual", "virtual stages"],
  ["ratio", "backward"],
  ["p2p", "transfer"],
];

/** What a slider's value is called. */
export function said(name, value) {
  if (name === "ratio") return `${value} × forward`;
  if (name === "p2p") return value ? `${Math.round(100 * value)} % of forward` : "takes no time";
  return `${value}`;
}

export class Controls {
  /** share(name, value) is called for what somebody sets. */
  constructor(root, model, share) {
    Object.assign(this, { model, share });
    this.fields = make("fieldset", {}, root);
    make("legend", { text: "Setting" }, this.fields);
    const [order, slow] = MENUS;
    this.order = this.#makeMenu(order, (text) => text);
    this.sliders = SLIDERS.map(([name, text]) => this.#makeSlider(name, text));
    this.slow = this.#makeMenu(slow, (text) => (text === "" ? null : Number(text)));
  }

  static get traits() {
    return [...MENUS, ...SLIDERS].map(([name]) => name);
  }

  #makeMenu([name, text], value) {
    const menu = make("select", {}, make("label", { text: `${text} ` }, this.fields));
    menu.addEventListener("change", () => this.share(name, value(menu.value)));
    return menu;
  }

  #makeSlider(name, text) {
    const label = make("label", { text: `${text} ` }, this.fields);
    const range = make("input", { type: "range", step: 1, "aria-label": text }, label);
    const slider = { name, label, range, readout: make("output", { "aria-live": "off" }, label), values: null };
    range.addEventListener("input", () => {
      const value = slider.values?.[range.value] ?? Number(range.value);
      this.#read(slider, value);
      this.share(name, value);
    });
    return slider;
  }

  #read({ name, range, readout }, value) {
    put(readout, "text", said(name, value));
    put(range, "aria-valuetext", said(name, value));
  }

  /** Say what the model says; `data` has what can be chosen. */
  show(data) {
    const stages = Array.from({ length: this.model.get("stages") }, (_, stage) => [String(stage), `stage ${stage}`]);
    this.#fill(this.order, data.orders.map(([name]) => [name, name]), this.model.get("order"));
    this.#fill(this.slow, [["", "none"], ...stages], this.model.get("slow") ?? "");
    for (const slider of this.sliders) this.#set(slider, data);
    const { label, range } = this.sliders.find(({ name }) => name === "virtual");
    range.disabled = !data.orders.find(([name]) => name === this.order.value)?.[1];
    label.classList.toggle("astra-off", range.disabled);
    this.fields.disabled = this.model.get("live") === false; // in a saved page nobody simulates
  }

  #fill(menu, options, value) {
    const known = JSON.stringify(options);
    if (menu.astraOptions !== known) menu.replaceChildren(...options.map(([value, text]) => make("option", { value, text })));
    menu.astraOptions = known;
    menu.value = value;
  }

  /** A slider steps through whole numbers from 1 on, or through values that Python lists. */
  #set(slider, { most, ratios, transfers }) {
    const { name, range } = slider;
    slider.values = { ratio: ratios, p2p: transfers }[name];
    range.min = slider.values ? 0 : 1;
    range.max = slider.values ? slider.values.length - 1 : most[name];
    const value = this.model.get(name);
    const place = slider.values?.indexOf(value) ?? value;
    if (place >= 0) range.value = place;
    this.#read(slider, value);
  }
}
