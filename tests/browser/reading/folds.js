// What is on the page of one widget of folds: rectangles of the plane and the arrays, texts, figures, as they are painted.
() => {
  const all = (selector) => [...document.querySelectorAll(`.astra-folds ${selector}`)];
  const style = (it) => getComputedStyle(it);
  const tile = (it) => {
    const found = document.getElementById((/#([^")]+)/.exec(style(it).fill) ?? [])[1]);
    return found ? [style(found.children[0]).fill, found.children[1].getAttribute("d"), style(found.children[1]).stroke] : style(it).fill;
  };
  const shape = (it) => ({ look: tile(it), edge: style(it).stroke, boxes: [...(it.getAttribute("d") ?? "").matchAll(
    /M(-?[\d.e-]+) (-?[\d.e-]+)h(-?[\d.e-]+)v(-?[\d.e-]+)h/g)].map((found) => found.slice(1).map(Number)) });
  const [plane, array] = all(".astra-stage svg").map((svg) => ({
    done: [...svg.querySelectorAll(".astra-fold-done")].map(shape)[0], now: [...svg.querySelectorAll(".astra-fold-now")].map(shape)[0],
    idle: [...svg.querySelectorAll(".astra-fold-idle")].map(shape)[0], frame: [...svg.querySelectorAll(".astra-frame")].map(shape)[0],
    pointers: [...(svg.querySelector(".astra-pointers")?.getAttribute("d") ?? "").matchAll(/M(-?[\d.]+) (-?[\d.]+)l(-?\d+) (-?\d+)/g)].map((found) => found.slice(1).map(Number)),
    texts: [...svg.querySelectorAll("text")].map((it) => [it.textContent, it.getAttribute("transform") ?? ""]) }));
  return {
    plane, array,
    title: all(".astra-title")[0].textContent,
    legend: all(".astra-legend .astra-key").map((key) => ({ text: key.textContent, look: tile(key.querySelector("svg > rect")) })),
    figures: Object.fromEntries(all(".astra-figures dt").map((it) => [it.textContent, it.nextElementSibling.textContent])),
    parts: all(".astra-parts > span")[0].textContent,
    bar: all(".astra-part").map((it) => [it.className, it.textContent, it.getBoundingClientRect().width / it.parentElement.clientWidth]),
    over: all(".astra-over")[0].getBoundingClientRect().width / all(".astra-strip")[0].getBoundingClientRect().width,
    where: all(".astra-where")[0].textContent,
    slider: [+all(".astra-range")[0].value, +all(".astra-range")[0].max],
    live: all(".astra-live")[0].textContent,
    back: style(document.querySelector(".astra-folds")).backgroundColor,
    controls: all(".astra-control").map((it) => [it.firstElementChild.textContent, it.querySelector("[type=number]")?.value]),
    dataflow: all("select")[0].value,
  };
}
