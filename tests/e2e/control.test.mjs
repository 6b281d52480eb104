// What the user controls: how long a server may take, how much is asked at a time, and when to stop.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { serve, skill } from "../servers/wire.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, connect, enter, fileStates, openSkill, openTab, panel, read, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ODD = "skill://odd/SKILL.md";
const attempt = (page) => page.getByRole("region", { name: "Connection" });

async function choose(page, name, value) {
  await page.getByText("Protocol and limits").click();
  await page.getByRole("group", { name }).getByRole("button", { name: value, exact: true }).click();
}

/** Seconds of the page pass like milliseconds. */
const hurry = () => {
  const timeout = setTimeout.bind(window);
  window.setTimeout = (work, ms, ...rest) => timeout(work, ms / 100, ...rest);
};

const silence = () => undefined;

describe("a silent server", () => {
  test("is given up while connecting, after the time that the user allows", async (t) => {
    const server = await serve(t, { on: { "server/discover": silence } });
    await visit({ servers: [server], script: hurry }, async (page) => {
      await choose(page, "Longest silence while connecting", "10 s");
      await enter(page, server.url);
      await says(attempt(page), "No answer within 10 seconds.");
      await page.reload();
      await page.getByText("Protocol and limits").click();
      const kept = page.getByRole("group", { name: "Longest silence while connecting" }).getByRole("button", { name: "10 s" });
      assert.equal(await kept.getAttribute("aria-pressed"), "true");
    });
  });

  test("is given up later; what came stays", async (t) => {
    const server = await serve(t, { on: { "resources/read": silence }, skills: [skill("odd", 0)] });
    await visit({ servers: [server], script: hurry }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await read(page, "SKILL.md");
      await says(page.getByRole("alert"), "No answer within 60 seconds.");
      await standing(page, "Could not get 1 of 1 file").waitFor();
      await openTab(page, "Frontmatter");
      await says(panel(page), "SKILL.md could not be read; this is the entry's side only.");
      await says(catalog(page), "listing complete");
    });
  });

  test("that falls silent in the middle of an answer is given up, too", async (t) => {
    const on = { "skills/list": ({ stream }) => stream().raw(": wait\n\n") };
    const server = await serve(t, { on });
    await visit({ servers: [server], script: hurry }, async (page) => {
      await connect(page, server.url);
      await says(catalog(page), "No answer within 60 seconds.");
    });
  });
});

describe("everything that takes long can be stopped", () => {
  /** A server on which one method is not answered, and a promise of its first question. */
  async function silentOn(t, method, options) {
    let asked;
    const arrived = new Promise((resolve) => (asked = resolve));
    const server = await serve(t, { on: { [method]: () => asked() }, ...options });
    return { server, arrived };
  }

  test("listing, which can be begun again", async (t) => {
    let answers = false;
    let asked;
    const arrived = new Promise((resolve) => (asked = resolve));
    const on = { "skills/list": () => (answers ? false : asked()) };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await enter(page, server.url);
      await arrived;
      await attempt(page).getByRole("button", { name: "Stop" }).click();
      await says(catalog(page), "You stopped it.");
      answers = true;
      await catalog(page).getByRole("button", { name: "Refresh list" }).click();
      await says(catalog(page), "1 skill in 1 page, listing complete");
    });
  });

  test("skills/get", async (t) => {
    const { server, arrived } = await silentOn(t, "skills/get");
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await page.getByRole("button", { name: "Fetch with skills/get" }).click();
      await arrived;
      await page.getByRole("button", { name: "Stop asking" }).click();
      await page.getByRole("button", { name: "Fetch with skills/get" }).waitFor();
    });
  });

  test("a run over all files, by the one button for it", async (t) => {
    const { server, arrived } = await silentOn(t, "resources/read");
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await verifyAll(page);
      await arrived;
      assert.equal(await page.getByRole("button", { name: /Stop|Cancel/ }).count(), 1);
      await page.getByRole("button", { name: "Stop verifying" }).click();
      await page.getByRole("button", { name: "Verify all" }).waitFor();
      assert.ok(Object.values(await fileStates(page)).every((state) => state === "not read yet"));
    });
  });
});

describe("files are read a few at a time", () => {
  /** Answers the reads of each handful only when the whole handful has come. */
  function handfuls(size, total) {
    const waiting = [];
    let most = 0;
    let done = 0;
    const on = {
      "resources/read": (exchange) =>
        new Promise((resolve) => {
          waiting.push(() => resolve(false));
          most = Math.max(most, waiting.length);
          if (waiting.length === Math.min(size, total - done)) {
            done += waiting.length;
            waiting.splice(0).forEach((go) => go());
          }
          exchange.response.on("close", () => resolve());
        }),
    };
    return { on, most: () => most };
  }

  for (const [value, size] of Object.entries({ Auto: 6, 1: 1 })) {
    test(`${value}: ${size}`, async (t) => {
      const { on, most } = handfuls(size, 24);
      const server = await serve(t, { on, skills: [skill("odd", 23)] });
      await visit({ servers: [server] }, async (page) => {
        await choose(page, "Files read at a time", value);
        await connect(page, server.url);
        await openSkill(page, ODD);
        await verifyAll(page);
        await standing(page, "Verified 24 of 24").waitFor();
        assert.equal(most(), size);
      });
    });
  }

  test("more of them over HTTP/2", async (t) => {
    const { on, most } = handfuls(24, 48);
    const cors = { "Timing-Allow-Origin": "*" };
    const server = await serve(t, { on, secure: true, alsoSends: cors, skills: [skill("odd", 47)] });
    await visit({ servers: [server], ignoreHTTPSErrors: true }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await verifyAll(page);
      await standing(page, "Verified 48 of 48").waitFor();
      assert.equal(most(), 24);
    });
  });
});

describe("a busy server is left alone for a while", () => {
  const busy = (seconds) => ({ error, response }) => {
    response.setHeader("Retry-After", seconds);
    error(-32000, "too many", 429);
  };
  /** Busy for so many questions, then as usual. */
  const busyFor = (times, seconds) => {
    let left = times;
    return (exchange) => (left-- > 0 ? busy(seconds)(exchange) : false);
  };
  const reports = [/status of 429/];

  test("while connecting, and the user sees it", async (t) => {
    const server = await serve(t, { on: { "server/discover": busyFor(1, "3") } });
    await visit({ servers: [server], reports }, async (page) => {
      await enter(page, server.url);
      await says(attempt(page), "The server is busy (429): waiting 3 s");
      await says(attempt(page), "waiting 2 s");
      await catalog(page).waitFor();
      assert.equal(server.asked("server/discover").length, 2);
      assert.equal(new Set(server.asked("server/discover").map(({ id }) => id)).size, 2, "each with an id of its own");
    });
  });

  test("while reading: every file is read in the end", async (t) => {
    const server = await serve(t, { on: { "resources/read": busyFor(4, "1") }, skills: [skill("odd", 9)] });
    await visit({ servers: [server], reports, script: hurry }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await verifyAll(page);
      await standing(page, "Verified 10 of 10").waitFor();
      assert.equal(server.asked("resources/read").length, 14);
      assert.equal(await page.getByText("The server is busy").count(), 0);
    });
  });

  test("unless the user stops", async (t) => {
    const server = await serve(t, { on: { "resources/read": busy("50") } });
    await visit({ servers: [server], reports }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await verifyAll(page);
      await says(page.locator(".skill-head"), "The server is busy (429): waiting");
      await page.getByRole("button", { name: "Stop verifying" }).click();
      await page.getByRole("button", { name: "Verify all" }).waitFor();
      assert.equal(await page.getByText("The server is busy (429)").count(), 0);
    });
  });

  test("but not for longer than a minute", async (t) => {
    const server = await serve(t, { on: { "resources/read": busy("300") }, skills: [skill("odd", 0)] });
    await visit({ servers: [server], reports }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, ODD);
      await verifyAll(page);
      const alert = page.getByRole("alert").first();
      await says(alert, "The server is busy: it answered 429.");
      await says(alert, "It asks for a pause of 5 minutes, longer than this page waits by itself.");
      assert.equal(server.asked("resources/read").length, 1);
      await panel(page).waitFor();
    });
  });
});
