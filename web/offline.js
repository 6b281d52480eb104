// Has a service worker keep the page (web/sw.js), and says when a newer one is there. The page that `skillglass inspect`
// serves is another one each time it is started, with a token of its own, so that one is never kept.

const HOUR = 3_600_000;
const { version } = document.documentElement.dataset;

function ask(worker, question) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage(question, [port2]);
  });
}

function button(text, press) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "button small", textContent: text });
  made.addEventListener("click", press);
  return made;
}

/** Lets the user decide when to reload, as that lets go of what the page has read. */
function offer(worker) {
  const notice = document.getElementById("news");
  const text = document.createElement("p");
  text.textContent = "A new version of Skillglass is ready. Loading it lets go of what this page has read.";
  const load = () => {
    if (worker.state === "activated") {
      location.reload();
    }
    worker.addEventListener("statechange", () => worker.state === "activated" && location.reload());
    worker.postMessage("take over");
  };
  const acts = document.createElement("p");
  acts.className = "acts";
  acts.append(button("Load it", load), button("Later", () => notice.replaceChildren()));
  notice.replaceChildren(text, acts);
}

/** A worker of this page's own version is what it should have; one of another version is news. */
async function judge(worker) {
  if ((await ask(worker, "version")) === version) {
    worker.postMessage("take over");
  } else {
    offer(worker);
  }
}

function follow(registration) {
  const settle = (worker) => worker.state === "installed" && registration.active && judge(worker);
  // One that was refused at once is gone before it can be watched.
  const watch = (worker) => worker?.addEventListener("statechange", () => settle(worker));
  [registration.waiting, registration.installing].filter(Boolean).forEach((worker) => {
    watch(worker);
    settle(worker);
  });
  registration.addEventListener("updatefound", () => watch(registration.installing));

  let lookedAt = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && performance.now() - lookedAt > HOUR) {
      lookedAt = performance.now();
      registration.update().catch(() => {});
    }
  });
}

/** Begins, once the page has started. Where a browser allows no service worker, the page is as good as before. */
export async function keepOffline() {
  const workers = navigator.serviceWorker;
  if (!workers || navigator.connection?.saveData) {
    return;
  }
  try {
    if (document.querySelector("meta[name=skillglass-bridge]")) {
      // One that another program has left at this address would bring its page back.
      await (await workers.getRegistration())?.unregister();
    } else {
      follow(await workers.register("sw.js"));
    }
  } catch {
    // Private windows, storage that is full, or turned off.
  }
}
