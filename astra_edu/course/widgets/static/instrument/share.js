// What leads out of an instrument: the setting as a line of text, the same as code, and a pin to compare with.

import { make, put } from "../frame/dom.js";

export class Share {
  /** pin(): keep the setting on show to compare with, or let it go. back(): to it. act(name): one of the instrument's own buttons. stop(): it. */
  constructor(root, pin, back, act, stop) {
    this.act = act;
    this.bar = make("div", { class: "astra-bar" }, root);
    this.pin = make("button", { type: "button" }, this.bar);
    this.pin.addEventListener("click", pin);
    this.back = make("button", { type: "button", text: "back to it", "aria-label": "back to the pinned setting" }, this.bar);
    this.back.addEventListener("click", back);
    this.own = make("div", { class: "astra-bar" }, root);
    this.doing = make("p", { class: "astra-doing" }, root);
    this.words = make("span", { role: "status" }, this.doing);
    this.stop = make("button", { type: "button", text: "stop", hidden: true }, this.doing);
    this.stop.addEventListener("click", stop);
    this.text = this.#folded(root, "This setting as text");
    this.code = this.#folded(root, "The same as code");
  }

  #folded(root, name) {
    const details = make("details", {}, root);
    make("summary", { text: name }, details);
    const lines = make("pre", { tabindex: "0", "aria-label": name }, details);
    const button = make("button", { type: "button", text: "copy" }, details);
    const said = make("span", { role: "status" }, details);
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(lines);
      try {
        await navigator.clipboard.writeText(lines.textContent);
        put(said, "text", " copied");
      } catch {
        put(said, "text", " selected: Ctrl+C (⌘C) copies it");
      }
    });
    lines.addEventListener("keydown", (event) => (event.ctrlKey || event.metaKey) && event.key === "c" && event.stopPropagation());
    return { details, lines, said };
  }

  /** The instrument's own buttons: [name, what stands on it]. */
  offer(actions) {
    const known = JSON.stringify(actions);
    if (known === this.known) return;
    this.known = known;
    this.own.replaceChildren();
    for (const [name, text] of actions) make("button", { type: "button", text }, this.own).addEventListener("click", () => this.waits || this.act(name));
  }

  /** What one of these buttons is at, in words; "" for nothing. Until then they do nothing, but keep the focus.
   *  stops: whether it can be stopped. */
  wait(words, stops) {
    this.waits = Boolean(words);
    put(this.words, "text", words);
    if (!stops && this.stop === document.activeElement) this.own.querySelector("button")?.focus();
    put(this.stop, "hidden", !stops);
    for (const button of this.own.children) put(button, "aria-disabled", words ? "true" : null);
  }

  /** pinned: whether a setting is, and whether it is the one on show: null, "here" or "away". */
  show(text, code, pinned) {
    put(this.back, "hidden", pinned !== "away");
    put(this.pin, "text", pinned ? "let the pinned setting go" : "pin this setting");
    put(this.pin, "aria-pressed", String(Boolean(pinned)));
    for (const [part, shown] of [[this.text, text], [this.code, code]]) {
      if (part.lines.textContent !== shown) put(part.said, "text", "");
      put(part.lines, "text", shown);
      put(part.details, "hidden", !shown);
    }
  }
}
