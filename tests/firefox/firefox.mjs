// Drives the Firefox that `cargo xtask test` found, by the protocol that browsers share: WebDriver BiDi.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import WebSocket from "ws";

/** For a crowded machine; nothing here waits for time to pass. */
const PATIENCE_MS = 30_000;

/** What keeps Firefox from talking to anyone but the page under test. */
const QUIET = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.safebrowsing.downloads.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.getAddons.cache.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "network.dns.disablePrefetch": true,
  "services.settings.server": "data:,",
  "toolkit.telemetry.server": "",
};

/** Starts Firefox in a fresh profile. */
export async function launchFirefox() {
  const executable = process.env.FIREFOX_PATH;
  if (!executable) {
    throw new Error("FIREFOX_PATH names no Firefox; `cargo xtask test` sets it.");
  }
  const profile = mkdtempSync(join(tmpdir(), "skillglass-firefox-"));
  const preferences = Object.entries(QUIET).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  writeFileSync(join(profile, "user.js"), preferences.join(""));
  const process_ = spawn(executable, ["--headless", "--remote-debugging-port=0", "--profile", profile], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => process_.once("exit", resolve));
  const close = async () => {
    process_.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true });
  };
  try {
    const connection = await Connection.open(`${await listening(process_)}/session`);
    await connection.send("session.new", { capabilities: {} });
    return new Firefox(connection, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address that Firefox says it listens at. */
function listening(process_) {
  return new Promise((resolve, reject) => {
    let said = "";
    process_.once("error", reject);
    process_.once("exit", () => reject(new Error(`Firefox ended before it listened: ${said}`)));
    process_.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      const found = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said);
      if (found) {
        resolve(found[1]);
      }
    });
  });
}

/** Commands and events over one socket. */
class Connection {
  #socket;
  #last = 0;
  #waiting = new Map();
  #listeners = new Map();

  static async open(address) {
    const connection = new Connection();
    const socket = (connection.#socket = new WebSocket(address));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    socket.on("message", (data) => connection.#take(JSON.parse(data)));
    return connection;
  }

  send(method, params) {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { method, resolve, reject }));
  }

  on(event, listener) {
    this.#listeners.set(event, listener);
  }

  #take(message) {
    if (message.type === "event") {
      this.#listeners.get(message.method)?.(message.params);
      return;
    }
    const { method, resolve, reject } = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "success") {
      resolve(message.result);
    } else {
      reject(new Error(`${method}: ${message.message}`));
    }
  }
}

class Firefox {
  #connection;

  constructor(connection, close) {
    this.#connection = connection;
    this.close = close;
  }

  /** A tab of its own, in a profile of its own, at `url`. What it reports and asks for is kept in `errors` and `requests`. */
  async open(url) {
    const { userContext } = await this.#connection.send("browser.createUserContext", {});
    const { context } = await this.#connection.send("browsingContext.create", { type: "tab", userContext });
    const page = new Page(this.#connection, context);
    await this.#connection.send("session.subscribe", {
      events: ["log.entryAdded", "network.beforeRequestSent"],
      contexts: [context],
    });
    this.#connection.on("log.entryAdded", ({ level, text }) => level === "error" && page.errors.push(text));
    this.#connection.on("network.beforeRequestSent", ({ request }) => page.requests.push(request.url));
    await this.#connection.send("browsingContext.setViewport", { context, viewport: { width: 1440, height: 900 } });
    await this.#connection.send("browsingContext.navigate", { context, url, wait: "complete" });
    return page;
  }
}

class Page {
  #connection;
  #context;
  errors = [];
  requests = [];

  constructor(connection, context) {
    this.#connection = connection;
    this.#context = context;
  }

  /** Waits for an element that this selector finds, that is shown and whose text or label holds `text`. */
  async find(selector, text = "") {
    const { result, exceptionDetails } = await this.#call(
      `(selector, text, patience) => new Promise((resolve, reject) => {
        const holds = (element) => element.checkVisibility()
          && ((element.ariaLabel ?? "") + " " + element.innerText).replaceAll(/\\s+/g, " ").includes(text);
        const look = () => [...document.querySelectorAll(selector)].find(holds);
        const done = (found) => { observer.disconnect(); clearTimeout(timer); resolve(found); };
        const observer = new MutationObserver(() => { const found = look(); if (found) done(found); });
        const timer = setTimeout(() => {
          observer.disconnect();
          const there = [...document.querySelectorAll(selector)].map((element) => element.innerText);
          reject(new Error("no " + selector + " says " + JSON.stringify(text) + ": " + JSON.stringify(there)));
        }, patience);
        observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
        const found = look();
        if (found) done(found);
      })`,
      [selector, text, PATIENCE_MS],
    );
    if (exceptionDetails) {
      throw new Error(exceptionDetails.text);
    }
    return result;
  }

  /** Clicks as a person does, with a pointer. */
  async click(selector, text) {
    const element = await this.find(selector, text);
    await this.#call("(element) => element.scrollIntoView({ block: 'center' })", [element]);
    await this.#perform({
      type: "pointer",
      id: "pointer",
      actions: [
        { type: "pointerMove", x: 0, y: 0, origin: { type: "element", element: { sharedId: element.sharedId } } },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ],
    });
  }

  /** Loads the page anew. */
  async reload() {
    await this.#connection.send("browsingContext.reload", { context: this.#context, wait: "complete" });
  }

  /** Waits until the page's service worker has taken over. */
  async isKept() {
    await this.#call("() => navigator.serviceWorker.ready.then(() => {})", []);
  }

  /** Types into whatever has the focus. */
  async type(text) {
    const actions = [...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.#perform({ type: "key", id: "keyboard", actions });
  }

  /** The window that this page opens while `act` is done. */
  async opens(act) {
    const opened = new Promise((resolve) => {
      this.#connection.on("browsingContext.contextCreated", ({ context, originalOpener }) => {
        if (originalOpener === this.#context) {
          resolve(new Page(this.#connection, context));
        }
      });
    });
    await this.#connection.send("session.subscribe", { events: ["browsingContext.contextCreated"] });
    await act();
    return opened;
  }

  /** Waits until the window is gone. */
  async closed() {
    const isThere = ({ contexts }) => contexts.some(({ context }) => context === this.#context);
    const gone = new Promise((resolve) => {
      this.#connection.on("browsingContext.contextDestroyed", ({ context }) => context === this.#context && resolve());
    });
    await this.#connection.send("session.subscribe", { events: ["browsingContext.contextDestroyed"] });
    if (isThere(await this.#connection.send("browsingContext.getTree", { maxDepth: 0 }))) {
      await gone;
    }
  }

  #perform(source) {
    return this.#connection.send("input.performActions", { context: this.#context, actions: [source] });
  }

  #call(functionDeclaration, values) {
    const argument = (value) =>
      value.sharedId ? { sharedId: value.sharedId } : { type: typeof value, value };
    return this.#connection.send("script.callFunction", {
      functionDeclaration,
      arguments: values.map(argument),
      awaitPromise: true,
      target: { context: this.#context },
    });
  }
}
