// Starts a deck: a slide is made smaller until it fits; Escape in an instrument leads back to the slides.
Reveal.initialize({ width: 1280, height: 720, margin: 0.02, hash: true, transition: "none", center: false,
  slideNumber: "c/t", navigationMode: "linear", backgroundTransition: "none" });
const fit = () => {
  const inner = Reveal.getCurrentSlide()?.querySelector(":scope > .fit");
  if (inner && !inner.style.zoom && inner.scrollHeight > 670) inner.style.zoom = 660 / inner.scrollHeight;
};
Reveal.on("ready", fit);
Reveal.on("slidechanged", fit);
addEventListener("message", ({ data }) => {
  if (data === "back to the slides") { document.activeElement.blur(); window.focus(); }
});
