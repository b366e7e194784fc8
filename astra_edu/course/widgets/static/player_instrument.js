// An instrument with a player in it: scene.view is what the player draws.

import { widgetOf } from "./frame/dom.js";
import { stubModel } from "./frame/stub.js";
import { InstrumentView } from "./instrument.js";
import { PlayerView } from "./player.js";

const AT_START = { step: 0, time: 0, playing: false, speed: 1, clock: "steps" };

export class PlayerInstrumentView extends InstrumentView {
  /** The player of a setting; while a question is open, without times. */
  showViews({ view, title }) {
    const shown = this.stored(view);
    if (this.shown === shown && this.untimed === this.veiled) return;
    Object.assign(this, { shown, untimed: this.veiled });
    const data = this.veiled ? { ...shown, marks: null, title, caveat: "" } : shown;
    if (this.inner) this.replace(data);
    else this.begin(data);
  }

  begin(data) {
    const { model } = this;
    this.inner = stubModel({ ...AT_START, ...model.get("played"), data, keys: this.root }, (state) => this.tell(state));
    this.player = new PlayerView(this.inner, this.views);
    this.askOnTheRight();
    this.watch.model(model, { played: () => Object.entries(model.get("played")).forEach(([name, value]) => this.inner.set(name, value)) });
  }

  /** Another schedule: the player stays as far through it as it was. */
  replace(data) {
    const { film, position, clock } = this.player.deck;
    const step = Math.round((film.convert(position, clock, "steps") / (film.count || 1)) * data.steps.length);
    this.inner.set("data", data);
    this.inner.set("step", step);
    this.inner.set("time", data.marks && clock === "time" ? data.marks[step] : step);
  }

  /** Share with Python where the player is. */
  tell(state) {
    this.model.set("played", Object.fromEntries(Object.keys(AT_START).map((name) => [name, state[name]])));
    if (this.live) this.model.save_changes();
  }

  destroy() {
    this.player?.destroy();
    super.destroy();
  }
}

export default widgetOf(PlayerInstrumentView);
