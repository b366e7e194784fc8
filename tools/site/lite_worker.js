// JupyterLite's own worker, and what it leaves out: lists of files, and what a page had loaded before the worker came.

importScripts("jupyterlite-worker.js");

const KEPT = "precache"; // where JupyterLite's worker looks, too

self.addEventListener("message", ({ data }) => {
  if (Array.isArray(data?.keep)) keep(data.keep);
});

async function keep(urls) {
  const cache = await caches.open(KEPT);
  for (const url of urls) if (!(await cache.match(url))) await cache.add(url).catch(() => {}); // the next time, then
}

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  const asked = ["/api/drive", "/api/stdin/", "/api/service-worker-heartbeat"].some((path) => pathname.includes(path));
  if (event.request.method !== "GET" || origin !== location.origin || asked || !pathname.includes("/api/")) return;
  event.respondWith(fresh(event.request));
});

async function fresh(request) {
  const cache = await caches.open(KEPT);
  try {
    const found = await fetch(request);
    cache.put(request, found.clone());
    return found;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
