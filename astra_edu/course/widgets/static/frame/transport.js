// The controls of what can be played: five buttons, the speed, and the keys that do the same.

import { make, put } from "./dom.js";
import { clamp } from "./numbers.js";

const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** The next speed up (by 1) or down (by -1); from one that isn't in the menu, the nearest in that direction. */
export function nextSpeed(speed, by) {
  const further = by > 0 ? SPEEDS.find((other) => other > speed) : SPEEDS.findLast((other) => other < speed);
  return further ?? clamp(speed, SPEEDS[0], SPEEDS.at(-1));
}

/** The keys of a player: something with playing, speed, play(on), setSpeed(x), first(), previous(), next(), last(). */
export const transportKeys = (player) => ({
  " ": () => player.play(!player.playing),
  k: () => player.play(!player.playing),
  ArrowRight: () => player.next(),
  ArrowLeft: () => player.previous(),
  Home: () => player.first(),
  End: () => player.last(),
  "+": () => player.setSpeed(nextSpeed(player.speed, 1)),
  "=": () => player.setSpeed(nextSpeed(player.speed, 1)),
  "-": () => player.setSpeed(nextSpeed(player.speed, -1)),
});

/** Buttons, time and speed menu in a bar. `player` is what they move, `labels` says where the buttons lead. */
export class Transport {
  constructor(root, player, labels) {
    this.bar = make("div", { class: "astra-bar" }, root);
    for (const name of ["first", "previous", "play", "next", "last"]) {
      const label = labels[name] ?? "Play";
      const button = make("button", { type: "button", class: `astra-button astra-${name}`, "aria-label": label, title: label }, this.bar);
      const icon = make("path", { d: ICONS[name] }, make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, button));
      button.addEventListener("click", name === "play" ? () => player.play(!player.playing) : () => player[name]());
      if (name === "play") Object.assign(this, { button, icon });
    }
    this.where = make("output", { class: "astra-where", "aria-live": "off" }, this.bar);
    this.menu = make("select", { "aria-label": "Speed" }, make("label", { class: "astra-speed", text: "speed " }, this.bar));
    for (const speed of SPEEDS) this.#offer(speed);
    this.menu.addEventListener("change", () => player.setSpeed(Number(this.menu.value)));
  }

  #offer(speed) {
    make("option", { value: speed, text: `${speed}×` }, this.menu);
  }

  show({ playing, speed }, where) {
    put(this.icon, "d", playing ? ICONS.pause : ICONS.play);
    for (const name of ["aria-label", "title"]) put(this.button, name, playing ? "Pause" : "Play");
    put(this.where, "text", where);
    if (this.menu.value === String(speed)) return;
    if (![...this.menu.options].some(({ value }) => value === String(speed))) this.#offer(speed);
    this.menu.value = String(speed);
  }
}

/** The strip to scrub on, over whatever is drawn in `strip`; it calls player.scrub(position). */
export function makeTrack(root, player, attributes) {
  const track = make("div", { class: "astra-track" }, root);
  const strip = make("div", { class: "astra-strip", "aria-hidden": "true" }, track);
  const range = make("input", { type: "range", min: 0, step: "any", class: "astra-range", ...attributes }, track);
  range.addEventListener("input", () => player.scrub(Number(range.value)));
  return { strip, range };
}
