// What this page has loaded without the worker that keeps it for when there is no network.
navigator.serviceWorker?.ready.then(({ active }) => {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  active.postMessage({ keep: [location.href, ...loaded.filter((url) => url.startsWith(location.origin))] });
});
