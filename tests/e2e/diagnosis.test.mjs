// Why a page cannot have an answer: told apart as far as a browser lets a page, with the lines that mend it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { createMcpExpressApp, hostHeaderValidation, originValidation } from "@modelcontextprotocol/express";
import cors from "cors";
import express from "express";

import { startOldTransport, startRefuser, startTrustful, startWebSite } from "../servers/dead-ends.mjs";
import { startSdkServer } from "../servers/sdk-skills.mjs";
import { startWireServer } from "../servers/wire.mjs";
import { DIST, setUp, visit } from "./journey.mjs";
import { connect, enter, openSkill, panel, read, says, verifyAll } from "./steps.mjs";

setUp();

/** What Chromium itself reports on the console when it keeps an answer to itself, and on the questions that follow. */
const KEPT = [/blocked by CORS policy/, /ERR_FAILED/];
const ASKED = [...KEPT, /status of 40[05]/];

const ALL_HEADERS = "Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";
const allowing = (headers, others = {}) => ({
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": headers,
  ...others,
});

const attempt = (page) => page.getByRole("region", { name: "Connection" });

/** Tries to connect, and waits for each of these sentences. */
async function fails(t, { starting, path = "", reports = KEPT }, ...sentences) {
  const server = await starting;
  t.after(server.close);
  await visit({ servers: [server], reports }, async (page) => {
    const { origin } = new URL(page.url());
    await enter(page, `${server.url}${path}`);
    for (const sentence of sentences) {
      await says(attempt(page), sentence.replace("ORIGIN", origin).replace("URL", server.url));
    }
  });
  return server;
}

describe("CORS", () => {
  test("no page is let in", (t) =>
    fails(
      t,
      { starting: startRefuser(), reports: [...KEPT, /status of 405/] },
      "A server answers there, but does not let pages from ORIGIN read it (CORS).",
      'origin: "ORIGIN"',
    ));

  test("a server that reads whatever it is sent as JSON outlives the questions", async (t) => {
    const server = await startTrustful();
    t.after(server.close);
    await visit({ servers: [server], reports: [...KEPT, /status of 405/] }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "does not let pages from");
      await says(attempt(page), `The address has no path, and many endpoints end in /mcp: try ${server.url}/mcp.`);
      assert.deepEqual(new Set(server.methods), new Set(["ping"]));
    });
  });

  test("the preflight is refused", (t) =>
    fails(
      t,
      { starting: startRefuser({ headers: { "Access-Control-Allow-Origin": "*" } }), reports: [...KEPT, /status of 405/] },
      "refuses the browser's question before a message (CORS preflight)",
    ));

  for (const [who, refuser] of Object.entries({
    "a server wants a token before anything else": { options: 401, status: 401 },
    "a server wants a token, and says so to no page": { options: 204, status: 401, only: "OPTIONS", headers: allowing("*") },
  })) {
    test(who, (t) =>
      fails(
        t,
        { starting: startRefuser(refuser), reports: [...KEPT, /status of 401/] },
        "A server answers there, but does not let pages from ORIGIN read it (CORS).",
        "It may also want a token before it answers a page's question",
      ));
  }

  test("one header is missing", (t) =>
    fails(
      t,
      { starting: startWireServer({ cors: allowing("Content-Type, MCP-Protocol-Version") }), reports: ASKED },
      "The server lets this page in, but not with the header Mcp-Method (CORS).",
    ));

  test("the header for reading files is missing, which shows when one is read", async (t) => {
    const server = await startWireServer({ cors: allowing("Content-Type, MCP-Protocol-Version, Mcp-Method") });
    t.after(server.close);
    await visit({ servers: [server], reports: ASKED }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      await read(page, "SKILL.md");
      await says(panel(page), "The server lets this page in, but not with the header Mcp-Name (CORS).");
    });
  });

  test("of a run over all files only the first failure is looked into", async (t) => {
    const server = await startWireServer({ cors: allowing("Content-Type, MCP-Protocol-Version, Mcp-Method") });
    t.after(server.close);
    await visit({ servers: [server], reports: ASKED }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      await verifyAll(page);
      await says(page.getByRole("main"), "not with the header Mcp-Name (CORS)");
      await page.getByRole("region", { name: "Wire", exact: true }).getByRole("button", { name: "Wire" }).click();
      const exchanges = page.getByRole("region", { name: "Exchanges, latest first" });
      assert.equal(await exchanges.getByRole("button", { name: "is anybody there?" }).count(), 1);
    });
  });

  test("a header of the user's own is missing", async (t) => {
    const server = await startWireServer({ cors: allowing(ALL_HEADERS) });
    t.after(server.close);
    await visit({ servers: [server], reports: ASKED }, async (page) => {
      await page.locator("summary", { hasText: "Headers and token" }).click();
      await page.getByLabel("Header name").fill("X-Api-Key");
      await page.getByLabel("Header value").fill("open-sesame");
      await enter(page, server.url);
      await says(attempt(page), "not with the header X-Api-Key (CORS)");
      assert.ok(server.requests.every(({ message }) => !JSON.stringify(message ?? "").includes("open-sesame")));
    });
  });
});

describe("a page on another origin than this machine's", () => {
  const home = { url: "https://app.test/", folder: DIST };
  const inside = { home, permissions: ["local-network-access"] };

  test("is refused by the SDK's check of origins, which looks like CORS, until the server has the lines", async (t) => {
    const asIs = await startSdkServer({ app: createMcpExpressApp().use(cors()) });
    t.after(asIs.close);
    await visit({ ...inside, servers: [asIs], reports: [...KEPT, /status of 405/] }, async (page) => {
      await enter(page, asIs.url);
      await says(attempt(page), "does not let pages from https://app.test read it (CORS)");
      await says(attempt(page), 'createMcpExpressApp({ allowedOrigins: ["app.test"] })');
    });
    const app = createMcpExpressApp({ allowedOrigins: ["app.test"] }).use(cors({ origin: "https://app.test" }));
    const mended = await startSdkServer({ app });
    t.after(mended.close);
    await visit({ ...inside, servers: [mended] }, (page) => connect(page, mended.url));
  });

  test("is not let into the user's own network, and nothing is sent", async (t) => {
    const server = await startWireServer();
    t.after(server.close);
    // Whoever names permissions refuses all others.
    const denied = { home, permissions: ["clipboard-read"] };
    await visit({ ...denied, servers: [server], reports: KEPT }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "The browser does not let this page into your own network, and nothing was sent.");
      await says(attempt(page), "For https://app.test it was refused.");
      assert.deepEqual(server.requests, []);
    });
  });
});

test("an address that sends elsewhere", (t) =>
  fails(
    t,
    {
      starting: startRefuser({ status: 307, headers: { "Access-Control-Allow-Origin": "*", Location: "/elsewhere" } }),
      reports: [...KEPT, /status of 404/],
    },
    "A server answers there, and sends elsewhere instead of answering.",
  ));

test("an address that sends round in a circle", (t) =>
  fails(
    t,
    {
      starting: startRefuser({ options: 204, status: 307, headers: { ...allowing("*"), Location: "/mcp" } }),
      reports: [/ERR_FAILED|ERR_TOO_MANY_REDIRECTS/],
    },
    "A server answers there, and sends elsewhere instead of answering.",
  ));

describe("checks against DNS rebinding", () => {
  /** An application that lets every page read what it refuses. */
  const checked = (check) => express().use(cors()).use(check).use(express.json());

  test("of the name under which the server is called", async (t) => {
    const app = checked(hostHeaderValidation(["mcp.example"]));
    await fails(
      t,
      { starting: startSdkServer({ app }), reports: [/status of 403/] },
      "The server refuses to be called 127.0.0.1:",
      "It says: Invalid Host: 127.0.0.1.",
      "createMcpExpressApp({ allowedHosts: [",
    );
  });

  test("of the page's origin", async (t) => {
    const app = checked(originValidation(["mcp.example"]));
    await fails(
      t,
      { starting: startSdkServer({ app }), reports: [/status of 403/] },
      "The server refuses pages from ORIGIN: it answered 403.",
      "It says: Invalid Origin: 127.0.0.1.",
      "createMcpExpressApp({ allowedOrigins: [",
    );
  });

  test("the lines for the name are right: a server with them can be called", async (t) => {
    const app = createMcpExpressApp({ allowedHosts: ["localhost", "127.0.0.1"] }).use(cors());
    const server = await startSdkServer({ app });
    t.after(server.close);
    await visit({ servers: [server] }, (page) => connect(page, server.url));
  });
});

describe("no MCP endpoint", () => {
  test("a web page", (t) =>
    fails(
      t,
      { starting: startWebSite(), reports: [], path: "/shop" },
      "A web page lives at this address, and no MCP endpoint: it answered 200 with text/html",
      "Check the path of the address; many endpoints end in /mcp. Try URL/shop/mcp.",
      "What came:Northwind Atelier Bicycles",
    ));

  test("a web page that says that there is none", (t) =>
    fails(
      t,
      { starting: startWebSite(404), reports: [/status of 404/], path: "/shop" },
      "A server answers there, but has nothing at this path: it answered 404 with text/html",
      "the MCP endpoint may live at another path.",
      "What came:Northwind Atelier Bicycles",
    ));

  test("another path of a server", (t) =>
    fails(
      t,
      { starting: startRefuser({ options: 204, status: 404, headers: allowing("*") }), reports: [/status of 404/] },
      "A server answers there, but has nothing at this path: it answered 404.",
    ));

  test("the old transport", (t) =>
    fails(
      t,
      { starting: startOldTransport(), reports: [/status of 405/] },
      "The server speaks the old transport, HTTP with a stream of its own (2024-11-05), which this page does not.",
    ));
});

describe("what a page knows without asking", () => {
  test("a port that browsers do not call", async () => {
    const url = "http://127.0.0.1:6667/mcp";
    await visit({ servers: [{ url }], reports: [/ERR_UNSAFE_PORT/] }, async (page) => {
      await enter(page, url);
      await says(attempt(page), "Browsers do not call port 6667, and nothing was sent.");
    });
  });
});
