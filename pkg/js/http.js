// Conversations over Streamable HTTP with the platform's `fetch`.

import { orAborted, run } from "./carry.js";
import { Talk } from "./skillglass.js";

/** How long taking leave may take, in milliseconds. */
const LEAVE_MS = 5_000;

/**
 * Talks to a server over Streamable HTTP, in whichever era it speaks. See `host.d.ts`.
 */
export function httpTransport(url, options = {}) {
  return new HttpTransport(String(url), options);
}

class HttpTransport {
  #talk;
  #terms;
  #isClosed = false;
  /** Who waits for the conversation to be open. */
  #greeting = new Set();
  /** Who waits for the answer to a question, by its number. */
  #asking = new Map();
  /** What can end each request that is under way. */
  #limits = new Set();

  constructor(url, { fetch = globalThis.fetch, silenceMs = 60_000, headers = {}, ...options }) {
    this.#talk = new Talk(url, { ...options, headers: Object.fromEntries(new Headers(headers)) });
    this.#terms = { fetch: (...request) => fetch(...request), silenceMs };
  }

  async discover({ signal } = {}) {
    const declared = new Promise((resolve, reject) => this.#greeting.add({ resolve, reject }));
    this.#go();
    return orAborted(declared, signal);
  }

  async send({ method, params }, { signal } = {}) {
    const question = this.#talk.ask(method, params);
    const answer = new Promise((resolve, reject) => this.#asking.set(question, { resolve, reject, signal }));
    this.#go();
    try {
      return await orAborted(answer, signal);
    } finally {
      this.#asking.delete(question);
      this.#talk.withdraw(question);
    }
  }

  async close() {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#limits.forEach((limit) => limit.abort(closed()));
      this.#talk.close();
      this.#terms.silenceMs = Math.min(this.#terms.silenceMs, LEAVE_MS);
    }
    await Promise.all(this.#go());
  }

  /** Carries whatever the core names, and tells those who wait. Gives what it has begun to carry. */
  #go() {
    const begun = [];
    for (let errand = this.#talk.next(); errand; errand = this.#talk.next()) {
      const { signal } = this.#asking.get(errand.question) ?? {};
      const limit = new AbortController();
      this.#limits.add(limit);
      const done = () => {
        this.#limits.delete(limit);
        this.#go();
      };
      begun.push(run(this.#talk, errand, { ...this.#terms, signal, limit, meanwhile: () => this.#go() }).then(done));
    }
    for (let question = this.#talk.settled(); question !== undefined; question = this.#talk.settled()) {
      this.#asking.get(question)?.resolve(this.#talk.reply());
    }
    const failure = this.#isClosed ? closed() : this.#talk.takeFailure();
    if (this.#isClosed) {
      this.#asking.forEach(({ reject }) => reject(failure));
    }
    if (failure || !this.#talk.opening) {
      this.#greeting.forEach(({ resolve, reject }) => (failure ? reject(failure) : resolve(this.#talk.declared)));
      this.#greeting.clear();
    }
    return begun;
  }
}

const closed = () =>
  Object.assign(new Error("the conversation was closed; another httpTransport begins a new one"), { code: "closed" });
