// What is on the page of one link player: nodes, links, messages, the table, the legend, as they are painted.
() => {
  const all = (selector) => [...document.querySelectorAll(`.astra-links ${selector}`)];
  const style = (it) => getComputedStyle(it);
  const number = (it, ...names) => names.map((name) => +it.getAttribute(name));
  const pieces = (path) => (path?.getAttribute("d") ?? "").split("M").filter(Boolean).map((piece) => piece.match(/-?[\d.]+/g).map(Number));
  const line = (it) => {
    const long = it.getTotalLength(), [start, middle, end] = [0, 0.5, 1].map((share) => it.getPointAtLength(share * long));
    const { stroke, strokeWidth, strokeDasharray } = style(it);
    return { from: [start.x, start.y], half: [middle.x, middle.y], to: [end.x, end.y], edge: stroke, wide: parseFloat(strokeWidth), dash: strokeDasharray };
  };
  const texts = (selector) => all(selector).filter((it) => it.textContent).map((it) => ({ text: it.textContent, at: number(it, "x", "y") }));
  const message = all(".astra-stage .astra-message")[0];
  return {
    circles: all(".astra-stage circle").map((it) => number(it, "cx", "cy")),
    squares: all(".astra-stage rect").map((it) => number(it, "x", "y", "width")),
    names: texts(".astra-stage .astra-plain"),
    switches: texts(".astra-stage .astra-switch-name"),
    links: all(".astra-stage .astra-link").map(line),
    messages: pieces(message).map(([x, y, wide]) => [x + wide / 2, y + wide / 2]),
    token: [style(message).fill, style(message).stroke],
    waiting: texts(".astra-stage .astra-waiting"),
    crosses: pieces(all(".astra-stage .astra-cross")[0]).map(([x, y]) => [x, y]),
    head: all("thead th").map((it) => it.textContent),
    rows: all("tbody tr").filter((row) => style(row).display !== "none").map((row) => ({
      cells: [...row.children].map((it) => it.textContent), back: style(row.children[1]).backgroundImage })),
    legend: all(".astra-legend .astra-key").map((key) => ({ text: key.textContent, paths: [...key.querySelectorAll("path")].map((it) => {
      return { ...line(it), fill: style(it).fill, d: it.getAttribute("d") }; }) })),
    load: { d: all(".astra-load")[0].getAttribute("d"), fill: style(all(".astra-load")[0]).fill, size: all(".astra-strip svg")[0].getAttribute("viewBox") },
    where: all(".astra-where")[0].textContent,
    slider: [+all(".astra-range")[0].value, +all(".astra-range")[0].max],
    live: all(".astra-live")[0].textContent,
    title: all(".astra-title")[0].textContent,
    back: style(document.querySelector(".astra-links")).backgroundColor,
  };
}
