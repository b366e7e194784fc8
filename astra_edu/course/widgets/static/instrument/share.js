// What leads out of an instrument: the setting as a line of text, the same as code, and a pin to compare with.

import { make, put } from "../frame/dom.js";

export class Share {
  /** pin(): keep the setting on show to compare with, or let it go. act(name): one of the instrument's own buttons. */
  constructor(root, pin, act) {
    this.act = act;
    this.bar = make("div", { class: "astra-bar" }, root);
    this.pin = make("button", { type: "button" }, this.bar);
    this.pin.addEventListener("click", pin);
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
    if (this.bar.children.length > 1) return;
    for (const [name, text] of actions) make("button", { type: "button", text }, this.bar).addEventListener("click", () => this.act(name));
  }

  show(text, code, pinned) {
    put(this.pin, "text", pinned ? "let the pinned setting go" : "pin this setting");
    put(this.pin, "aria-pressed", String(pinned));
    for (const [part, shown] of [[this.text, text], [this.code, code]]) {
      if (part.lines.textContent !== shown) put(part.said, "text", "");
      put(part.lines, "text", shown);
      put(part.details, "hidden", !shown);
    }
  }
}
