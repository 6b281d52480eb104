// Servers for hosts to be tested with: sites of the fault server without a network, and what was asked of them.

import { siteOf } from "../servers/fault-server/main.mjs";
import { answer } from "../servers/fault-server/wire.mjs";

/** The address of every site; nobody listens there. */
export const URL = "http://127.0.0.1/mcp";

/**
 * A server, and a `fetch` that asks it.
 *
 * @param {Partial<import("../servers/fault-server/variants.mjs").Variant>} [variant] What is not honest about it.
 */
export function serve(variant = {}) {
  const served = { site: siteOf(variant), /** Every question, as method and URI. */ asked: [], hold: async () => {} };
  served.change = (changed) => {
    served.site = siteOf({ ...variant, ...changed });
  };
  served.fetch = async (url, { method, headers, body, signal }) => {
    const message = body && JSON.parse(body);
    served.asked.push([message?.method ?? method, message?.params?.uri].filter(Boolean).join(" "));
    await served.hold(message);
    signal?.throwIfAborted();
    const lower = Object.fromEntries([...new Headers(headers)]);
    const reply = answer(served.site, { method, headers: lower, body });
    return new Response([204, 202].includes(reply.status) ? null : reply.body, reply);
  };
  return served;
}

/** The skill of that name in a listing. */
export const named = ({ skills }, name) => skills.find((skill) => skill.name === name);

/** What a promise was refused with. */
export async function refusal(promise) {
  const came = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  if (!came.error) {
    throw new Error(`Nothing was refused; it gave ${JSON.stringify(came.value)}.`);
  }
  return came.error;
}
