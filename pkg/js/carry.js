// Streamable HTTP: carries messages to a server, and what comes back to the core. What to send, what an answer is and
// whether to ask again says the core; this file carries bytes and keeps the time.

/** The longest time that timers know, in milliseconds; a longer one would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** How much of the address is told that a server redirects to. */
const MAX_ADDRESS = 300;

/** Why an exchange was given up. */
const SILENT = new Error("the server was silent for too long");

/**
 * Carries an errand of `talk` after its pause, and tells `talk` what comes of it. `signal` is the asker's; whoever has `limit`
 * can end it as well. For the rest of `limits` see {@link carry}.
 */
export async function run(talk, { number, pauseMs, maxSilences, ...request }, { signal, limit = new AbortController(), ...limits }) {
  let hasBegun = false;
  const exchange = {
    ...request,
    begin(...head) {
      talk.begin(number, ...head);
      hasBegun = true;
    },
    push: (bytes) => talk.push(number, bytes),
    end: () => talk.end(number, Date.now()),
  };
  const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  try {
    if (pauseMs > 0) await paused(pauseMs, either);
    await carry(exchange, { ...limits, maxSilences, limit, either });
  } catch (error) {
    const lack = hasBegun ? "broken-off" : "unreachable";
    talk.fail(number, signal?.aborted ? "stopped" : error === SILENT ? "timed-out" : lack, reasonOf(error));
  }
}

/**
 * Sends `exchange` (`url`, `method`, `headers`, `body`) and feeds the answer to it: `begin(status, contentType, session,
 * retryAfter, challenge)`, then `push(bytes)` until that says that no more is wanted, then `end()`. Throws where no answer
 * comes, or not all of one; what came counts, whatever it says.
 *
 * @param fetch The platform's, or what does the same.
 * @param silenceMs How long the server may be silent before `limit` ends it with {@link SILENT}.
 * @param maxSilences How many times longer the whole answer may take.
 * @param either Ends it: the signal of `limit`, or the asker's with it.
 * @param meanwhile Is called when something of the answer has come.
 */
async function carry(exchange, { fetch, silenceMs, maxSilences, limit, either, meanwhile }) {
  const giveUp = () => limit.abort(SILENT);
  // A timer of its own: one that is set anew with each byte would never be up where bytes come quickly enough.
  const whole = setTimeout(giveUp, Math.min(silenceMs * maxSilences, LONGEST_MS));
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, Math.min(silenceMs, LONGEST_MS));
  };
  heard();
  let body;
  try {
    const { url, method, headers } = exchange;
    // Headers are for this server only: redirects are not followed, and not every runtime knows "error".
    const init = { method, headers, body: exchange.body || undefined, redirect: "manual", signal: either, ...APART };
    const response = await orAborted(fetch(url, init), either);
    const redirect = elsewhere(response, url);
    if (redirect) {
      throw new Error(`the server redirects to ${redirect}, which is not followed; ask there if that is its address`);
    }
    heard();
    const [contentType, session, retryAfter, challenge] =
      ["content-type", "mcp-session-id", "retry-after", "www-authenticate"].map((name) => response.headers.get(name));
    exchange.begin(response.status, contentType, session, retryAfter, challenge);
    body = chunks(response.body);
    for (;;) {
      const { done, value } = await orAborted(body.next(), either);
      heard();
      const isComplete = done || exchange.push(value);
      meanwhile?.();
      if (isComplete) break;
    }
    exchange.end();
  } finally {
    clearTimeout(timer);
    clearTimeout(whole);
    // The promise only says when the connection is closed.
    body?.return().catch(() => {});
  }
}

/** Nothing that a browser keeps goes along. Runtimes that keep nothing refuse to hear of it. */
const APART =
  "credentials" in (globalThis.Request?.prototype ?? {}) ? { credentials: "omit", referrerPolicy: "no-referrer" } : {};

/** Where a response sends its reader instead of answering. Browsers do not tell where that is. */
function elsewhere({ type, status, headers }, url) {
  if (type === "opaqueredirect") return "another address";
  const location = [301, 302, 303, 307, 308].includes(status) && headers.get("location");
  // Nothing but visible ASCII is left of an address that was parsed.
  return location && URL.canParse(location, url) && new URL(location, url).href.slice(0, MAX_ADDRESS);
}

/** Why nothing came, in words. Platforms put the reason behind a general one. */
export function reasonOf(error) {
  const { message = String(error), cause } = error ?? {};
  const reason = cause?.message ? `${message}: ${cause.message}` : message;
  return reason.toWellFormed?.() ?? reason;
}

/** What comes of `promise`, unless the signal comes before it. */
export function orAborted(promise, signal) {
  if (!signal) {
    return promise;
  }
  let abort;
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason);
    signal.aborted ? abort() : signal.addEventListener("abort", abort);
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}

/** Waits so long, unless the signal comes before it; then nothing is left that keeps a program from ending. */
async function paused(ms, signal) {
  let timer;
  try {
    await orAborted(new Promise((resolve) => (timer = setTimeout(resolve, ms))), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes of a body: none, text, bytes, a stream, or anything that gives pieces of them. */
async function* chunks(body) {
  if (body === null || body === undefined) return;
  if (typeof body === "string" || body instanceof Uint8Array) {
    yield bytes(body);
  } else if (typeof body.getReader === "function") {
    // Not every browser can iterate over a stream.
    const reader = body.getReader();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    } finally {
      reader.cancel().catch(() => {});
    }
  } else {
    for await (const piece of body) yield bytes(piece);
  }
}

const bytes = (piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
