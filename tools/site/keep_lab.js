// As keep.js, and all that a kernel loads; JupyterLite first unregisters all workers of the place, so ours has to come again.
const CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

async function kernel() {
  const folder = new URL("../static/pyodide/", location.href);
  const { packages } = await (await fetch(new URL("pyodide-lock.json", folder))).json();
  return [...CORE, ...Object.values(packages).map((each) => each.file_name)].map((name) => new URL(name, folder).href);
}

const found = async () => (await navigator.serviceWorker.getRegistrations()).find(({ scope, active }) => active && scope.endsWith("/lite/"));
const wait = setInterval(async () => {
  const own = await found();
  if (!own) return;
  clearInterval(wait);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const all = [location.href, ...loaded, ...(await kernel())];
  own.active.postMessage({ keep: all.filter((url) => url.startsWith(location.origin)) });
  navigator.serviceWorker.register("../../sw.js");
}, 500);
