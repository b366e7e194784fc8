// The button that shows which keys there are, over whatever is around it; the key ? does the same.

import { make, put } from "./dom.js";
import { hearKeys } from "./keys.js";

const HELP_GAP = 4; // px

/** A button in a bar, and the text that it shows and hides. root: where its key is heard. Returns what changes the text. */
export function makeHelp(bar, root, id, text) {
  const label = text.includes("Mouse:") ? "keys: keyboard and mouse" : "keys: keyboard shortcuts";
  const button = make("button", { type: "button", class: "astra-keys", title: text, "aria-label": label, "aria-expanded": "false", popovertarget: `${id}-keys`, text: "keys" }, bar);
  const help = make("p", { class: "astra-help", id: `${id}-keys`, popover: "auto", text }, root);
  help.addEventListener("beforetoggle", ({ newState }) => {
    put(button, "aria-expanded", String(newState === "open"));
    if (newState === "open") Object.assign(help.style, helpPlace(button.getBoundingClientRect()));
  });
  root.addEventListener("keydown", (event) => event.key === "Escape" && help.matches(":popover-open") && event.stopImmediatePropagation(), true); // the browser closes it
  hearKeys(root, { "?": () => button.offsetParent && help.togglePopover() });
  return (other) => {
    put(button, "title", other);
    put(help, "text", other);
  };
}

/** Where what belongs to a box is in sight: on the side of it, and along it, where the window has more room. */
function helpPlace({ left, right, top, bottom }) {
  const [below, onward] = [top + bottom < innerHeight, left + right < innerWidth];
  const px = (length) => `${length}px`;
  return {
    top: below ? px(bottom + HELP_GAP) : "auto",
    bottom: below ? "auto" : px(innerHeight - top + HELP_GAP),
    left: onward ? px(left) : "auto",
    right: onward ? "auto" : px(innerWidth - right),
    maxWidth: px((onward ? innerWidth - left : right) - HELP_GAP),
    maxHeight: px((below ? innerHeight - bottom : top) - 2 * HELP_GAP),
  };
}
