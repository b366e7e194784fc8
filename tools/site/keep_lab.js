// As keep.js; JupyterLite first unregisters all workers of the place, so that ours has to come again.
const found = async () => (await navigator.serviceWorker.getRegistrations()).find(({ scope, active }) => active && scope.endsWith("/lite/"));
const wait = setInterval(async () => {
  const own = await found();
  if (!own) return;
  clearInterval(wait);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  own.active.postMessage({ keep: [location.href, ...loaded.filter((url) => url.startsWith(location.origin))] });
  navigator.serviceWorker.register("../../sw.js");
}, 500);
