// Long and odd listings: shown as they arrive, walked to an end, kept fresh.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { serve, skill } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { catalog, connect, focused, heading, listed, openSkill, row, says, standing } from "./steps.mjs";

setUp();

const filter = (page) => page.getByRole("searchbox", { name: "Filter skills" });
const foot = (page) => page.locator(".catalog-foot");
const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

/** An entry of little weight. */
const entry = (number) => {
  const name = `skill-${String(number).padStart(6, "0")}`;
  const uri = `skill://team-${number % 7}/${name}/SKILL.md`;
  const digest = `sha256:${"0".repeat(64)}`;
  return { uri, frontmatter: { name, description: `Number ${number}.` }, resources: [{ uri, digest, size: 1 }] };
};

/** Pages of `size` entries; the cursor of each page is its number. */
const paged = (pages, size) => (exchange) => {
  const page = Number(exchange.message.params.cursor ?? 0);
  const skills = Array.from({ length: size }, (_, index) => entry(page * size + index));
  const nextCursor = page + 1 < pages ? String(page + 1) : undefined;
  exchange.result({ skills, nextCursor });
};

test("what could not be listed is not called sound", async (t) => {
  const server = await serve(t, { on: { "skills/list": ({ error }) => error(-32603, "out of order", 500) } });
  await visit({ servers: [server], reports: [/status of 500/] }, async (page) => {
    await connect(page, server.url);
    await says(page.getByRole("main"), "Its listing did not come whole, so how it lists could not be judged.");
    assert.equal(await page.getByText("Nothing is wrong so far").count(), 0);
    await takePicture(page, "listing-failed");
  });
});

test("what an entry hides is marked in the list before anything is read", async (t) => {
  const [plain, name, text] = ["plain", "bidi-name", "hidden-text"].map((name) => skill(name, 1));
  name.entry.resources[1].uri = "skill://bidi-name/references/%E2%80%AEcod.md";
  text.entry.frontmatter.description = "Sums.\u200b\u200bObey.";
  plain.entry.frontmatter.description = "Mends 👩‍🔧 and 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.";
  const server = await serve(t, { skills: [plain, name, text] });
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    const marks = catalog(page).locator("li a .mark");
    assert.deepEqual(await marks.evaluateAll((all) => all.map((mark) => mark.classList.contains("warn"))), [false, true, true]);
    await openSkill(page, "skill://bidi-name/SKILL.md");
    await standing(page, "Not read yet; has hidden characters").waitFor();
  });
});

describe("100,000 skills in 1,000 pages", () => {
  test("are shown as they arrive, each page once, in a document that stays small", async (t) => {
    const [pages, size] = [1000, 100];
    let go;
    const half = new Promise((resolve) => (go = resolve));
    const on = {
      "skills/list": async (exchange) => {
        if (Number(exchange.message.params.cursor ?? 0) === pages / 2) {
          await half;
        }
        paged(pages, size)(exchange);
      },
    };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "50,000 skills, asking for page 501…");
      assert.ok((await nodes(page)) < 3000, `${await nodes(page)} nodes`);
      // What has come can be used while the rest is on its way.
      await filter(page).fill("skill-049999");
      assert.deepEqual(await listed(page), ["skill-049999"]);
      await filter(page).fill("");
      go();
      await says(foot(page), "100,000 skills in 1,000 pages, listing complete");
      const cursors = server.asked("skills/list").map(({ params }) => params.cursor);
      assert.equal(cursors.length, pages);
      assert.equal(new Set(cursors).size, pages);
      assert.ok((await nodes(page)) < 3000, `${await nodes(page)} nodes`);
      await filter(page).fill("skill-09999");
      assert.equal((await listed(page)).length, 10);
    });
  });
});

describe("10,000 skills", () => {
  const on = { "skills/list": paged(10, 1000) };

  test("can be gone through from end to end", async (t) => {
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "10,000 skills in 10 pages, listing complete");
      const list = page.locator(".catalog-list");
      const [first] = await listed(page);
      assert.equal(first, "skill-000000");
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await row(page, entry(9995).uri).waitFor();
      assert.ok(!(await listed(page)).includes(first));
      assert.ok((await nodes(page)) < 3000, `${await nodes(page)} nodes`);
      const items = catalog(page).getByRole("listitem");
      assert.equal(await items.last().getAttribute("aria-posinset"), "10007");
      assert.equal(await items.last().getAttribute("aria-setsize"), "10007");
      assert.deepEqual(await axeFindings(page), []);
      await list.evaluate((element) => element.scrollTo(0, 0));
      await row(page, entry(0).uri).waitFor();
    });
  });

  test("the keyboard reaches rows that are not in the document", async (t) => {
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "listing complete");
      await page.keyboard.press("/");
      await focused(page, filter(page));
      await page.keyboard.press("ArrowDown");
      await focused(page, row(page, entry(0).uri));
      for (let press = 0; press < 80; press += 1) {
        await page.keyboard.press("ArrowDown");
      }
      // Every seventh number stands in the first group.
      await focused(page, row(page, entry(80 * 7).uri));
      assert.equal(await row(page, entry(0).uri).count(), 0);
      // The focus is kept in the list while its row is out of sight.
      await page.locator(".catalog-list").evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await row(page, entry(9995).uri).waitFor();
      await focused(page, page.locator(".catalog-list > ul"));
      await page.keyboard.press("ArrowDown");
      await focused(page, row(page, entry(81 * 7).uri));
      await page.keyboard.press("Enter");
      await heading(page, "skill-000567").waitFor();
      await page.keyboard.press("k");
      await focused(page, row(page, entry(80 * 7).uri));
    });
  });
});

describe("a walk over pages ends, keeps what came, and says why", () => {
  test("an empty cursor is a cursor", async (t) => {
    const on = {
      "skills/list": ({ message, result }) =>
        message.params.cursor === "" ? result({ skills: [entry(2)] }) : result({ skills: [entry(1)], nextCursor: "" }),
    };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "2 skills in 2 pages, listing complete");
      assert.deepEqual(server.asked("skills/list").map(({ params }) => params.cursor), [undefined, ""]);
    });
  });

  test("cursors that go round", async (t) => {
    const next = { undefined: "a", a: "b", b: "c", c: "a" };
    let page = 0;
    const on = {
      "skills/list": ({ message, result }) =>
        result({ skills: [entry((page += 1))], nextCursor: next[message.params.cursor] }),
    };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "4 skills in 4 pages; stopped: the server repeats a cursor, so its pages never end");
      await says(page.locator("main"), "The server gave the same cursor twice");
      assert.equal(server.asked("skills/list").length, 4);
    });
  });

  test("the same skill on every page", async (t) => {
    const other = { ...entry(1), frontmatter: { name: "skill-000001", description: "Another." } };
    const pages = [[entry(1)], [entry(1)], [other, entry(2)]];
    const on = {
      "skills/list": ({ message, result }) => {
        const at = Number(message.params.cursor ?? 0);
        result({ skills: pages[at], nextCursor: at < 2 ? String(at + 1) : undefined });
      },
    };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "2 skills in 3 pages, listing complete");
      await says(page.locator("main"), "is listed on two pages; it is shown once");
      await says(page.locator("main"), "is listed on two pages; with different entries");
    });
  });
});

describe("the list is refreshed on request", () => {
  test("what has changed is shown; a skill that is open says so", async (t) => {
    const before = skill("odd", 1);
    const after = skill("odd", 2);
    const more = skill("more", 0);
    let skills = [before];
    const on = { "skills/list": ({ result }) => result({ skills: skills.map(({ entry }) => entry) }) };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      const refresh = catalog(page).getByRole("button", { name: "Refresh list" });
      await refresh.click();
      await says(foot(page), "1 skill in 1 page, listing complete");
      assert.equal(await page.getByRole("status", { name: "Comparison" }).count(), 0);
      skills = [after, more];
      await refresh.click();
      await says(foot(page), "2 skills in 1 page, listing complete");
      assert.deepEqual(await listed(page), ["odd", "more"]);
      const comparison = page.getByRole("status", { name: "Comparison" });
      await says(comparison, "skills/list answers with another entry: 1 more file.");
      await comparison.getByRole("button", { name: "Hold this entry instead" }).click();
      await page.getByRole("tab", { name: "Files 3" }).waitFor();
    });
  });

  test("a refresh that fails leaves what there was", async (t) => {
    const on = {};
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await says(foot(page), "listing complete");
      on["skills/list"] = ({ error }) => error(-32603, "out of tea");
      await catalog(page).getByRole("button", { name: "Refresh list" }).click();
      await says(foot(page), "1 skill in 1 page, listing complete. It could not be refreshed.");
      await says(foot(page), "out of tea");
      await openSkill(page, "skill://odd/SKILL.md");
    });
  });
});

describe("an entry that is no longer fresh", () => {
  const stale = { "skills/list": ({ result }) => result({ skills: [skill("odd", 1).entry], ttlMs: 0 }) };
  const fact = (page) => page.locator("dl.facts .fact").filter({ hasText: "Entry read" });

  test("is asked for anew when it is opened", async (t) => {
    const server = await serve(t, { on: { ...stale }, skills: [skill("odd", 1)] });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      await says(
        fact(page),
        "just now with skills/get, fresh for 5 min (private); asked for anew when it was opened, as skills/list names no time for which it holds",
      );
      assert.equal(server.asked("skills/get").length, 1);
      assert.equal(server.asked("resources/read").length, 0);
    });
  });

  test("and is another now: nothing is exchanged behind the user's back", async (t) => {
    const server = await serve(t, { on: { ...stale }, skills: [skill("odd", 2)] });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      await says(page.getByRole("status", { name: "Comparison" }), "skills/get answers with another entry: 1 more file.");
      await page.getByRole("tab", { name: "Files 2" }).waitFor();
      await page.getByRole("tab", { name: "Checks", exact: true }).waitFor();
    });
  });

  test("and cannot be had anew: it is shown, and one is told", async (t) => {
    const on = { ...stale, "skills/get": ({ error }) => error(-32603, "out of tea") };
    const server = await serve(t, { on });
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      await says(fact(page), "as skills/list names no time for which it holds, and it could not be had. The server answered with error -32603: out of tea.");
    });
  });

  test("a fresh one is not asked for", async (t) => {
    const server = await serve(t, {});
    await visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://odd/SKILL.md");
      await says(fact(page), "with skills/list, fresh for");
      assert.equal(server.asked("skills/get").length, 0);
    });
  });
});
