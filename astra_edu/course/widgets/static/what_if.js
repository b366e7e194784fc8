// Text beside controls: a page part that is replaced as a whole, and the same as code, to be copied.
//   html    what is shown; said: the same in a sentence for a screen reader, read out when it has settled
//   code    lines of Python behind a heading that opens and closes

const SETTLED_MS = 700;

function make(tag, attributes = {}, parent = null) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
  parent?.append(element);
  return element;
}

/** Select all of an element's text, so that Ctrl+C copies it. */
function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

/** Give the handles of the sliders around an element the names and the values that are written beside them. */
function nameSliders(element) {
  const around = element.closest(".astra-with-sliders") ?? element;
  for (const handle of around.querySelectorAll(".noUi-handle")) {
    const slider = handle.closest(".widget-inline-hbox");
    const heading = slider.parentElement.querySelector("h4")?.textContent;
    const name = [heading, slider.querySelector("label").textContent].filter(Boolean).join(", ");
    const readout = slider.querySelector(".widget-readout");
    handle.setAttribute("aria-label", name);
    handle.setAttribute("aria-valuetext", readout.textContent);
    readout.setAttribute("aria-label", name);
    if (slider.classList.contains("astra-stepped")) readout.contentEditable = "false"; // what is typed there has no effect
  }
}

function code(model, root) {
  const details = make("details", {}, root);
  make("summary", { text: "The same as code" }, details);
  const bar = make("div", { class: "astra-copy" }, details);
  const button = make("button", { type: "button", text: "copy" }, bar);
  const said = make("span", { role: "status" }, bar);
  const lines = make("pre", { tabindex: "0", "aria-label": "Python code" }, details);
  button.addEventListener("click", async () => {
    select(lines);
    try {
      await navigator.clipboard.writeText(lines.textContent);
      said.textContent = "copied";
    } catch {
      said.textContent = "selected: Ctrl+C (⌘C) copies it";
    }
  });
  // Keys meant for the text (Ctrl+A, Ctrl+C) must not reach the notebook around it.
  lines.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !"ac".includes(event.key.toLowerCase())) return;
    event.stopPropagation();
    if (event.key.toLowerCase() === "a") {
      event.preventDefault();
      select(lines);
    }
  });
  return () => {
    details.hidden = !model.get("code");
    lines.textContent = model.get("code");
    said.textContent = "";
  };
}

function render({ model, el }) {
  const root = make("div", { class: "astra-what-if" }, el);
  const shown = make("div", {}, root);
  const live = make("div", { class: "astra-said", role: "status" }, root);
  const showCode = code(model, root);
  let timer;
  const showHtml = () => {
    const opened = [...shown.querySelectorAll("details")].map((details) => details.open);
    shown.innerHTML = model.get("html");
    shown.querySelectorAll("details").forEach((details, i) => (details.open = opened[i] ?? false));
  };
  const say = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      live.textContent = model.get("said");
      nameSliders(root);
    }, SETTLED_MS);
  };
  const heard = { html: showHtml, said: say, code: showCode };
  for (const [name, hear] of Object.entries(heard)) model.on(`change:${name}`, hear);
  showHtml();
  showCode();
  say();
  return () => {
    clearTimeout(timer);
    for (const [name, hear] of Object.entries(heard)) model.off(`change:${name}`, hear);
  };
}

export default { render };
