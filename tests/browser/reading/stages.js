// What is on the page of a pipeline's stages beside its canvas.
() => {
  const all = (selector) => [...document.querySelectorAll(`.astra-stages ${selector}`)];
  const text = (selector) => all(selector).map((it) => it.textContent);
  return {
    title: text(".astra-title")[0],
    words: text(".astra-words")[0],
    caption: text("caption")[0],
    head: text("thead th"),
    rows: all("tbody tr").map((row) => [...row.children].map((it) => it.textContent)),
    legend: text(".astra-legend > span:not(.astra-key)"),
    controls: all("fieldset label").map((label) => {
      const [menu, range] = [label.querySelector("select"), label.querySelector("input")];
      const said = menu ? menu.selectedOptions[0].textContent : label.querySelector("output").textContent;
      const name = [...label.childNodes].filter((node) => node.nodeType === 3 || node.matches(".astra-term")); // a word may be marked
      return [name.map((node) => node.textContent).join("").trim(), said, menu ? [...menu.options].map((it) => it.textContent) : [+range.min, +range.value, +range.max]];
    }),
    where: text(".astra-where")[0],
    slider: [+all(".astra-range")[0].value, +all(".astra-range")[0].max],
  };
}
