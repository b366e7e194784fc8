// Keeps the pages that were seen, for when there is no network; asks the network first, so that a new site is seen.

const CACHE = "precache"; // the name that JupyterLite has, too

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", ({ data }) => {
  if (Array.isArray(data?.keep)) caches.open(CACHE).then((cache) => data.keep.forEach((url) => cache.add(url).catch(() => {})));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const found = await fetch(request);
    if (found.ok) cache.put(request, found.clone());
    return found;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
