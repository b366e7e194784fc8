// What the hands on a picture do: choose an answer, take the values that something stands for, or drag a setting.

import { clamp } from "../frame/numbers.js";

export class Reach {
  /** predict: the question; settings: their controls. */
  constructor(predict, settings) {
    Object.assign(this, { predict, settings, from: null });
  }

  load(data, values) {
    this.data = data;
    this.values = values;
  }

  click(name) {
    if (this.predict.choose(name)) return;
    const taken = this.data.scene.sets[name];
    if (taken) this.settings.take(taken);
  }

  drag(name, dx, dy, what) {
    const { setting, per, vertical } = this.data.scene.drags[name] ?? this.from?.drag ?? {};
    if (what === "end" || !setting) {
      this.from = null;
      this.settings.release();
      return;
    }
    const { values } = this.data.settings.find((other) => other.name === setting);
    this.from ??= { drag: { setting, per, vertical }, place: values.indexOf(this.values[setting]) };
    const place = clamp(this.from.place + Math.round((vertical ? dy : dx) / per), 0, values.length - 1);
    if (values[place] !== this.settings.now[setting]) this.settings.move(setting, place);
  }

  /** What can be clicked, what can be dragged, and what stands for the choice that is made; lists of names. */
  get marks() {
    const { places = {} } = this.predict.box.hidden ? {} : this.predict.question;
    const { sets, drags } = this.data.scene;
    const chosen = Object.keys(places).filter((name) => places[name] === this.predict.choice);
    return [[...Object.keys(places), ...Object.keys(sets)], Object.keys(drags), chosen];
  }
}
