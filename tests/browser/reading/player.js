// What is on the page of one player: texts, places in px of its picture, colours and lines as they are painted.
() => {
  const all = (selector) => [...document.querySelectorAll(`.astra-player ${selector}`)];
  const style = (it, pseudo) => getComputedStyle(it, pseudo);
  const shown = (it) => style(it).display !== "none";
  const svg = document.querySelector(".astra-stage svg");
  const before = (it) => ({ text: it.textContent, sign: style(it, "::before").content, round: style(it, "::before").borderRadius,
    colour: style(it, "::before").backgroundColor, image: style(it, "::before").backgroundImage,
    line: style(it, "::before").outlineStyle, edge: style(it, "::before").outlineColor });
  return {
    banner: all(".astra-banner").map((it) => ({ ...before(it), edge: style(it).borderTopColor, line: style(it).borderTopStyle }))[0],
    nodes: all(".astra-node").map((it) => { const [circle, text] = it.children; return {
      name: text.textContent, at: [+circle.getAttribute("cx"), +circle.getAttribute("cy")], r: +circle.getAttribute("r"),
      text: [+text.getAttribute("x"), +text.getAttribute("y")],
      places: [...it.querySelectorAll("circle")].map((one) => ({ at: [+one.getAttribute("cx"), +one.getAttribute("cy")],
        name: one.nextSibling.textContent, edge: style(one).stroke, fill: style(one).fill })),
      fill: style(circle).fill, edge: style(circle).stroke, wide: parseFloat(style(circle).strokeWidth) }; }),
    tokens: all(".astra-token").filter(shown).map((it) => { const [box, text] = it.children, { e, f } = it.getCTM();
      const scale = svg.getCTM(); return {
      at: [(e - scale.e) / scale.a, (f - scale.f) / scale.d], text: text.textContent, opacity: +style(it).opacity,
      fill: style(box).fill, edge: style(box).stroke, round: +box.getAttribute("rx"), wide: +box.getAttribute("width") }; }),
    arrows: all(".astra-arrow").filter(shown).map((it) => { const long = it.getTotalLength(), end = it.getPointAtLength(long);
      const start = it.getPointAtLength(0), tip = document.getElementById((/#([^")]+)/.exec(style(it).markerEnd) ?? [])[1]); return {
      from: [start.x, start.y], to: [end.x, end.y], edge: style(it).stroke, dash: style(it).strokeDasharray, opacity: +style(it).opacity,
      wide: parseFloat(style(it).strokeWidth), other: [style(it).markerStart, style(it).markerMid],
      tip: tip && { d: tip.firstChild.getAttribute("d"), fill: style(tip.firstChild).fill, turns: tip.getAttribute("orient") } }; }),
    columns: all("thead th").map((it) => it.textContent),
    titles: all("thead th").map((it) => it.title),
    rows: all("tbody tr").map((row) => ({ name: row.children[0].textContent, bold: style(row.children[0]).fontWeight,
      y: row.getBoundingClientRect().y,
      cells: [...row.querySelectorAll("td")].map((it) => { const s = style(it); return { text: it.textContent, ink: s.color,
        back: s.backgroundImage, shade: s.backgroundColor, line: s.outlineStyle, edge: s.outlineColor, wanted: s.boxShadow }; }) })),
    legend: all(".astra-table .astra-legend > span").map(before),
    phases: all(".astra-segment").map((it) => { const box = it.getBoundingClientRect(), strip = it.parentElement.getBoundingClientRect();
      return { text: it.textContent, from: (box.left - strip.left) / strip.width, to: (box.right - strip.left) / strip.width,
      back: style(it).backgroundColor, ink: style(it).color, line: style(it).borderBottomStyle, edge: style(it).borderBottomColor }; }),
    ticks: all(".astra-ticks i").map((it) => { const strip = it.parentElement.getBoundingClientRect();
      return (it.getBoundingClientRect().left - strip.left) / strip.width; }),
    clocks: all(".astra-clock").map((it) => [it.textContent, it.getAttribute("aria-pressed"), style(it).backgroundColor]),
    where: all(".astra-where")[0].textContent,
    slider: [+all(".astra-range")[0].value, +all(".astra-range")[0].max],
    live: all(".astra-live")[0].textContent,
    written: all(".astra-box-name").map((it) => [it.textContent, +it.getAttribute("x"), +it.getAttribute("y")]),
    wires: all(".astra-wires path").map((it) => it.getAttribute("d").match(/[\d.]+/g).map(Number)),
    title: all(".astra-title")[0].textContent,
    detail: all(".astra-detail")[0]?.textContent,
  };
}
