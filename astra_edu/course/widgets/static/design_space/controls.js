// What is chosen above a picture: menus and boxes to tick.

import { make } from "../frame/dom.js";

/** A menu of names in a bar; label: what it is called where nobody sees the text before it. */
export function chooser(bar, label, names, value, chosen, text = `${label}:`) {
  const place = make("label", { class: "astra-chooser", text: `${text} ` }, bar);
  const menu = make("select", { "aria-label": label }, place);
  for (const name of names) make("option", { value: name, text: name }, menu);
  menu.value = value;
  menu.addEventListener("change", () => chosen(menu.value));
  return menu;
}

/** A box to tick in a bar. */
export function ticked(bar, label, on, changed, text, off = false) {
  const place = make("label", { class: "astra-chooser" }, bar);
  const box = make("input", { type: "checkbox", "aria-label": label, disabled: off }, place);
  box.checked = on;
  place.append(text);
  box.addEventListener("change", () => changed(box.checked));
  return box;
}
