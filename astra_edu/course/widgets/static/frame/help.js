// The button that shows which keys there are.

import { make, put } from "./dom.js";

/** A button in a bar and, in `place`, the text it shows and hides. Returns what changes the text. */
export function makeHelp(bar, place, id, text) {
  const label = text.includes("Mouse:") ? "keys: keyboard and mouse" : "keys: keyboard shortcuts";
  const button = make("button", { type: "button", class: "astra-keys", title: text, "aria-label": label, "aria-expanded": "false", text: "keys" }, bar);
  const help = make("p", { class: "astra-help", id: `${id}-keys`, hidden: true, text }, place);
  button.addEventListener("click", () => {
    put(button, "aria-expanded", String(help.hidden));
    put(help, "hidden", !help.hidden);
  });
  return (other) => {
    put(button, "title", other);
    put(help, "text", other);
  };
}
