// Connecting: told step by step; a failure says what happened, why as far as a page can know, and what to do.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { deadAddress, startOlderServer, startSilentServer, startWebSite } from "../servers/dead-ends.mjs";
import { startSdkServer } from "../servers/sdk-skills.mjs";
import { ARTIFACTS, setUp, visit } from "./journey.mjs";
import { catalog, connect, enter, heading, says } from "./steps.mjs";

setUp();

const attempt = (page) => page.getByRole("region", { name: "Connection" });

async function running(t, starting) {
  const server = await starting;
  t.after(server.close);
  return server;
}

test("the way to a server is told step by step, and can be looked up later", async (t) => {
  const server = await running(t, startSdkServer());
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await page.getByText("How it was reached").click();
    const steps = page.getByRole("list", { name: "Steps of the connection" });
    for (const step of ["Address understood", "The server speaks 2026-07-28.", "It declares skills", "Page 1: 1 skill"]) {
      await says(steps, step);
    }
    await says(steps, "ms");
    await says(catalog(page), "1 skill in 1 page, listing complete");
  });
});

test("a link fills the address in and connects to nothing", async (t) => {
  const server = await running(t, startSdkServer());
  await visit({ route: `#/connect?url=${encodeURIComponent(server.url)}` }, async (page) => {
    assert.equal(await page.getByLabel("Address of an MCP server").inputValue(), server.url);
    assert.equal(await attempt(page).count(), 0);
    assert.deepEqual(server.requests, []);
  });
});

test("nobody there", async () => {
  const url = await deadAddress();
  await visit({ servers: [{ url }], reports: [/ERR_CONNECTION_REFUSED/] }, async (page) => {
    await enter(page, url);
    await says(attempt(page), `Nobody answers at ${url}.`);
    await says(attempt(page), "Check that the server runs");
    assert.equal(await page.getByRole("navigation", { name: "Servers" }).getByRole("link").count(), 1);
  });
});

test("a server as the SDK sets it up: CORS is named, with lines that let this page in", async (t) => {
  const server = await running(t, startSdkServer({ cors: false }));
  // The last one is the answer to the question whether anybody is there.
  const reports = [/blocked by CORS policy/, /ERR_FAILED/, /status of 405/];
  await visit({ servers: [server], reports, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    const { origin } = new URL(page.url());
    await enter(page, server.url);
    await says(attempt(page), `A server answers there, but does not let pages from ${origin} read it (CORS).`);
    for (const [sdk, line] of Object.entries({
      TypeScript: `origin: "${origin}"`,
      Python: `allow_origins=["${origin}"]`,
      Rust: `HeaderValue::from_static("${origin}")`,
    })) {
      await attempt(page).getByRole("button", { name: sdk }).click();
      const lines = attempt(page).getByLabel("Lines to paste");
      await says(lines, line);
      await attempt(page).getByRole("button", { name: "Copy" }).first().click();
      await attempt(page).getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(copied.trim(), (await lines.innerText()).trim());
      await attempt(page).getByRole("button", { name: "Copied" }).blur();
    }
    await says(attempt(page).getByLabel("Command"), `skillglass inspect '${server.url}'`);
  });
});

test("the lines for TypeScript are right: a server with them lets this page in", async (t) => {
  const refusing = await running(t, startSdkServer({ cors: false }));
  const servers = [refusing];
  const reports = [/blocked by CORS policy/, /ERR_FAILED/, /status of 405/];
  await visit({ servers, reports }, async (page) => {
    await enter(page, refusing.url);
    const lines = await attempt(page).getByLabel("Lines to paste").innerText();
    const app = await appOf(t, lines);
    const server = await running(t, startSdkServer({ app }));
    servers.push(server);
    await connect(page, server.url);
    await says(catalog(page), "listing complete");
  });
});

/** The Express application that the lines set up. They are run where they find the SDK. */
async function appOf(t, lines) {
  mkdirSync(ARTIFACTS, { recursive: true });
  const folder = mkdtempSync(join(ARTIFACTS, "remedy-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "app.mjs");
  writeFileSync(
    file,
    `import { createMcpExpressApp } from "@modelcontextprotocol/express";\n${lines}\nexport { app };\n`,
  );
  return (await import(pathToFileURL(file))).app;
}

test("a web site", async (t) => {
  const site = await running(t, startWebSite());
  await visit({ servers: [site] }, async (page) => {
    await enter(page, site.url);
    await says(attempt(page), "200");
    await says(attempt(page), "text/html");
    await says(attempt(page), "Northwind Atelier Bicycles");
    await says(attempt(page), "Check the path of the address");
    assert.equal(await page.getByRole("heading", { name: "Bicycles" }).count(), 0);
  });
});

test("a server that wants a token", async (t) => {
  const server = await running(t, startSdkServer({ token: "open-sesame" }));
  await visit({ servers: [server], reports: [/status of 401/] }, async (page) => {
    await enter(page, server.url);
    await says(attempt(page), "This server wants you to sign in");
    await says(attempt(page), "Headers and token");
    await page.locator("summary", { hasText: "Headers and token" }).click();
    await page.getByLabel("Bearer token").fill("open-sesame");
    await connect(page, server.url);
    await says(catalog(page), "listing complete");
  });
});

test("a server of an older revision, without skills", async (t) => {
  const server = await running(t, startOlderServer());
  await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
    await connect(page, server.url);
    await says(page.locator("main"), "2025-11-25, with the older handshake, without a session");
    await says(page.locator("main"), "This server does not declare the extension io.modelcontextprotocol/skills.");
  });
});

describe("a server that never answers", () => {
  test("can be left", async (t) => {
    const server = await running(t, startSilentServer());
    await visit({ servers: [server] }, async (page) => {
      await enter(page, server.url);
      await server.asked;
      await attempt(page).getByRole("button", { name: "Stop" }).click();
      await says(attempt(page), "You stopped it.");
      assert.equal(await attempt(page).getByRole("button", { name: "Stop" }).count(), 0);
    });
  });

  test("is given up after the time limit", async (t) => {
    const server = await running(t, startSilentServer());
    const hurry = () => {
      const timeout = setTimeout.bind(window);
      window.setTimeout = (work, ms, ...rest) => timeout(work, ms / 100, ...rest);
    };
    await visit({ servers: [server], script: hurry }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "No answer within 30 seconds.");
    });
  });
});

describe("what is no address is refused before anything is asked", () => {
  for (const [address, why] of Object.entries({
    "": "Enter the address of an MCP server.",
    "mcp.example.com": "An address begins with https:// or http://.",
    "file:///etc/passwd": "An address begins with https:// or http://.",
    "http://": "The address names no host.",
    "demo:nobody": "There is no demo server of that name. There are demo:good and demo:broken.",
    "https://user:secret@mcp.example.com/mcp": "Do not put a user name or password into the address",
  })) {
    test(address || "nothing", () =>
      visit({}, async (page) => {
        await enter(page, address);
        await says(page.getByRole("alert"), why);
        assert.equal(await attempt(page).count(), 0);
        await heading(page, "What does this server teach a model?").waitFor();
      }),
    );
  }
});
