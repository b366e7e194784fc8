import assert from "node:assert/strict";
import test from "node:test";
import { Element, load, openPage } from "./page.js";

openPage();
const { make, makeHead, makeRoot, makeTable, put, unique, widgetOf } = await load("frame/dom.js");
const { makeHelp } = await load("frame/help.js");

test("in a picture elements are SVG, elsewhere HTML", () => {
  const svg = make("svg", { viewBox: "0 0 1 1" });
  assert.match(make("path", { d: "M0 0" }, svg).namespaceURI, /svg$/);
  assert.equal(make("p", { text: "words" }).namespaceURI, null);
  assert.equal(svg.children.length, 1);
});

test("only what changed is written", () => {
  const element = make("p", { class: "a", text: "one" });
  const { writes } = element;
  put(element, "class", "a");
  put(element, "text", "one");
  assert.equal(element.writes, writes);
  put(element, "class", "b");
  assert.equal(element.writes, writes + 1);
});

test("true is an attribute without a value, false and null are none", () => {
  const element = make("p", { hidden: true });
  assert.equal(element.attributes.hidden, "");
  put(element, "hidden", false);
  assert.equal(element.hidden, false);
  put(element, "title", null);
  assert.equal("title" in element.attributes, false);
});

test("a root has a class for the frame and one of its own, and can say what describes it", () => {
  const el = new Element("div");
  const root = makeRoot(el, "folds", "astra-1", "live");
  assert.deepEqual(root.attributes, { class: "astra-widget astra-folds", role: "group", tabindex: "0", "aria-describedby": "astra-1-live" });
  assert.equal("tabindex" in makeRoot(el, "stages", "astra-1").attributes, false);
  assert.equal(makeHead(root).title.tagName, "STRONG");
});

test("a table's columns have headers", () => {
  const table = make("table");
  const body = makeTable(table, ["lane", "spans"]);
  const [head] = table.children;
  assert.deepEqual(head.children[0].children.map(({ textContent, attributes }) => [textContent, attributes.scope]), [["lane", "col"], ["spans", "col"]]);
  assert.equal(table.children[1], body);
});

test("no two views have the same ids", () => {
  assert.equal(new Set(Array.from({ length: 1000 }, unique)).size, 1000);
});

test("a place on the page gets a view, which is closed with it", () => {
  const seen = [];
  const widget = widgetOf(class {
    constructor(model, el) {
      seen.push([model, el]);
    }

    destroy() {
      seen.push("closed");
    }
  });
  const close = widget.render({ model: 1, el: 2 });
  close();
  assert.deepEqual(seen, [[1, 2], "closed"]);
});

test("the help pops up beside its button, which says so, where the window has room", () => {
  const [bar, root] = [new Element("div"), new Element("div")];
  makeHelp(bar, root, "astra-1", "Space: play\nMouse: drag");
  const [[button], [help]] = [bar.children, root.children];
  Object.assign(globalThis, { innerWidth: 1000, innerHeight: 600 });
  help.style = {};
  assert.deepEqual([button.attributes["aria-expanded"], button.attributes.popovertarget, help.attributes.id], ["false", "astra-1-keys", "astra-1-keys"]);
  assert.equal(button.attributes["aria-label"], "keys: keyboard and mouse");
  button.getBoundingClientRect = () => ({ left: 900, right: 940, top: 500, bottom: 528 });
  help.fire("beforetoggle", { newState: "open" });
  assert.equal(button.attributes["aria-expanded"], "true");
  assert.deepEqual(help.style, { top: "auto", bottom: "104px", left: "auto", right: "60px", maxWidth: "936px", maxHeight: "492px" });
  button.getBoundingClientRect = () => ({ left: 20, right: 60, top: 100, bottom: 128 });
  help.fire("beforetoggle", { newState: "open" });
  assert.deepEqual(help.style, { top: "132px", bottom: "auto", left: "20px", right: "auto", maxWidth: "976px", maxHeight: "464px" });
  help.fire("beforetoggle", { newState: "closed" });
  assert.equal(button.attributes["aria-expanded"], "false");
});
