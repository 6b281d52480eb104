// Keeps the page's own files, so that it starts without a network. It answers for these files and for nothing else: what
// goes to a server never passes through here. `BUILT` is put in by web/finish.mjs: the version, and the files with their
// SHA-384; the page itself is named "./".

const { version, files } = BUILT;
const home = self.registration.scope;
// Several copies of the page may lie on one origin.
const ours = `skillglass ${home} `;
const store = ours + version;
const kept = new Set(files.map(({ file }) => new URL(file, home).href));

async function keep(event) {
  // Where the browser can, requests to servers do not even wake this worker.
  await event.addRoutes?.({ condition: { requestMethod: "POST" }, source: "network" });
  const cache = await caches.open(store);
  // Other bytes than those of this build are kept by no means; then the browser tries again another day.
  await cache.addAll(files.map(({ file, integrity }) => new Request(new URL(file, home), { integrity, cache: "no-cache" })));
}

async function dropOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(ours) && name !== store).map((name) => caches.delete(name)));
}

async function fromStore(url, request) {
  const cache = await caches.open(store);
  return (await cache.match(url)) ?? fetch(request);
}

/** The page names its files by what is in them, so the newest one is as good as the one that is kept. */
async function newest(request) {
  const answer = await fetch(request).catch(() => undefined);
  const isUsable = answer && (answer.ok || answer.type === "opaqueredirect");
  return isUsable ? answer : ((await caches.match(home, { cacheName: store })) ?? answer ?? Response.error());
}

self.addEventListener("install", (event) => event.waitUntil(keep(event)));
self.addEventListener("activate", (event) => event.waitUntil(dropOthers()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method === "GET" && request.mode === "navigate" && [home, `${home}index.html`].includes(origin + pathname)) {
    event.respondWith(newest(request));
  } else if (request.method === "GET" && kept.has(request.url)) {
    event.respondWith(fromStore(request.url, request));
  }
});

self.addEventListener("message", ({ data, ports: [port] }) => {
  if (data === "version") {
    port.postMessage(version);
  } else if (data === "take over") {
    self.skipWaiting();
  }
});
