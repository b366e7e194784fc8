// Elements: made, and changed only where something changed.

import { Glossary } from "./glossary.js";

const SVG = "http://www.w3.org/2000/svg";

/** A new element; "text" sets its text, everything else is an attribute. */
export function make(tag, attributes = {}, parent = null) {
  const inSvg = tag === "svg" || parent?.namespaceURI === SVG;
  const element = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) put(element, name, value);
  parent?.append(element);
  return element;
}

/** Set an attribute (or "text") only if it changed: the DOM is slow, comparing is not. */
export function put(element, name, value) {
  const known = (element.astraKnown ??= {});
  if (known[name] === value) return;
  known[name] = value;
  if (name === "text") element.textContent = value;
  else if (value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}

/** To tell the ids of views on one page apart. Each widget has a module of its own, so counting wouldn't do. */
export const unique = () => `astra-${Math.random().toString(36).slice(2)}`;

/** The outermost element of a view; `describedBy` ends the id of what describes it. */
export function makeRoot(el, name, id, describedBy = null) {
  const attributes = { class: `astra-widget astra-${name}`, role: "group" };
  if (describedBy) Object.assign(attributes, { tabindex: "0", "aria-describedby": `${id}-${describedBy}` });
  return make("div", attributes, el);
}

/** A line with the title; more can be appended to it. */
export function makeHead(root) {
  const head = make("div", { class: "astra-head" }, root);
  return { head, title: make("strong", { class: "astra-title" }, head) };
}

/** A table's head, of these columns; returns its body, to be filled. */
export function makeTable(table, columns) {
  const head = make("tr", {}, make("thead", {}, table));
  for (const text of columns) make("th", { scope: "col", text }, head);
  return make("tbody", {}, table);
}

/** What anywidget takes: a view for each place on the page, closed when the place is gone. */
export const widgetOf = (View) => ({
  render({ model, el }) {
    const view = new View(model, el);
    const glossary = new Glossary(view.root);
    return () => {
      glossary.end();
      view.destroy();
    };
  },
});
