// `checkServer`: a whole conformance run. The core decides what is asked and what follows; here it is carried.

import { run } from "./carry.js";
import { compareReportTexts, formatReportText, ServerVisit } from "./skillglass.js";

/** How long a server may be silent where the caller does not say, in milliseconds. */
const SILENCE_MS = 60_000;

/** How long taking leave may take, in milliseconds. */
const LEAVE_MS = 5_000;

export async function checkServer(server, options = {}) {
  const { signal, confirm, progress, fetch = globalThis.fetch, silenceMs = SILENCE_MS, ...terms } = options;
  const isSend = typeof server === "function";
  const send = isSend ? (url, { signal, ...request }) => server({ url, ...request }, { signal }) : fetch;
  signal?.throwIfAborted();
  const visit = new ServerVisit(isSend ? null : String(server), { ...terms, askFirst: confirm !== undefined });
  const going = new Set();
  const sendAll = (limits) => {
    for (let errand = visit.next(); errand; errand = visit.next()) {
      const task = run(visit, errand, limits).finally(() => going.delete(task));
      going.add(task);
    }
  };
  try {
    for (;;) {
      signal?.throwIfAborted();
      sendAll({ fetch: send, signal, silenceMs });
      if (progress && visit.progress) await progress(visit.progress);
      if (going.size > 0) {
        await Promise.race(going);
      } else if (visit.stopped && (await confirm(visit.progress.plan))) {
        visit.resume();
      } else {
        break;
      }
    }
    const { failure } = visit;
    if (failure) throw Object.assign(new Error(failure), { code: "not-connected" });
    return visit.report();
  } finally {
    visit.close();
    await Promise.allSettled(going);
    sendAll({ fetch: send, silenceMs: LEAVE_MS });
    await Promise.allSettled(going);
    visit.free();
  }
}

export function formatReport(report, form, timestamp) {
  return formatReportText(textOf(report), form, timestamp);
}

export function compareReports(before, after) {
  return compareReportTexts(textOf(before), textOf(after));
}

const textOf = (report) => (typeof report === "object" ? JSON.stringify(report) : report);
