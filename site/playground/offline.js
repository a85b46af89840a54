/**
 * The service worker: the page and its engine can be loaded again without a network. It keeps the files of one build, and
 * another build is another worker: it takes over when no page of the older one is open, so files of two are never mixed.
 */

// `bundle.mjs` sets FILES, the files of this build as the page asks for them, and BUILD, the digest of all.

const PREFIX = `tfdsl-playground ${self.registration.scope} `;
const CACHE = PREFIX + BUILD;

self.addEventListener("install", (event) => {
  // Past the browser's own cache, which may have files of an older build.
  const files = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
});

self.addEventListener("activate", (event) => {
  const older = (name) => name.startsWith(PREFIX) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(older).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(self.registration.scope)) {
    const kept = caches.open(CACHE).then((cache) => cache.match(request, { ignoreSearch: true }));
    event.respondWith(kept.then((response) => response ?? fetch(request)));
  }
});
