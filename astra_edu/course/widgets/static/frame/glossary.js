// Words of the glossary: the first of its kind in a widget is marked, and explained on hover, on focus and on tap.

import { shortcut } from "./keys.js";

const GLOSSARY = null; // bundle.py puts course/glossary.py's words here

/** Where a word can't be marked: what has its own use for a click, pictures, numbers, what only a screen reader gets. */
const ELSEWHERE =
  "svg, button, select, input, output, pre, code, summary, a, td, caption, [hidden], [aria-hidden='true'], .astra-said, .astra-where, .astra-meaning, .astra-help";
const LINGER_MS = 150; // so that the pointer gets from a word to its meaning

/** The words' places in texts: {number of a meaning: [node, from, to]}, the first of each. */
export function firsts(nodes, { pattern, forms }) {
  const found = new Map();
  const every = new RegExp(pattern, "g");
  for (const node of nodes) {
    for (const hit of node.data.matchAll(every)) {
      const word = forms[hit[0].replace(/\s+/g, " ").toLowerCase()];
      if (!found.has(word)) found.set(word, [node, hit.index, hit.index + hit[0].length]);
    }
  }
  return found;
}

export class Glossary {
  constructor(root, glossary = GLOSSARY) {
    if (!glossary || !globalThis.MutationObserver) return;
    Object.assign(this, { root, glossary, marks: new Map(), open: null, timer: null });
    this.id = `astra-${Math.random().toString(36).slice(2)}`;
    this.ending = new AbortController();
    this.#hear();
    this.observer = new MutationObserver((changes) => this.#changed(changes));
    this.mark();
  }

  end() {
    this.observer?.disconnect();
    this.ending?.abort();
    clearTimeout(this.timer);
  }

  #changed(changes) {
    const counts = ({ type, target }) => !(type === "childList" ? target : target.parentElement)?.closest(ELSEWHERE);
    if (changes.some(counts)) this.mark();
  }

  /** Mark what isn't, and no more what is no longer the first. */
  mark() {
    this.observer.disconnect();
    const wanted = firsts(this.#texts(), this.glossary);
    for (const [word, mark] of this.marks) {
      if (wanted.get(word)?.[0].parentElement === mark) wanted.delete(word);
      else this.#unmark(word, mark);
    }
    const places = [...firsts(this.#texts(), this.glossary)].filter(([word]) => !this.marks.has(word));
    for (const [word, [node, from, to]] of places.reverse()) this.#wrap(word, node, from, to); // the last first: offsets stay
    this.observer.observe(this.root, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ["hidden", "open"] });
  }

  /** Texts in which words can be marked; what is read out as it changes comes last, so that marks keep their places. */
  #texts() {
    const walker = document.createTreeWalker(this.root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, {
      acceptNode: (node) => {
        if (node.nodeType === 3) return NodeFilter.FILTER_ACCEPT;
        const closed = node.parentElement.tagName === "DETAILS" && !node.parentElement.open && node.tagName !== "SUMMARY";
        return closed || node.matches(ELSEWHERE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
      },
    });
    const [still, live] = [[], []];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      (node.parentElement.closest("[aria-live], [role=status], [role=alert]") ? live : still).push(node);
    }
    return [...still, ...live];
  }

  #wrap(word, node, from, to) {
    const rest = node.splitText(from);
    rest.splitText(to - from);
    const mark = document.createElement("span");
    const id = `${this.id}-${word}`;
    for (const [name, value] of Object.entries({ class: "astra-term", role: "button", tabindex: "0", "aria-describedby": id })) mark.setAttribute(name, value);
    rest.replaceWith(mark);
    mark.append(rest);
    const meaning = document.createElement("span");
    for (const [name, value] of Object.entries({ class: "astra-meaning", role: "tooltip", id, popover: "manual" })) meaning.setAttribute(name, value);
    meaning.textContent = this.glossary.meanings[word];
    this.root.append(meaning);
    mark.astraMeaning = meaning;
    this.marks.set(word, mark);
  }

  #unmark(word, mark) {
    if (this.open === mark) this.#hide();
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent?.normalize();
    mark.astraMeaning.remove();
    this.marks.delete(word);
  }

  #hear() {
    const { root } = this;
    const { signal } = this.ending;
    const hear = (where, name, act, capture = false) => where.addEventListener(name, act, { signal, capture });
    const at = ({ target }) => target.closest?.(".astra-term");
    hear(root, "pointerover", (event) => {
      if (at(event)) this.#show(at(event));
      else if (event.target.closest?.(".astra-meaning")) clearTimeout(this.timer);
    });
    hear(root, "pointerout", (event) => (at(event) || event.target.closest?.(".astra-meaning")) && this.#leave());
    hear(root, "focusin", (event) => at(event) && this.#show(at(event)));
    hear(root, "focusout", (event) => at(event) && this.#hide());
    hear(root, "click", (event) => this.#press(event, at(event)), true);
    hear(root, "keydown", (event) => ["Enter", " "].includes(event.key) && !shortcut(event) && this.#press(event, at(event)), true);
    hear(document, "keydown", (event) => this.#escape(event), true);
    hear(window, "scroll", () => this.#hide(), true);
  }

  /** A press on a word is for the word: not for the label, the row or the picture around it. */
  #press(event, mark) {
    if (!mark) return;
    event.preventDefault();
    event.stopPropagation();
    this.#show(mark);
  }

  #escape(event) {
    if (event.key !== "Escape" || !this.open) return;
    event.stopPropagation();
    this.#hide();
  }

  #leave() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open === document.activeElement || this.#hide(), LINGER_MS);
  }

  #show(mark) {
    clearTimeout(this.timer);
    if (this.open === mark) return;
    this.#hide();
    this.open = mark;
    const { astraMeaning: meaning } = mark;
    meaning.showPopover?.();
    const word = mark.getClientRects()[0] ?? mark.getBoundingClientRect();
    const { width, height } = meaning.getBoundingClientRect();
    const below = word.bottom + 4 + height < innerHeight || word.top < height + 4;
    meaning.style.left = `${Math.max(4, Math.min(word.left, innerWidth - width - 4))}px`;
    meaning.style.top = `${below ? word.bottom + 4 : word.top - height - 4}px`;
  }

  #hide() {
    clearTimeout(this.timer);
    const { open } = this;
    this.open = null;
    if (open?.astraMeaning.isConnected) open.astraMeaning.hidePopover?.();
  }
}
