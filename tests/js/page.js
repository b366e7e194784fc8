// A page that is just enough of one for the frame: elements, frames, timers, a model. Nothing moves unless told to.

const WHERE = "../../astra_edu/course/widgets/static/";

/** A module of the widgets. */
export const load = (path) => import(new URL(WHERE + path, import.meta.url));

export class Element {
  constructor(tag, namespaceURI = null) {
    Object.assign(this, { tagName: tag.toUpperCase(), namespaceURI, attributes: {}, children: [], heard: {}, writes: 0, textContent: "", value: "" });
    this.classList = { contains: (name) => (this.attributes.class ?? "").split(" ").includes(name) };
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
    this.writes += 1;
  }

  removeAttribute(name) {
    delete this.attributes[name];
    this.writes += 1;
  }

  append(...children) {
    this.children.push(...children);
  }

  addEventListener(name, hear) {
    (this.heard[name] ??= []).push(hear);
  }

  removeEventListener(name, hear) {
    this.heard[name] = this.heard[name].filter((other) => other !== hear);
  }

  fire(name, event = {}) {
    for (const hear of this.heard[name] ?? []) hear(event);
  }

  get options() {
    return this.children.map((child) => Object.assign(child, { value: child.attributes.value }));
  }

  get hidden() {
    return "hidden" in this.attributes;
  }
}

/** Put document, frames and timers in place; `tick(ms)` lets time pass, `calm` is whether no motion is asked for. */
export function openPage() {
  const page = { now: 0, calm: false, frames: new Map(), timers: new Map(), next: 1, scheme: new Element("scheme"), observers: [] };
  class Observer {
    constructor(act) {
      Object.assign(this, { act, seen: [] });
      page.observers.push(this);
    }

    observe(...seen) {
      this.seen.push(seen);
    }

    disconnect() {
      this.seen = [];
    }
  }
  Object.assign(globalThis, {
    document: { createElement: (tag) => new Element(tag), createElementNS: (space, tag) => new Element(tag, space), body: new Element("body") },
    matchMedia: (query) => (query.includes("motion") ? { matches: page.calm } : page.scheme),
    ResizeObserver: Observer,
    MutationObserver: Observer,
    performance: { now: () => page.now },
    requestAnimationFrame: (act) => (page.frames.set(page.next, act), page.next++),
    cancelAnimationFrame: (request) => page.frames.delete(request),
    setTimeout: (act, ms) => (page.timers.set(page.next, { act, at: page.now + ms }), page.next++),
    clearTimeout: (timer) => page.timers.delete(timer),
  });
  page.frame = (ms = 16) => {
    page.tick(ms);
    const due = [...page.frames];
    page.frames.clear();
    for (const [, act] of due) act(page.now);
  };
  page.tick = (ms) => {
    page.now += ms;
    for (const [timer, { act, at }] of [...page.timers]) {
      if (at <= page.now && page.timers.delete(timer)) act();
    }
  };
  return page;
}

export class Model {
  constructor(state) {
    Object.assign(this, { state, heard: {}, saved: [] });
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    if (this.state[name] === value) return;
    this.state[name] = value;
    for (const hear of this.heard[`change:${name}`] ?? []) hear();
  }

  on(name, hear) {
    (this.heard[name] ??= []).push(hear);
  }

  off(name, hear) {
    this.heard[name] = this.heard[name].filter((other) => other !== hear);
  }

  save_changes() {
    this.saved.push({ ...this.state });
  }
}

/** Columns of numbers as Python sends them: a view of bytes. */
export function packed(...arrays) {
  const parts = arrays.map((array) => new Uint8Array(array.buffer));
  const bytes = new Uint8Array(3 + parts.reduce((sum, part) => sum + part.length, 0)); // not at the buffer's start
  let offset = 3;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return new DataView(bytes.buffer, 3);
}
