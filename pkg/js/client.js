// Talks to a server through a client of the official SDK, 1.x or 2.x.

/** A schema that takes every result: the core reads them. Both forms that the SDK's versions ask for. */
const ANY = {
  safeParse: (data) => ({ success: true, data }),
  "~standard": { version: 1, vendor: "skillglass", validate: (value) => ({ value }) },
};

/** Asks through a client, and gives the result as it came. */
export const requestThrough = (client, request, options) => client.request(request, ANY, options);

/**
 * A connected `Client` of `@modelcontextprotocol/client` or of `@modelcontextprotocol/sdk`. See `host.d.ts`.
 */
export function clientTransport(client) {
  return {
    async discover() {
      const capabilities = client.getServerCapabilities();
      if (capabilities === undefined) {
        throw new Error("the client is not connected yet; await client.connect(…) first");
      }
      return { capabilities, serverInfo: client.getServerVersion(), instructions: client.getInstructions() };
    },

    async send(request, { signal } = {}) {
      try {
        return { result: await requestThrough(client, request, { signal }) };
      } catch (error) {
        // What the server answered has a number for a code; everything else never reached it or came back from it.
        if (typeof error?.code !== "number") {
          throw error;
        }
        const { code, message, data } = error;
        return { error: { code, message, data } };
      }
    },
  };
}
