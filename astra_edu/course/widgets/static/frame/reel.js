// What plays in one view: a position that is drawn, and shared with Python as one of the model's traits.

import { Loop, Mail } from "./loop.js";
import { clamp } from "./numbers.js";
import { Playback } from "./playback.js";
import { calm } from "./watch.js";

export class Reel {
  /** draw: called when what is shown may have changed; rested: when it has been stopped or stepped, by whoever. */
  constructor(model, trait, draw, rested = () => {}) {
    Object.assign(this, { model, trait, draw, rested });
    this.playback = new Playback({ end: 0 });
    this.mail = new Mail(() => model.save_changes());
    this.loop = new Loop((seconds) => this.#frame(seconds));
  }

  /**
   * Something else to play. film: that of a Playback, and step(position, by), where one step on (1) or back (-1) leads,
   * and shown(position), what the model holds of it.
   */
  load(film) {
    this.play(false);
    const { speed } = this.playback;
    this.playback = Object.assign(new Playback(film, clamp(this.model.get(this.trait), 0, film.end)), { speed });
  }

  get film() {
    return this.playback.film;
  }

  get at() {
    return this.film.shown(this.playback.position);
  }

  get playing() {
    return this.playback.playing;
  }

  get speed() {
    return this.playback.speed;
  }

  setSpeed(speed) {
    this.playback.speed = speed;
    this.draw();
  }

  play(on) {
    if (!this.playback.play(on)) return;
    if (!on) this.playback.seek(this.at);
    this.#show();
    if (on) this.loop.wake();
    else this.rested();
  }

  /** To a position, as it is; whatever plays, plays on. */
  go(position) {
    const before = this.at;
    this.playback.seek(position);
    if (this.at !== before) this.#show();
  }

  /** The same, but it stops there; from the strip or with the pointer. */
  scrub(position) {
    this.play(false);
    this.go(position);
  }

  jump(position) {
    this.scrub(position);
    this.rested();
  }

  first() {
    this.jump(0);
  }

  last() {
    this.jump(this.film.end);
  }

  next() {
    this.jump(this.film.step(this.at, 1));
  }

  previous() {
    this.jump(this.film.step(this.at, -1));
  }

  /** Python or another view moved it: stop, and follow. */
  pull() {
    const wanted = clamp(this.model.get(this.trait), 0, this.film.end);
    if (wanted === this.at) return;
    this.play(false);
    this.playback.seek(wanted);
    this.draw();
  }

  stop() {
    this.loop.stop();
    this.mail.flush();
  }

  #frame(seconds) {
    if (!this.playing) return false;
    const before = this.at;
    this.playback.advance(seconds, calm());
    if (this.at !== before || !this.playing) this.#show();
    if (!this.playing) this.rested();
    return this.playing;
  }

  #show() {
    this.draw();
    if (this.model.get(this.trait) === this.at) return;
    this.model.set(this.trait, this.at);
    this.mail.post();
  }
}
