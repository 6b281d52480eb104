// The wire: every exchange, to be searched, repeated, handed on, and reached from the findings that rest on it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { startSdkServer } from "../servers/sdk-skills.mjs";
import { skill, startWireServer } from "../servers/wire.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, connect, enter, finding, focused, openSkill, openTab, panel, read, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ODD = "skill://odd/SKILL.md";

const wire = (page) => page.getByRole("region", { name: "Wire", exact: true });
const bar = (page) => wire(page).getByRole("button", { name: "Wire" });
const lines = (page) => wire(page).getByRole("region", { name: "Exchanges, latest first" }).getByRole("button");
const methods = async (page) => (await lines(page).locator(".wire-method").allInnerTexts()).toReversed();
const detail = (page) => page.locator("#exchange");
const filter = (page) => wire(page).getByLabel("Filter the exchanges");

async function serve(t, starting) {
  const server = await starting;
  t.after(server.close);
  return server;
}

async function openWire(page) {
  await bar(page).click();
  await filter(page).waitFor();
}

/** The file that a button hands to the user. */
async function downloaded(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return readFileSync(await download.path(), "utf8");
}

test("exchanges are found by any text they hold, and walked through with arrows", async (t) => {
  const server = await serve(t, startWireServer());
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await verifyAll(page);
    await standing(page, "Verified 4 of 4").waitFor();
    await openWire(page);
    assert.deepEqual(await methods(page), ["server/discover", "skills/list", ...Array(4).fill("resources/read")]);
    await filter(page).fill("READ references/002");
    await says(wire(page).getByRole("status"), "1 exchange listed");
    await lines(page).click();
    await says(detail(page), "File 2 of odd.");
    await filter(page).fill("there is no such text");
    await says(wire(page).getByRole("status"), "0 exchanges listed");
    await filter(page).fill("");
    const first = lines(page).first();
    await first.click();
    await page.keyboard.press("End");
    await focused(page, lines(page).last());
    await says(detail(page), "server/discover exchange 1");
    await page.keyboard.press("ArrowUp");
    await says(detail(page), "skills/list exchange 2");
    await page.keyboard.press("Escape");
    await focused(page, bar(page));
    assert.equal(await bar(page).getAttribute("aria-expanded"), "false");
  });
});

test("a finding leads to the exchange it rests on, and the exchange back", async (t) => {
  const server = await serve(t, startSdkServer({ alter: { file: (_uri, text) => text.replaceAll("\n", "\r\n") } }));
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, "skill://code-review/SKILL.md");
    await verifyAll(page);
    await openTab(page, "Checks");
    const card = finding(page, "content-size-match").filter({ hasText: "checklist.md" });
    await card.getByRole("button", { name: /^Exchange \d+$/ }).click();
    await focused(page, detail(page));
    await says(detail(page), "resources/read");
    await says(detail(page), "references/checklist.md");
    await openTab(page, "Instructions");
    await detail(page).getByRole("list", { name: "Findings that rest on this exchange" }).getByRole("link", { name: "code-review: 1 finding" }).click();
    await card.waitFor();
  });
});

test("a finding about an entry leads to the page of the listing that held it", async (t) => {
  const odd = skill("odd");
  odd.entry.resources[0].size = -1;
  const server = await serve(t, startWireServer({ skills: [odd] }));
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await openTab(page, "Checks");
    await panel(page).getByRole("article").first().getByRole("button", { name: "Exchange 2" }).click();
    await says(detail(page), "skills/list exchange 2");
    await says(detail(page).getByRole("link"), "odd: 1 finding");
  });
});

test("an exchange can be repeated as it is copied, with one's own secret", async (t) => {
  const server = await serve(t, startSdkServer({ token: "open-sesame" }));
  await visit({ servers: [server], permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.locator("summary", { hasText: "Headers and token" }).click();
    await page.getByLabel("Bearer token").fill("open-sesame");
    await connect(page, server.url);
    await openSkill(page, "skill://code-review/SKILL.md");
    await read(page, "SKILL.md");
    await openWire(page);
    await lines(page).first().click();
    await detail(page).getByRole("button", { name: "Copy as curl" }).click();
    await detail(page).getByRole("button", { name: "Copied" }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(!command.includes("open-sesame"));
    const { url, headers, body } = asSent(command, { AUTHORIZATION: "Bearer open-sesame" });
    assert.equal(headers.Origin, new URL(page.url()).origin);
    const answer = await fetch(url, { method: "POST", headers, body });
    assert.equal(answer.status, 200);
    const { result } = await answer.json();
    assert.match(result.contents[0].text, /^---\nname: code-review/);
  });
});

/** What a POSIX shell makes of a curl command: a function of that name prints what it is given. */
function asSent(command, variables) {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const words = execFileSync("sh", ["-c", script], { env: { PATH: process.env.PATH, ...variables }, encoding: "utf8" }).split("\0").slice(0, -1);
  const sent = { headers: {} };
  while (words.length > 0) {
    const word = words.shift();
    if (word === "--header") {
      const [, name, value] = /^([^:]+): (.*)$/s.exec(words.shift());
      sent.headers[name] = value;
    } else if (word === "--data-raw") {
      sent.body = words.shift();
    } else if (!word.startsWith("--")) {
      sent.url = word;
    }
  }
  return sent;
}

test("all of it can be handed on as an HTTP archive, without the token", async (t) => {
  const server = await serve(t, startWireServer({ streams: true }));
  await visit({ servers: [server] }, async (page) => {
    await page.locator("summary", { hasText: "Headers and token" }).click();
    await page.getByLabel("Bearer token").fill("open-sesame");
    await connect(page, server.url);
    await openWire(page);
    const text = await downloaded(page, wire(page).getByRole("button", { name: "Export" }));
    assert.ok(!text.includes("open-sesame"));
    const { log } = JSON.parse(text);
    assert.equal(log.version, "1.2");
    assert.deepEqual(log.entries.map((entry) => entry._purpose), ["server/discover", "skills/list"]);
    const [{ request, response, startedDateTime }] = log.entries;
    assert.deepEqual(
      request.headers.find(({ name }) => name === "Authorization"),
      { name: "Authorization", value: "••••" },
    );
    assert.equal(JSON.parse(request.postData.text).method, "server/discover");
    assert.equal(response.content.mimeType, "text/event-stream");
    assert.equal(JSON.parse(response._events[0].data).id, 0);
    assert.ok(Math.abs(Date.parse(startedDateTime) - Date.now()) < 3_600_000);
  });
});

test("a stream is shown event by event, and as it came", async (t) => {
  const on = {
    "skills/list": async ({ stream, message }) => {
      const progress = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } });
      const answer = { jsonrpc: "2.0", id: message.id, result: { resultType: "complete", skills: [], ttlMs: 0, cacheScope: "private" } };
      stream().raw(": keep alive\n\n").raw(`id: 7\ndata: ${progress}\n\n`).event(JSON.stringify(answer)).end();
    },
  };
  const server = await serve(t, startWireServer({ on }));
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openWire(page);
    await lines(page).first().click();
    const events = detail(page).getByRole("list", { name: "Events" }).getByRole("listitem");
    assert.equal(await events.count(), 2);
    await says(events.first(), "event message, id 7");
    await says(events.first(), "notifications/progress");
    await detail(page).getByText("As it came").click();
    await says(detail(page), ": keep alive");
  });
});

describe("what came stays to be seen where it is not what should have come", () => {
  for (const [what, kind, body] of [
    ["a web page", "text/html", `<!doctype html><p>${"long ".repeat(200)}the end</p>`],
    ["broken JSON", "application/json", `{"jsonrpc":"2.0","result":{"skills":[${"1,".repeat(500)}"the end"`],
  ]) {
    test(what, async (t) => {
      const on = { "skills/list": ({ send }) => send(200, { "Content-Type": kind }, body) };
      const server = await serve(t, startWireServer({ on }));
      await visit({ servers: [server] }, async (page) => {
        await connect(page, server.url);
        await says(catalog(page), "200");
        await openWire(page);
        await lines(page).first().click();
        await says(detail(page), "the end");
        await says(detail(page), "HTTP 200");
      });
    });
  }
});

test("a failure leads to what went over the wire", async (t) => {
  const on = { "server/discover": ({ send }) => send(502, { "Content-Type": "text/plain" }, "bad gateway") };
  const server = await serve(t, startWireServer({ on }));
  await visit({ servers: [server], reports: [/status of 502/] }, async (page) => {
    await enter(page, server.url);
    await page.getByRole("button", { name: "What went over the wire" }).click();
    await focused(page, detail(page));
    await says(detail(page), "HTTP 502");
    await says(detail(page), "bad gateway");
  });
});
