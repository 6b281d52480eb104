// Whatever form an answer has: it is read, or it is said why not. Nothing waits without end.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { serve, skill } from "../servers/wire.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, connect, enter, openSkill, read, row, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ODD = "skill://odd/SKILL.md";
const attempt = (page) => page.getByRole("region", { name: "Connection" });
const JSON_TYPE = { "Content-Type": "application/json" };

/** The usual answer to `skills/list`, as text. */
const listing = (message, members = {}) => {
  const skills = [skill("odd", 3).entry];
  const result = { resultType: "complete", ttlMs: 300_000, cacheScope: "private", skills, ...members };
  return JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
};

describe("an event stream", () => {
  const framings = {
    "with LF": (text) => `data: ${text}\n\n`,
    "with CRLF": (text) => `event: message\r\ndata: ${text}\r\n\r\n`,
    "with bare CR": (text) => `data: ${text}\r\r`,
    "with a mark, comments and a priming event": (text) => `\u{feff}: hello\nid: 1\nretry: 5\ndata:\n\n:\ndata: ${text}\nid: 2\n\n`,
    "with junk, other events and somebody else's answer": (text) =>
      `data: {\n\nevent: other\ndata: ${text}\n\ndata: {"jsonrpc":"2.0","id":987654,"result":{}}\n\ndata: ${text}\n\n`,
    "over several lines": (text) => `data: ${JSON.stringify(JSON.parse(text), null, 1).replaceAll("\n", "\ndata: ")}\n\n`,
    "without the blank line at its end": (text) => `data: ${text}`,
  };
  for (const [how, framed] of Object.entries(framings)) {
    test(`${how}, one byte at a time`, async (t) => {
      const on = {
        "skills/list": async ({ message, stream }) => {
          const writer = await stream().bytes(framed(listing(message)));
          writer.end();
        },
      };
      const server = await serve(t, { on });
      await visit({ servers: [server] }, async (page) => {
        await connect(page, server.url);
        await says(catalog(page), "1 skill in 1 page, listing complete");
      });
    });
  }

  test("that stays open after the answer is let go of", async (t) => {
    let closed;
    const isClosed = new Promise((resolve) => (closed = resolve));
    const on = {
      "skills/list": ({ message, stream, response }) => {
        response.on("close", closed);
        stream().event(listing(message));
      },
    };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(catalog(page), "1 skill in 1 page, listing complete");
      await isClosed;
    });
  });

  test("that ends before the answer fails at once", async (t) => {
    const on = { "skills/list": ({ stream }) => stream().raw(": ping\n\n").end() };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(catalog(page), "its event stream ended before the answer");
      assert.equal(server.asked("skills/list").length, 1);
    });
  });

  test("on which a server of 2026-07-28 asks something is read, and nothing is answered", async (t) => {
    const on = {
      "skills/list": ({ message, stream }) => {
        stream().event(JSON.stringify({ jsonrpc: "2.0", id: "p", method: "ping" })).event(listing(message)).end();
      },
    };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(catalog(page), "listing complete");
      assert.equal(server.asked("answer").length, 0);
    });
  });
});

describe("an endless answer is cut off at the limit", () => {
  const chunk = "x".repeat(1024 * 1024);
  const pour = (response) => {
    const go = () => {
      while (!response.destroyed && response.write(chunk)) {
        // Until the socket is full.
      }
    };
    response.on("drain", go);
    go();
  };
  const limit = async (page) => {
    await page.getByText("Protocol and limits").click();
    await page.getByRole("group", { name: "Longest answer" }).getByRole("button", { name: "8 MiB", exact: true }).click();
  };
  for (const [what, type] of Object.entries({ "one line": "text/event-stream", "one body": "application/json" })) {
    test(what, async (t) => {
      const on = {
        "skills/list": ({ response }) => {
          response.writeHead(200, { "Content-Type": type });
          response.write("data: ");
          pour(response);
        },
      };
      const server = await serve(t, { on });
      await visit({ servers: [server] }, async (page) => {
        await limit(page);
        await connect(page, server.url);
        await says(catalog(page), `The answer is longer than ${8 * 1024 * 1024} bytes and was cut off`);
      });
    });
  }

  test("a body of another kind: only its beginning is read", async (t) => {
    const on = {
      "server/discover": ({ response }) => {
        response.writeHead(200, { "Content-Type": "text/plain" });
        pour(response);
      },
    };
    const server = await serve(t, { on });
    // What does not answer as MCP is looked at once more, with a plain GET.
    await visit({ servers: [server], reports: [/status of 405/] }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "200 with text/plain");
      const quoted = await attempt(page).locator("pre.evidence").innerText();
      assert.equal(quoted.replace("…", ""), "x".repeat(500));
    });
  });
});

test("an array that an older server answers with", async (t) => {
  const on = {
    "skills/list": ({ message, send }) =>
      send(200, JSON_TYPE, `[{"jsonrpc":"2.0","method":"notifications/message","params":{}},${listing(message)}]`),
  };
  const server = await serve(t, { era: "legacy", on });
  await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
    await connect(page, server.url);
    await says(catalog(page), "1 skill in 1 page, listing complete");
  });
});

describe("an error that names no other request is the answer", () => {
  const forms = {
    "as JSON with 200": [200, JSON_TYPE, (text) => text],
    "as JSON with 400": [400, JSON_TYPE, (text) => text],
    "on a stream": [200, { "Content-Type": "text/event-stream" }, (text) => `data: ${text}\n\n`],
  };
  for (const id of [null, undefined, "server-error"]) {
    for (const [how, [status, headers, framed]] of Object.entries(forms)) {
      test(`id ${JSON.stringify(id)}, ${how}`, async (t) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message: "out of tea" } });
        const on = { "skills/list": ({ send }) => send(status, headers, framed(body)) };
        const server = await serve(t, { on });
        const reports = status === 400 ? [/status of 400/] : [];
        await visit({ servers: [server], reports }, async (page) => {
          await connect(page, server.url);
          await says(catalog(page), "-32603: out of tea");
        });
      });
    }
  }
});

describe("the answer to another request is not taken", () => {
  for (const streams of [false, true]) {
    test(streams ? "on a stream" : "as JSON", async (t) => {
      const on = {
        "skills/list": ({ message, stream, send }) => {
          const text = listing({ ...message, id: 987654 });
          return streams ? stream().event(text).end() : send(200, JSON_TYPE, text);
        },
      };
      const server = await serve(t, { on });
      await visit({ servers: [server] }, async (page) => {
        await connect(page, server.url);
        await says(catalog(page), "answered 200 to another request than it was asked: the id of the answer is 987654");
        assert.equal(await row(page, ODD).count(), 0);
      });
    });
  }
});

describe("a result that is not final is told, and nothing is sent back", () => {
  const wanted = { a: { method: "elicitation/create", params: { message: "Which team?", requestedSchema: {} } } };
  for (const [result, ...said] of [
    [{ resultType: "input_required", inputRequests: wanted }, 'elicitation/create, "Which team?".', "Nothing was sent back."],
    [
      { resultType: "input_required", inputRequests: wanted, requestState: "s3cret-state" },
      "(requestState) was let go of",
      "refuse them with the error -32021",
    ],
    [{ resultType: "input_required", requestState: "s" }, "The server wants to be asked once more", "Nothing was sent back"],
    [{ resultType: "input_required" }, "but names none", "must have inputRequests or requestState"],
    [{ resultType: "later", contents: [] }, 'resultType "later", which nobody knows'],
    [{ resultType: 7, contents: [] }, "resultType 7, which nobody knows"],
  ]) {
    test(JSON.stringify(result), async (t) => {
      const on = { "resources/read": (exchange) => exchange.result(result) };
      const server = await serve(t, { on, skills: [skill("odd", 0)] });
      await visit({ servers: [server] }, async (page) => {
        await connect(page, server.url);
        await openSkill(page, ODD);
        await read(page, "SKILL.md");
        for (const sentence of said) {
          await says(page.getByRole("alert"), sentence);
        }
        await standing(page, "Verified").waitFor({ state: "detached" });
        const sent = server.requests.map(({ method }) => method);
        assert.deepEqual(sent, ["server/discover", "skills/list", "resources/read"]);
      });
    });
  }
});

test("a connection that breaks in the middle of an answer", async (t) => {
  const on = {
    "resources/read": ({ response }) => {
      response.writeHead(200, { ...JSON_TYPE, "Content-Length": "1000" });
      response.write("{", () => response.destroy());
    },
  };
  const server = await serve(t, { on, skills: [skill("odd", 0)] });
  await visit({ servers: [server], reports: [/ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE|ERR_CONNECTION/] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await verifyAll(page);
    await page.getByRole("tab", { name: "Files" }).click();
    await says(page.getByRole("tabpanel"), "could not be read");
  });
});
