// Keys: which belong to the page, which to a control, and what the others do.

/** Whether a key belongs to the page around the widget, such as Ctrl+S or Shift+Enter. */
export const shortcut = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");

/** Whether the control that has the focus needs the key itself. The strip to scrub on, .astra-range, needs none. */
export function ownKey({ target, key }) {
  if (target.tagName === "SELECT") return true;
  if (target.tagName === "INPUT") return !target.classList.contains("astra-range");
  return ["BUTTON", "SUMMARY"].includes(target.tagName) && (key === " " || key === "Enter");
}

/** Do what `acts` has for a key; with Shift, what it has for "Shift+" and the key, if anything. */
export function press(event, acts) {
  if (shortcut(event)) return;
  event.stopPropagation(); // a notebook has its own use for plain keys: x cuts a cell
  const act = (event.shiftKey && acts[`Shift+${event.key}`]) || acts[event.key];
  if (!act || ownKey(event)) return;
  event.preventDefault();
  act();
}

/** Let a view have the keys pressed anywhere in it. */
export function hearKeys(root, acts) {
  root.addEventListener("keydown", (event) => press(event, acts));
  root.addEventListener("keyup", (event) => shortcut(event) || event.stopPropagation());
}
