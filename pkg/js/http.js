// Conversations over Streamable HTTP with the platform's `fetch`.

import { carry, orAborted, SILENT } from "./carry.js";
import { Conversation } from "./skillglass.js";

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
