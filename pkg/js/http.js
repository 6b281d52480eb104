// Streamable HTTP with the platform's `fetch`. What to send, what an answer is and whether to ask again says the core; this
// file carries bytes and keeps the time.

import { Conversation } from "./skillglass.js";

/** How many times longer than one silence a whole answer may take. */
const WHOLE = 20;

/** Why an exchange was given up. */
const SILENT = new Error("the server was silent for too long");

/**
 * Talks to a server over Streamable HTTP, in whichever era it speaks. See `host.d.ts`.
 */
export function httpTransport(url, options = {}) {
  return new HttpTransport(String(url), options);
}

class HttpTransport {
  #conversation;
  #terms;
  /** The handshake that goes on, for all who wait for it. */
  #opening;

  constructor(url, { headers = {}, token, era = "auto", fetch = globalThis.fetch, silenceMs = 60_000 }) {
    const pairs = [...new Headers(headers)];
    if (token !== undefined) {
      pairs.push(["Authorization", `Bearer ${token}`]);
    }
    this.#conversation = new Conversation(url, pairs, era);
    this.#terms = { fetch: (...request) => fetch(...request), silenceMs };
  }

  async discover({ signal } = {}) {
    await this.#open(signal);
    return this.#conversation.declared;
  }

  async send({ method, params }, { signal } = {}) {
    await this.#open(signal);
    let exchange = this.#conversation.ask(method, params);
    for (;;) {
      await this.#carry(exchange, signal);
      const pauseMs = this.#conversation.again(exchange, Date.now());
      if (pauseMs === undefined) {
        return exchange.reply();
      }
      await orAborted(new Promise((resolve) => setTimeout(resolve, pauseMs)), signal);
      await this.#open(signal);
      exchange = this.#conversation.repeat(exchange);
    }
  }

  async close() {
    const ending = this.#conversation.ending();
    // A server may refuse to end a session, which is its to decide.
    await (ending && carry(ending, this.#terms).catch(() => {}));
  }

  #open(signal) {
    this.#opening ??= this.#shakeHands().finally(() => {
      this.#opening = undefined;
    });
    return orAborted(this.#opening, signal);
  }

  async #shakeHands() {
    for (let message = this.#conversation.opening(); message; message = this.#conversation.opening()) {
      const failure = await carry(message, this.#terms).catch((error) => error);
      this.#conversation.received(message, failure === SILENT);
    }
  }

  async #carry(exchange, signal) {
    try {
      await carry(exchange, { ...this.#terms, signal, meanwhile: () => this.#answer(exchange) });
    } catch (error) {
      if (signal?.aborted) {
        const cancelled = this.#conversation.cancelled(exchange);
        cancelled && carry(cancelled, this.#terms).catch(() => {});
      }
      throw error;
    }
  }

  /** Answers what the server asks while its own answer is awaited. */
  #answer(exchange) {
    for (const answer of this.#conversation.answers(exchange)) {
      carry(answer, this.#terms).catch(() => {});
    }
  }
}

/** Sends an exchange and feeds its answer to it. Throws where none comes; what came counts, whatever it says. */
export async function carry(exchange, { fetch, silenceMs, signal, meanwhile }) {
  const limit = new AbortController();
  const endsAt = Date.now() + silenceMs * WHOLE;
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => limit.abort(SILENT), Math.min(silenceMs, endsAt - Date.now()));
  };
  heard();
  try {
    const response = await fetch(exchange.url, {
      method: exchange.method,
      headers: exchange.headers,
      body: exchange.body,
      // Headers are for this server only. Not every runtime knows "error".
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    });
    if (response.type === "opaqueredirect") {
      throw new Error("the server redirects to another address, which is not followed");
    }
    const header = (name) => response.headers.get(name);
    exchange.begin(response.status, header("content-type"), header("mcp-session-id"), header("retry-after"));
    for await (const bytes of chunks(response.body)) {
      heard();
      const isComplete = exchange.push(bytes);
      meanwhile?.();
      if (isComplete) {
        break;
      }
    }
    exchange.end();
  } finally {
    clearTimeout(timer);
  }
}

/** The pieces of a body. Whoever stops taking them ends the connection. */
async function* chunks(body) {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader.read()) {
      yield read.value;
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/** What comes of `promise`, unless the signal comes before it. */
function orAborted(promise, signal) {
  if (!signal) {
    return promise;
  }
  let abort;
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
