// Both eras of the base protocol: how the page finds out what a server speaks, and that it then speaks it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { serve, skill } from "../servers/wire.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, chooseRevision, connect, enter, fact, openSkill, row, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ODD = "skill://odd/SKILL.md";
const attempt = (page) => page.getByRole("region", { name: "Connection" });

const speaks = (page, text) => says(fact(page, "Speaks"), text);

async function reachedBy(page) {
  await page.getByText("How it was reached").click();
  return page.getByRole("list", { name: "Steps of the connection" });
}

/** Lists, opens and verifies the one skill of the server. */
async function verifies(page) {
  await says(catalog(page), "1 skill in 1 page, listing complete");
  await openSkill(page, ODD);
  await verifyAll(page);
  await standing(page, "Verified 4 of 4").waitFor();
}

describe("a server of 2026-07-28", () => {
  for (const streams of [false, true]) {
    test(`which answers with ${streams ? "event streams" : "JSON"}`, async (t) => {
      const server = await serve(t, { streams });
      await visit({ servers: [server] }, async (page) => {
        await connect(page, server.url);
        await speaks(page, "2026-07-28");
        const steps = await reachedBy(page);
        await says(steps, "server/discover The server speaks 2026-07-28.");
        await verifies(page);
        assert.deepEqual(
          server.requests.map(({ method }) => method),
          ["server/discover", "skills/list", ...Array(4).fill("resources/read")],
        );
        assert.ok(server.requests.every(({ session, version }) => session === undefined && version === "2026-07-28"));
      });
    });
  }
});

describe("an older server", () => {
  for (const sessions of [false, true]) {
    for (const streams of [false, true]) {
      const set = `${sessions ? "with" : "without"} sessions, which answers with ${streams ? "event streams" : "JSON"}`;
      test(set, async (t) => {
        const server = await serve(t, { era: "legacy", sessions, streams });
        await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
          await connect(page, server.url);
          await speaks(page, `2025-11-25, with the older handshake, ${sessions ? "in" : "without"} a session`);
          const steps = await reachedBy(page);
          await says(steps, "server/discover The server answered with error -32000");
          await says(steps, "Trying the older handshake.");
          await says(steps, "initialize The server speaks 2025-11-25");
          await says(steps, "notifications/initialized The server answered 202.");
          await verifies(page);
          const [probe, first, ...later] = server.requests;
          assert.equal(probe.method, "server/discover");
          assert.equal(first.method, "initialize");
          assert.deepEqual([first.session, first.version], [undefined, undefined]);
          const [session] = server.known;
          assert.ok(later.every((request) => request.version === "2025-11-25" && request.session === session));
          assert.equal(session === undefined, !sessions);
        });
      });
    }
  }

  test("breaks no rule that only 2026-07-28 has", async (t) => {
    const server = await serve(t, { era: "legacy" });
    await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
      await connect(page, server.url);
      await says(page.locator("main"), "Nothing is wrong so far with what it declares and how it lists.");
      await row(page, ODD).click();
      await page.getByRole("button", { name: "Fetch with skills/get" }).click();
      await says(page.getByRole("status", { name: "Comparison with skills/get" }), "the same entry");
      assert.equal(await page.getByText("about this answer").count(), 0);
    });
  });
});

describe("the user's choice is the only thing tried", () => {
  test("2026-07-28 at an older server", async (t) => {
    const server = await serve(t, { era: "legacy" });
    await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
      await chooseRevision(page, "2026-07-28");
      await enter(page, server.url);
      await says(attempt(page), "The server does not speak 2026-07-28");
      await says(attempt(page), "Choose Auto");
      assert.deepEqual(server.requests.map(({ method }) => method), ["server/discover"]);
    });
  });

  test("the older handshake at a server of 2026-07-28", async (t) => {
    const server = await serve(t, {});
    await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
      await chooseRevision(page, "Older handshake");
      await enter(page, server.url);
      await says(attempt(page), "The server does not speak the older handshake");
      assert.deepEqual(server.requests.map(({ method }) => method), ["initialize"]);
    });
  });
});

describe("a version that is refused", () => {
  const refuse = ({ error }) => error(-32022, "Unsupported protocol version", 400, { supported: ["2026-07-28"] });

  test("and listed is asked for once more", async (t) => {
    let refusals = 1;
    const on = { "server/discover": (exchange) => (refusals-- > 0 ? refuse(exchange) : false) };
    const server = await serve(t, { on });
    await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
      await connect(page, server.url);
      await speaks(page, "2026-07-28");
      assert.equal(server.asked("server/discover").length, 2);
    });
  });

  test("a second time is an error", async (t) => {
    const server = await serve(t, { on: { "server/discover": refuse } });
    await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "-32022: Unsupported protocol version");
      assert.equal(server.asked("server/discover").length, 2);
      assert.equal(server.asked("initialize").length, 0);
    });
  });
});

describe("what the CORS settings of an older server let through", () => {
  const allow = (names, exposed = "") => ({
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": names,
    "Access-Control-Expose-Headers": exposed,
  });
  const reports = [/blocked by CORS policy/, /ERR_FAILED/];

  test("the handshake and what follows, though not the probe", async (t) => {
    const cors = allow("Content-Type, MCP-Protocol-Version, Mcp-Session-Id", "Mcp-Session-Id");
    const server = await serve(t, { era: "legacy", sessions: true, cors });
    await visit({ servers: [server], reports }, async (page) => {
      await connect(page, server.url);
      await says(await reachedBy(page), "server/discover Nothing readable came back. Trying the older handshake.");
      await verifies(page);
    });
  });

  test("initialize only", async (t) => {
    const server = await serve(t, { era: "legacy", cors: allow("Content-Type") });
    await visit({ servers: [server], reports }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "The server lets this page in, but not with the headers MCP-Protocol-Version, Mcp-Method (CORS).");
      await attempt(page).getByLabel("Lines to paste").waitFor();
    });
  });

  for (const [how, on] of Object.entries({
    "everything, but it hides the session's id": {},
    "the same, of the TypeScript SDK's transport": {
      "notifications/initialized": ({ error }) => error(-32000, "Bad Request: Server not initialized", 400),
    },
  })) {
    test(how, async (t) => {
      const cors = allow("Content-Type, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method");
      const server = await serve(t, { era: "legacy", sessions: true, cors, on });
      await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
        await enter(page, server.url);
        await says(attempt(page), "The server wants a session, but does not let this page read its id (CORS).");
        await attempt(page).getByLabel("Lines to paste").waitFor();
      });
    });
  }
});
