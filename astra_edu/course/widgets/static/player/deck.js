// The deck: one per model. The position, playing, and sharing both with Python; every view of the model draws it.

import { Loop, Mail } from "../frame/loop.js";
import { clamp } from "../frame/numbers.js";
import { Playback } from "../frame/playback.js";
import { calm } from "../frame/watch.js";
import { Film } from "./film.js";

const SHARED = ["data", "step", "time", "playing", "speed", "clock"]; // with Python

export class Deck {
  static #decks = new WeakMap();

  /** The one deck of a model. Every view has a wrapper of its own of the model, but they hold the same data. */
  static of(model) {
    const known = Deck.#decks.get(model.get("data"));
    return known?.views.size ? known : new Deck(model);
  }

  constructor(model) {
    this.model = model;
    this.views = new Set();
    this.pull = () => {
      this.pulling ||= queueMicrotask(() => this.#pull()) ?? true;
    };
    this.loop = new Loop((seconds) => this.#frame(seconds));
    this.mail = new Mail(() => this.#send());
    this.#load();
    this.playback.playing = this.model.get("playing");
  }

  join(view) {
    for (const name of SHARED) view.model.on(`change:${name}`, this.pull);
    this.views.add(view);
    this.loop.wake();
  }

  leave(view) {
    for (const name of SHARED) view.model.off(`change:${name}`, this.pull);
    this.views.delete(view);
    if (this.views.size) {
      this.model = [...this.views][0].model;
      return;
    }
    this.loop.stop();
    this.mail.flush();
  }

  get position() {
    return this.playback.position;
  }

  set position(position) {
    this.playback.position = position;
  }

  get playing() {
    return this.playback.playing;
  }

  get step() {
    return this.film.step(this.position, this.clock);
  }

  get total() {
    return this.film.total(this.clock);
  }

  get speed() {
    return this.model.get("speed");
  }

  /** Go to a position; `glide` moves there instead of jumping. */
  seek(position, { glide = false } = {}) {
    this.playback.seek(position, glide && !calm());
    this.#changed();
  }

  scrub(position) {
    this.seek(position);
  }

  /** One step on, ending where that step is over. A glide still under way is finished first. */
  next() {
    this.play(false);
    this.playback.arrive();
    this.seek(this.film.after(this.position, this.clock), { glide: true });
  }

  previous() {
    this.play(false);
    this.playback.arrive();
    this.seek(this.film.after(this.position, this.clock, -1));
  }

  first() {
    this.play(false);
    this.seek(0);
  }

  last() {
    this.play(false);
    this.seek(this.total);
  }

  play(on) {
    if (this.playback.play(on)) this.#changed();
  }

  use(clock) {
    if (clock === this.clock || !this.film.data.marks) return;
    this.playback.arrive();
    this.#turn(clock, this.film.convert(this.position, this.clock, clock));
    this.#changed();
  }

  setSpeed(speed) {
    this.model.set("speed", speed);
    this.model.save_changes();
    this.loop.wake();
  }

  #load() {
    this.data = this.model.get("data");
    Deck.#decks.set(this.data, this);
    this.film = new Film(this.data);
    this.clock = this.data.marks ? this.model.get("clock") : "steps";
    const film = this.film.by(this.clock);
    this.playback = new Playback(film, clamp(this.model.get("time"), 0, film.end));
    this.seen = this.#seen();
  }

  #turn(clock, position) {
    this.clock = clock;
    this.playback.film = this.film.by(clock);
    this.playback.seek(position);
  }

  #seen() {
    return Object.fromEntries(["step", "time", "playing", "clock"].map((name) => [name, this.model.get(name)]));
  }

  /** Python (or another view's deck) changed something: follow it, whichever of step and time it said. */
  #pull() {
    this.pulling = false;
    const [now, seen] = [this.#seen(), this.seen];
    this.seen = now;
    const replaced = this.model.get("data") !== this.data;
    if (replaced) this.#replace();
    else if (now.clock !== this.clock) {
      this.#turn(now.clock, now.time !== seen.time ? now.time : this.film.convert(this.position, this.clock, now.clock));
    } else if (now.time !== seen.time) this.playback.seek(now.time);
    else if (now.step !== seen.step && now.step !== this.step) {
      this.playback.seek(this.film.mark(clamp(now.step, 0, this.film.count), this.clock));
    }
    if (now.playing !== seen.playing && now.playing !== this.playing) this.play(now.playing);
    if (replaced) this.views.forEach((view) => view.load());
    this.loop.wake();
  }

  /** Another schedule: what plays, plays on, as far through it as it was. */
  #replace() {
    const { playing, position } = this.playback;
    const share = position / (this.total || 1);
    this.#load();
    if (playing) this.playback.seek(share * this.total);
    this.playback.playing = playing;
    this.mail.post();
  }

  #changed() {
    this.mail.post();
    this.loop.wake();
  }

  #frame(seconds) {
    const { playback } = this;
    if (playback.moving) {
      playback.speed = this.speed;
      playback.advance(seconds, calm());
      this.mail.post();
    }
    this.views.forEach((view) => view.draw());
    return playback.moving;
  }

  #send() {
    const state = { clock: this.clock, time: this.position, step: this.step, playing: this.playing, shown: this.data.number };
    Object.assign(this.seen, state);
    for (const [name, value] of Object.entries(state)) this.model.set(name, value);
    this.model.save_changes();
  }
}
