// The settings of an instrument: sliders and menus, what can't be chosen and why, and the nearest that can.

import { make, put, unique } from "../frame/dom.js";

const WAIT_MS = 30; // a drag sends no more often than this

export class Settings {
  /** share(values, number, goesOn): somebody has set these; whoever answers says the number. goesOn: by a drag that has
   *  set others before. */
  constructor(root, share) {
    // moved: what has not been shared yet; asked: what has, and is not answered yet
    Object.assign(this, { root, share, known: "", timer: null, moved: {}, asked: {}, number: 0, held: null, goesOn: true });
    const set = make("fieldset", {}, root);
    make("legend", { text: "Setting" }, set);
    this.fields = make("div", { class: "astra-settings" }, set); // a drag ends where a child of a fieldset is hidden
    this.controls = [];
    this.groups = new Map();
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** answered: whether the values are what came of the last that were shared. */
  show(data, values, answered) {
    if (answered) this.asked = {};
    this.now = { ...values, ...this.asked, ...this.moved };
    const known = JSON.stringify(data.settings);
    if (known !== this.known) this.#build(data.settings);
    this.known = known;
    for (const control of this.controls) {
      const { name } = control.setting;
      this.#set(control, this.now[name], data.greyed[name] ?? {});
      this.#explain(control, data.alike?.[name]);
    }
    this.#hide(data.hidden ?? []);
  }

  /** Hide what doesn't apply now, and headings with nothing below them. */
  #hide(names) {
    for (const { setting, label } of this.controls) put(label, "hidden", names.includes(setting.name));
    for (const [title, { box }] of this.groups) put(box, "hidden", this.controls.every(({ setting }) => (setting.group || setting.fold) !== title || names.includes(setting.name)));
  }

  #build(settings) {
    for (const { label } of this.controls) label.remove();
    for (const { box } of this.groups.values()) box.remove();
    this.groups = new Map();
    this.controls = settings.map((setting) => (setting.menu ? this.#menu(setting) : this.#slider(setting)));
  }

  /** Where a setting's control stands: below the heading of its group, or in what it is folded into, if it has one. */
  #place({ group, fold }) {
    if (fold && !this.groups.has(fold)) {
      const box = make("details", { class: "astra-fold" }, this.fields);
      make("summary", { text: fold }, box);
      this.groups.set(fold, { box });
    }
    if (fold) return this.groups.get(fold).box;
    if (!group) return this.fields;
    if (!this.groups.has(group)) {
      const box = make("div", { class: "astra-group", role: "group", "aria-label": group }, this.fields);
      make("div", { class: "astra-heading", "aria-hidden": "true", text: group }, box);
      this.groups.set(group, { box });
    }
    return this.groups.get(group).box;
  }

  #menu(setting) {
    const label = make("label", { class: "astra-setting" }, this.#place(setting));
    make("span", { text: setting.label }, label);
    const control = make("select", { "aria-label": fullName(setting) }, label);
    setting.words.forEach((text, value) => make("option", { value, text }, control));
    control.addEventListener("change", () => this.#move(setting, Number(control.value)));
    return { setting, label, control, ...reason(label) };
  }

  #slider(setting) {
    const label = make("label", { class: "astra-setting" }, this.#place(setting));
    make("span", { text: setting.label }, label);
    const readout = make("output", { "aria-live": "off" }, label);
    const control = make("input", { type: "range", min: 0, max: setting.values.length - 1, step: 1, "aria-label": fullName(setting) }, label);
    const ticks = make("span", { class: "astra-ticks", "aria-hidden": "true" }, label);
    const marks = setting.values.map(() => make("i", {}, ticks));
    control.addEventListener("input", () => this.#move(setting, Number(control.value), true));
    control.addEventListener("change", () => this.release());
    return { setting, label, control, readout, marks, ...reason(label) };
  }

  /** Move a setting, named, to the value at a place, as its slider would: until it is released that is one move. */
  move(name, place) {
    const { setting, control } = this.controls.find((other) => other.setting.name === name);
    control.value = place;
    this.#move(setting, place, true);
  }

  release() {
    this.held = null;
  }

  #move(setting, place, holds = false) {
    this.goesOn &&= this.held === setting.name;
    this.held = holds ? setting.name : null;
    this.moved = { ...this.moved, [setting.name]: setting.values[place] };
    this.now = { ...this.now, ...this.moved };
    const control = this.controls.find((other) => other.setting === setting);
    this.#read(control, place, "");
    this.#send();
  }

  /** At once, and what comes before WAIT_MS are over together after them. */
  #send() {
    if (this.timer || !Object.keys(this.moved).length) return;
    const { moved, goesOn } = this;
    Object.assign(this, { moved: {}, goesOn: true });
    this.timer = setTimeout(() => {
      this.timer = null;
      this.#send();
    }, WAIT_MS);
    this.take(moved, goesOn);
  }

  /** Have these values, and those that are still to be answered. */
  take(values, goesOn = false) {
    this.asked = { ...this.asked, ...values };
    this.number += 1;
    this.share(this.asked, this.number, goesOn);
  }

  #set(control, value, greyed) {
    const place = control.setting.values.findIndex((known) => known === value);
    control.control.value = place;
    this.#read(control, place, greyed[place] ?? "");
    if (control.setting.menu) {
      [...control.control.options].forEach((option, i) => {
        option.disabled = i in greyed && i !== place;
        option.title = greyed[i] ?? "";
      });
    } else {
      control.marks.forEach((mark, i) => {
        put(mark, "class", i in greyed ? "astra-no" : i === place ? "astra-here" : "astra-yes");
        put(mark, "title", greyed[i] ?? control.setting.words[i]);
      });
    }
  }

  #read({ setting, readout, control }, place, why) {
    if (readout) put(readout, "text", setting.words[place]);
    if (!setting.menu) put(control, "aria-valuetext", why ? `${setting.words[place]}, impossible: ${why}` : setting.words[place]);
  }

  /** What makes no difference is said below the control, which is greyed where there is nothing to be chosen at all. */
  #explain({ setting, label, control, id, why }, alike) {
    put(why, "text", alike?.why ?? "");
    put(why, "hidden", !alike?.why);
    put(control, "aria-describedby", alike?.why ? id : null);
    put(control, "disabled", Boolean(alike?.every));
    put(label, "class", `astra-setting${alike?.every ? " astra-idle" : ""}`);
    if (!setting.menu) return;
    [...control.options].forEach((option, i) => {
      put(option, "class", alike?.places.includes(i) ? "astra-alike" : null);
      put(option, "hidden", Boolean(alike?.foreign.includes(i)));
    });
  }

  /** Why a setting that is one slider away can't be, as far as that is known. */
  why(data, values) {
    const here = this.values(data.text);
    for (const { setting } of this.controls) {
      const place = setting.values.indexOf(values[setting.name]);
      if (here[setting.name] !== values[setting.name] && data.greyed[setting.name]?.[place]) return data.greyed[setting.name][place];
    }
    return "";
  }

  /** Values as the line of text that Python makes of them. */
  text(values) {
    return this.controls.map(({ setting: { name, values: known, texts } }) => `${name}=${texts[known.indexOf(values[name])]}`).join(" ");
  }

  /** The values that a line of text names. */
  values(text) {
    const said = Object.fromEntries(text.split(" ").map((word) => word.split(/=(.*)/s).slice(0, 2)));
    return Object.fromEntries(this.controls.map(({ setting: { name, values, texts } }) => [name, values[texts.indexOf(said[name])]]));
  }

  /** What was changed from one line of text to another: "tensor group 4 NPUs → 8 NPUs". */
  changed(from, to) {
    const [before, now] = [this.values(from), this.values(to)];
    const shown = this.controls.filter(({ setting: { name }, label }) => before[name] !== now[name] && !label.hidden);
    const said = ({ values, words }, value) => words[values.indexOf(value)];
    return shown.map(({ setting }) => `${fullName(setting)} ${said(setting, before[setting.name])} → ${said(setting, now[setting.name])}`).join("; ");
  }

  /** What a button to another setting says: "take 8 NPUs as tensor group". */
  differs(nearest, values) {
    const { setting } = this.controls.find(({ setting }) => setting.name in nearest && nearest[setting.name] !== values[setting.name]) ?? {};
    return setting ? `take ${fullName(setting)}: ${setting.words[setting.values.indexOf(nearest[setting.name])]}` : "";
  }
}

const fullName = ({ group, label }) => (group ? `${group}, ${label}` : label);

/** Where it stands why a setting makes no difference. */
function reason(label) {
  const id = unique();
  return { id, why: make("span", { class: "astra-why", id, hidden: true }, label) };
}
