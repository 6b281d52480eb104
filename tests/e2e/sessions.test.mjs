// Sessions of the older eras: begun once, kept, begun anew when the server has forgotten them, ended on leaving.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skill, startWireServer } from "../servers/wire.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, connect, fileStates, openSkill, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ODD = "skill://odd/SKILL.md";
const reports = [/status of 400/];

async function serve(t, options) {
  const server = await startWireServer({ era: "legacy", sessions: true, ...options });
  t.after(server.close);
  return server;
}

/** Fulfilled when the server has been asked so. */
function arrival(method) {
  let arrived;
  const promise = new Promise((resolve) => (arrived = resolve));
  return { promise, on: { [method]: () => (arrived(), false) } };
}

describe("a server that forgets its sessions", () => {
  for (const [when, refusal] of Object.entries({
    "with 404": undefined,
    "with 400 and -32000, as servers wired by hand do": ({ error }) => error(-32000, "Server not initialized", 400),
  })) {
    test(`${when}, is greeted once more, however many reads have met the loss`, async (t) => {
      const on = {};
      const server = await serve(t, { skills: [skill("odd", 30)], on });
      await visit({ servers: [server], reports: [/status of 40[04]/] }, async (page) => {
        await connect(page, server.url);
        await openSkill(page, ODD);
        const [lost] = server.known;
        server.known.clear();
        if (refusal) {
          on["resources/read"] = (exchange) =>
            exchange.request.headers["mcp-session-id"] === lost ? refusal(exchange) : false;
        }
        await verifyAll(page);
        await standing(page, "Verified 31 of 31").waitFor();
        assert.equal(server.asked("initialize").length, 2);
        const reads = server.asked("resources/read");
        const [met, repeated] = [reads.filter(({ session }) => session === lost), reads.filter(({ session }) => session !== lost)];
        assert.ok(met.length >= 1 && met.length <= 6, `${met.length} reads met the loss`);
        assert.equal(repeated.length, 31, "each file is read once in the new session");
        await page.getByRole("navigation", { name: "Servers" }).getByRole("link", { name: new URL(server.url).host }).click();
        await page.getByText("How it was reached").click();
        await says(page.getByRole("list", { name: "Steps of the connection" }), "The server has forgotten the session");
      });
    });
  }

  test("again at once, is not greeted without end", async (t) => {
    const on = { "resources/read": ({ error }) => error(-32001, "Session not found", 404) };
    const server = await serve(t, { skills: [skill("odd", 0)], on });
    await visit({ servers: [server], reports: [...reports, /status of 404/] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await verifyAll(page);
      await standing(page, "Could not read 1 of 1 file").waitFor();
      assert.equal(server.asked("initialize").length, 2);
      assert.equal(server.asked("resources/read").length, 2);
    });
  });

  test("and cannot be greeted any more: the run says why it broke off", async (t) => {
    const on = {};
    const server = await serve(t, { skills: [skill("odd", 30)], on });
    await visit({ servers: [server], reports: [...reports, /status of 404/, /status of 403/] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      server.known.clear();
      on.initialize = ({ error }) => error(-32000, "closed for today", 403);
      await verifyAll(page);
      await says(page.getByRole("alert").first(), "The server refuses: it answered 403.");
      await says(page.getByRole("alert").first(), "Closed for today");
      await standing(page, "Broken off: verified 0 of 31 files").waitFor();
      assert.equal(server.asked("initialize").length, 2);
    });
  });
});

describe("a session is ended", () => {
  for (const [how, leave] of Object.entries({
    "by disconnecting": (page) => page.getByRole("button", { name: "Disconnect" }).click(),
    "by leaving the page": (page) => page.goto("about:blank"),
    "by closing the tab": (page) => page.close({ runBeforeUnload: true }),
  })) {
    test(how, async (t) => {
      const { promise: ended, on } = arrival("DELETE");
      const server = await serve(t, { on });
      await visit({ servers: [server], reports }, async (page) => {
        await connect(page, server.url);
        await says(catalog(page), "listing complete");
        const [session] = server.known;
        await leave(page);
        await ended;
        const [end] = server.requests.filter(({ http }) => http === "DELETE");
        assert.deepEqual([end.session, end.version], [session, "2025-11-25"]);
      });
    });
  }
});

describe("what an older server asks on the stream of an answer", () => {
  test("is answered while the answer is awaited: ping with nothing, the rest with -32601", async (t) => {
    const answered = [];
    let answer;
    const on = {
      "skills/list": ({ message, stream, result }) => {
        if (answer) {
          return false;
        }
        const writer = stream();
        writer.event(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: {} }));
        writer.event(JSON.stringify({ jsonrpc: "2.0", id: "p1", method: "ping" }));
        writer.event(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "roots/list" }));
        answer = () =>
          writer.event(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { skills: [skill("odd", 3).entry] } }));
      },
    };
    const server = await serve(t, { on });
    const watch = (request) => {
      answered.push(request);
      if (answered.length === 2) {
        answer();
      }
    };
    server.requests.push = function push(request) {
      Array.prototype.push.call(this, request);
      if (request.method === "answer") {
        watch(request);
      }
    };
    await visit({ servers: [server], reports }, async (page) => {
      await connect(page, server.url);
      await says(catalog(page), "1 skill in 1 page, listing complete");
      const [session] = server.known;
      const messages = Object.fromEntries(answered.map(({ message }) => [message.id, message]));
      assert.deepEqual(messages.p1.result, {});
      assert.equal(messages[7].error.code, -32601);
      assert.ok(answered.every((request) => request.session === session));
    });
  });
});

test("a request that the user stops is cancelled at an older server", async (t) => {
  const asked = arrival("resources/read");
  const cancelled = arrival("notifications/cancelled");
  const on = { "resources/read": (exchange) => (asked.on["resources/read"](exchange), undefined), ...cancelled.on };
  const server = await serve(t, { on });
  await visit({ servers: [server], reports }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await page.getByRole("tabpanel").getByRole("button", { name: "Read SKILL.md" }).click();
    await asked.promise;
    await page.getByRole("button", { name: "Stop reading" }).click();
    await cancelled.promise;
    const [read] = server.asked("resources/read");
    const [notice] = server.asked("notifications/cancelled");
    assert.equal(notice.params.requestId, read.id);
    assert.equal((await fileStates(page))["SKILL.md"], "not read yet");
  });
});
