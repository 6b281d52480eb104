// Signing in: against an authorization server that nobody here wrote, from a page under a path of its own.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { hostAt } from "../../web/client-metadata.mjs";
import { BY_HAND, startAuthorizationServer } from "../servers/authorization-server.mjs";
import { LIST, READ, startProtectedServer } from "../servers/protected-skills.mjs";
import { startSdkServer } from "../servers/sdk-skills.mjs";
import { axeFindings, DIST, setUp, takePicture, visit } from "./journey.mjs";
import { catalog, enter, heading, openSkill, panel, read, says, standing, verifyAll } from "./steps.mjs";

const PREFIX = "/tools/skillglass/";
setUp({ prefix: PREFIX });

const SKILL_MD = "skill://code-review/SKILL.md";
const UNAUTHORIZED = /status of 401/;
const FORBIDDEN = /status of 403/;

const attempt = (page) => page.getByRole("region", { name: "Connection" });
const card = (page) => page.locator(".sign-in");
const account = (page) => page.getByRole("region", { name: "Sign-in", exact: true });
const press = (page, name) => card(page).getByRole("button", { name }).click();

async function authorityOf(t, options) {
  const authority = await startAuthorizationServer({
    scopes: [LIST, READ],
    redirects: [`${PREFIX}callback.html`],
    ...options,
  });
  t.after(authority.close);
  return authority;
}

/** An authorization server and a server that takes its tokens. */
async function guarded(t, { exposed, hosts, token, ttlMs, ...options } = {}) {
  const authority = await authorityOf(t, options);
  const server = await startProtectedServer({ authority, exposed, hosts, token, ttlMs });
  t.after(server.close);
  return { authority, server };
}

/** Visits a page that may talk to both. */
const visitBoth = ({ authority, server }, options, walk) =>
  visit({ servers: [authority, server], reports: [UNAUTHORIZED], windows: 2, ...options }, async (page) => {
    const told = listenTo(page);
    await walk(page);
    await keepsSecrets(page, authority, told);
  });

/** Everything that is said on a console, asked for, or sent to a window. */
function listenTo(page) {
  const told = [];
  page.context().on("console", (message) => told.push(message.text()));
  page.context().on("weberror", (error) => told.push(String(error.error())));
  page.context().on("request", (request) => told.push(request.url()));
  return told;
}

/** No secret in an address, on a console, in the page, on the wire or in storage. */
async function keepsSecrets(page, { secrets }, told, { stored = false } = {}) {
  const wire = page.getByRole("region", { name: "Wire", exact: true });
  if ((await wire.getByRole("listitem").count()) === 0) {
    await wire.getByRole("button", { name: "Wire" }).click();
  }
  const shown = [await page.content(), page.url()];
  for (const exchange of await wire.getByRole("listitem").getByRole("button").all()) {
    await exchange.click();
    shown.push(await wire.innerText());
  }
  if (!stored) {
    shown.push(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])));
  }
  // A browser's own way back cannot but carry the code, which is worth nothing without the verifier.
  const addresses = told.filter((text) => !text.includes("/callback.html?"));
  for (const secret of secrets) {
    assert.ok(![...shown, ...addresses].some((text) => text.includes(secret)), "a secret is shown");
  }
}

/** From the address to the plan of a sign-in. */
async function plan(page, server) {
  await enter(page, server.url);
  await press(page, "Sign in");
  await card(page).getByRole("button", { name: "Go on at" }).waitFor();
}

/** Goes on as planned, and answers the authorization server's question in its window, which then closes. */
async function consent(page, answer = "Agree") {
  const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, "Go on at")]);
  const closed = popup.waitForEvent("close");
  await popup.getByRole("button", { name: answer }).click();
  await closed;
}

async function signIn(page, server) {
  await plan(page, server);
  await consent(page);
  await catalog(page).getByText("listing complete").waitFor();
}

const paths = ({ requests }, path) => requests.filter((request) => request.path === path);

test("what a server asks for is told, and nothing happens unasked", async (t) => {
  const both = await guarded(t);
  const { authority, server } = both;
  await visitBoth(both, {}, async (page) => {
    await enter(page, server.url);
    await says(card(page), "This server wants you to sign in");
    await says(card(page), LIST);
    await says(card(page), "Missing Authorization header");
    assert.deepEqual(authority.requests, [], "nobody has asked the authorization server anything");

    await press(page, "Sign in");
    await says(card(page), authority.issuer);
    await says(card(page), `registers itself, without a secret, at ${authority.issuer}/register`);
    await says(card(page), server.url);
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(
      authority.requests.map(({ method, path }) => `${method} ${path}`),
      ["GET /.well-known/oauth-authorization-server"],
      "nothing is registered before the user has seen the plan",
    );

    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
    const [registered] = paths(authority, "/register");
    assert.equal(registered.body.token_endpoint_auth_method, "none");
    const [asked] = paths(authority, "/authorize");
    assert.equal(asked.query.code_challenge_method, "S256");
    assert.equal(asked.query.resource, server.url);
    assert.equal(asked.query.scope, `offline_access ${LIST}`);
    const [redeemed] = paths(authority, "/token");
    assert.equal(redeemed.body.grant_type, "authorization_code");
    assert.equal(redeemed.body.resource, server.url);
    assert.ok(redeemed.body.code_verifier);
    await says(account(page), authority.issuer);
    await says(account(page), LIST);
  });
});

test("a server whose challenge no page can read is signed in to all the same", async (t) => {
  const both = await guarded(t, { exposed: false });
  await visitBoth(both, {}, async (page) => {
    await plan(page, both.server);
    await says(card(page), LIST);
    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
  });
});

test("an authorization server that cuts every link to the page", async (t) => {
  const both = await guarded(t, { isolated: true });
  await visitBoth(both, {}, async (page) => {
    await plan(page, both.server);
    const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, "Go on at")]);
    await popup.getByRole("button", { name: "Agree" }).click();
    await catalog(page).getByText("listing complete").waitFor();
  });
});

test("where a server trusts several authorization servers, the user chooses", async (t) => {
  const [authority, other] = await Promise.all([authorityOf(t), authorityOf(t)]);
  const server = await startProtectedServer({ authority, issuers: [other.issuer, authority.issuer] });
  t.after(server.close);
  await visitBoth({ authority, server }, {}, async (page) => {
    await enter(page, server.url);
    await press(page, "Sign in");
    await press(page, authority.issuer);
    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
    assert.deepEqual(other.requests, []);
  });
});

describe("more scopes", () => {
  test("are asked for where a request needs them, and the request is sent again", async (t) => {
    const both = await guarded(t);
    const { authority, server } = both;
    await visitBoth(both, { reports: [UNAUTHORIZED, FORBIDDEN], windows: 3 }, async (page) => {
      await signIn(page, server);
      await openSkill(page, SKILL_MD);
      await read(page, "SKILL.md");
      await says(card(page), "This needs more than you have agreed to");
      await says(card(page), READ);
      await press(page, "Sign in");
      await says(card(page), "since it was registered");
      await consent(page);
      await panel(page).getByRole("article").waitFor();
      assert.equal(paths(authority, "/register").length, 1, "the page is registered once");
      assert.equal(paths(authority, "/authorize").at(-1).query.scope, `offline_access ${LIST} ${READ}`);
    });
  });

  test("are asked for once, however many requests wait for them", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { reports: [UNAUTHORIZED, FORBIDDEN], windows: 3 }, async (page) => {
      await signIn(page, both.server);
      await openSkill(page, SKILL_MD);
      await verifyAll(page);
      await press(page, "Sign in");
      await consent(page);
      await standing(page, "Verified 2 of 2").waitFor();
      assert.equal(paths(both.authority, "/token").length, 2);
    });
  });

  test("can be declined: the run stops and asks no more", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { reports: [UNAUTHORIZED, FORBIDDEN] }, async (page) => {
      await signIn(page, both.server);
      await openSkill(page, SKILL_MD);
      await verifyAll(page);
      await press(page, "Not now");
      await standing(page, "Broken off: verified 0 of 2 files").waitFor();
      assert.equal(await card(page).count(), 0);
    });
  });
});

describe("a token that ends", () => {
  /** Signs in and is granted everything. */
  async function granted(page, server) {
    await signIn(page, server);
    await openSkill(page, SKILL_MD);
    await read(page, "SKILL.md");
    await press(page, "Sign in");
    await consent(page);
    await panel(page).getByRole("article").waitFor();
  }

  test("is renewed without a word, once for all requests that meet its end", async (t) => {
    const both = await guarded(t);
    const { authority, server } = both;
    await visitBoth(both, { reports: [UNAUTHORIZED, FORBIDDEN], windows: 3 }, async (page) => {
      await granted(page, server);
      await authority.expireAccessTokens();
      const before = paths(authority, "/token").length;
      await verifyAll(page);
      await standing(page, "Verified 2 of 2").waitFor();
      const renewed = paths(authority, "/token").slice(before);
      assert.deepEqual(renewed.map(({ body }) => body.grant_type), ["refresh_token"]);
      assert.equal(renewed[0].body.resource, server.url);
      assert.equal(await card(page).count(), 0);
    });
  });

  test("is renewed before it is refused, where its end is known", async (t) => {
    const both = await guarded(t, { accessTokenTTL: 60 });
    const { authority, server } = both;
    await visitBoth(both, { reports: [UNAUTHORIZED, FORBIDDEN], windows: 3 }, async (page) => {
      await granted(page, server);
      await page.evaluate(() => {
        const now = Date.now;
        Date.now = () => now() + 61_000;
      });
      const refused = [];
      page.on("response", (response) => response.status() === 401 && refused.push(response.url()));
      const before = paths(authority, "/token").length;
      await verifyAll(page);
      await standing(page, "Verified 2 of 2").waitFor();
      assert.ok(paths(authority, "/token").length > before);
      assert.deepEqual(refused, []);
    });
  });

  test("and cannot be renewed asks for the user", async (t) => {
    const both = await guarded(t);
    const { authority, server } = both;
    const reports = [UNAUTHORIZED, FORBIDDEN, /status of 400/];
    await visitBoth(both, { reports, windows: 4 }, async (page) => {
      await granted(page, server);
      await authority.forget();
      await verifyAll(page);
      await says(card(page), "Your sign-in has ended");
      await press(page, "Sign in");
      await consent(page);
      await standing(page, "Verified 2 of 2").waitFor();
    });
  });
});

test("where a page cannot register itself, a client id is entered", async (t) => {
  const both = await guarded(t, { registration: false });
  const { authority, server } = both;
  await visitBoth(both, {}, async (page) => {
    await enter(page, server.url);
    await press(page, "Sign in");
    await says(card(page), "does not let this page register itself");
    await says(card(page), new URL("callback.html", page.url()).href);
    assert.deepEqual(await axeFindings(page), []);
    await card(page).getByLabel("Client id").fill(BY_HAND);
    await press(page, "Go on");
    await says(card(page), `by the client id you entered, ${BY_HAND}`);
    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
    assert.equal(paths(authority, "/token")[0].body.client_id, BY_HAND);
  });
});

test("a client id of one's own goes before a registration", async (t) => {
  const both = await guarded(t);
  await visitBoth(both, {}, async (page) => {
    await plan(page, both.server);
    await press(page, "Use a client id of your own");
    await card(page).getByLabel("Client id").fill(BY_HAND);
    await card(page).getByRole("button", { name: "Go on", exact: true }).click();
    await says(card(page), `by the client id you entered, ${BY_HAND}`);
    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
    assert.deepEqual(paths(both.authority, "/register"), []);
  });
});

describe("what goes wrong is told, with what can be done", () => {
  test("consent is denied", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, {}, async (page) => {
      await plan(page, both.server);
      await consent(page, "Refuse");
      await says(card(page), "granted nothing: access_denied (The rider refused.)");
      await says(card(page), "Sign in again and agree");
      assert.deepEqual(paths(both.authority, "/token"), []);
      await press(page, "Leave it");
      await says(attempt(page), "granted nothing: access_denied");
    });
  });

  test("the answer comes from another issuer", async (t) => {
    const both = await guarded(t, { iss: "https://evil.example" });
    await visitBoth(both, {}, async (page) => {
      await plan(page, both.server);
      await consent(page);
      await says(card(page), "does not come from the authorization server that was asked");
      assert.deepEqual(paths(both.authority, "/token"), [], "the code goes nowhere");
      assert.ok(!(await page.content()).includes("evil.example"));
    });
  });

  test("an authorization server that lets no page read it", async (t) => {
    const both = await guarded(t, { cors: false });
    const reports = [UNAUTHORIZED, /blocked by CORS policy/, /ERR_FAILED/];
    await visitBoth(both, { reports, windows: 1 }, async (page) => {
      await enter(page, both.server.url);
      await press(page, "Sign in");
      await says(card(page), "nothing readable came back");
      await says(card(page), "does not support browser clients");
      await says(card(page), "Enter a token that you obtained elsewhere");
    });
  });

  test("an authorization server that serves clients with a secret only", async (t) => {
    const both = await guarded(t, { secrets: true });
    await visitBoth(both, { windows: 1 }, async (page) => {
      await enter(page, both.server.url);
      await press(page, "Sign in");
      await says(card(page), "serves only clients that have a secret, and a page cannot keep one");
    });
  });

  test("a server that does not say who vouches for its users", async (t) => {
    const server = await startSdkServer({ token: "open-sesame" });
    t.after(server.close);
    await visit({ servers: [server], reports: [UNAUTHORIZED] }, async (page) => {
      await enter(page, server.url);
      await press(page, "Sign in");
      await says(card(page), "protected resource metadata");
      await says(card(page), "Enter a token that you obtained elsewhere");
    });
  });

  test("the user does not want to", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { windows: 1 }, async (page) => {
      await enter(page, both.server.url);
      await press(page, "Not now");
      await says(attempt(page), "you did not sign in");
      assert.equal(await card(page).count(), 0);
    });
  });

  test("somebody else's answer changes nothing", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { windows: 3 }, async (page) => {
      await plan(page, both.server);
      const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, "Go on at")]);
      await popup.getByRole("button", { name: "Agree" }).waitFor();
      const forged = await page.context().newPage();
      await forged.goto(new URL("callback.html?code=x&state=forged", page.url()).href);
      await forged.getByText("Handing the answer over").waitFor();
      assert.ok(!forged.url().includes("?"), "the code stays neither in the address bar nor in the history");
      await forged.close();
      await says(card(page), "Waiting for you to come back");
      await popup.getByRole("button", { name: "Agree" }).click();
      await catalog(page).getByText("listing complete").waitFor();
    });
  });
});

describe("a token of one's own", () => {
  const withToken = async (page, server, token) => {
    await page.locator("summary", { hasText: "Headers and token" }).click();
    await page.getByLabel("Bearer token").fill(token);
    await enter(page, server.url);
  };

  test("wins: nobody is asked to sign in", async (t) => {
    const both = await guarded(t, { token: "open-sesame-of-the-rider" });
    await visitBoth(both, { reports: [], windows: 1 }, async (page) => {
      await withToken(page, both.server, "open-sesame-of-the-rider");
      await catalog(page).getByText("listing complete").waitFor();
      assert.deepEqual(both.authority.requests, []);
      assert.deepEqual([...new Set(both.server.authorizations)], ["Bearer open-sesame-of-the-rider"]);
    });
  });

  test("is never replaced, even where it is refused", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { windows: 1 }, async (page) => {
      await withToken(page, both.server, "not-the-right-one-at-all");
      await says(attempt(page), "does not accept the headers you entered");
      await says(attempt(page), "remove them to sign in instead");
      assert.equal(await card(page).count(), 0);
      assert.deepEqual(both.authority.requests, []);
      assert.deepEqual([...new Set(both.server.authorizations)], ["Bearer not-the-right-one-at-all"]);
    });
  });
});

describe("where no window can be opened", () => {
  const blocked = () => {
    globalThis.open = () => null;
  };

  test("the page itself goes away and comes back", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { script: blocked, windows: 1 }, async (page) => {
      await plan(page, both.server);
      await press(page, "Go on at");
      await says(card(page), "did not let this page open a window");
      await press(page, "Sign in in this tab");
      await page.getByRole("button", { name: "Agree" }).click();
      await catalog(page).getByText("listing complete").waitFor();
      assert.ok(!page.url().includes("code="), page.url());
      const kept = await page.evaluate(() => Object.keys({ ...sessionStorage }));
      assert.deepEqual(kept, ["skillglass.servers"]);
      assert.equal(paths(both.authority, "/token").length, 1);
      await page.goBack();
      await page.goForward();
      assert.equal(paths(both.authority, "/token").length, 1, "an answer serves once");
    });
  });

  test("and what goes wrong is told there, too", async (t) => {
    const both = await guarded(t);
    await visitBoth(both, { script: blocked, windows: 1 }, async (page) => {
      await plan(page, both.server);
      await press(page, "Go on at");
      await press(page, "Sign in in this tab");
      await page.getByRole("button", { name: "Refuse" }).click();
      await says(card(page), "granted nothing: access_denied (The rider refused.)");
    });
  });
});

test("tokens outlast a reload only if the user asks for it, and signing out forgets them", async (t) => {
  const { authority, server } = await guarded(t);
  await visit({ servers: [authority, server], reports: [UNAUTHORIZED], windows: 2 }, async (page) => {
    const told = listenTo(page);
    const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    const holdsSecret = async () => {
      const text = await stored();
      return [...authority.secrets].some((secret) => text.includes(secret));
    };
    await signIn(page, server);
    assert.equal(await holdsSecret(), false);
    await account(page).getByRole("checkbox").check();
    assert.equal(await holdsSecret(), true);
    await keepsSecrets(page, authority, told, { stored: true });

    await page.reload();
    await page.getByRole("button", { name: "Connect to" }).click();
    await catalog(page).getByText("listing complete").waitFor();
    await says(account(page), authority.issuer);
    await account(page).getByRole("checkbox").uncheck();
    assert.equal(await holdsSecret(), false);
    await account(page).getByRole("checkbox").check();

    await account(page).getByRole("button", { name: "Sign out" }).click();
    assert.equal(await account(page).count(), 0);
    assert.equal(await holdsSecret(), false);
    await openSkill(page, SKILL_MD);
    await read(page, "SKILL.md");
    await says(card(page), "This server wants you to sign in");
  });
});

test("what was fresh for the one who signed out is asked for anew", async (t) => {
  const both = await guarded(t, { ttlMs: 3_600_000 });
  const { server } = both;
  const gets = () => server.requests.filter(({ method }) => method === "skills/get").length;
  await visitBoth(both, { windows: 3 }, async (page) => {
    await signIn(page, server);
    const overview = () => page.getByRole("navigation", { name: "Servers" }).getByRole("link", { name: "127.0.0.1" }).click();
    await openSkill(page, SKILL_MD);
    await overview();
    await openSkill(page, SKILL_MD);
    assert.equal(gets(), 0, "it is fresh");
    await overview();
    await account(page).getByRole("button", { name: "Sign out" }).click();
    await openSkill(page, SKILL_MD);
    await says(card(page), "This server wants you to sign in");
    await press(page, "Sign in");
    await consent(page);
    await says(page.locator("dl.facts"), "just now with skills/get");
    assert.equal(gets(), 1);
  });
});

test("where the page is hosted for good, it is known by its own metadata document", async (t) => {
  const url = "https://skillglass.example/inspector/";
  const folder = mkdtempSync(join(tmpdir(), "skillglass-hosted-"));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(DIST, folder, { recursive: true });
  hostAt(folder, url);
  const fetched = [];
  const documents = async (asked) => {
    fetched.push(String(asked));
    return Response.json(JSON.parse(readFileSync(join(folder, "client-metadata.json"), "utf8")));
  };
  const both = await guarded(t, { documents, hosts: [new URL(url).host] });
  const { authority, server } = both;
  const options = { home: { url, folder }, permissions: ["local-network-access"] };
  await visitBoth(both, options, async (page) => {
    await plan(page, server);
    await says(card(page), `by its own client metadata document, ${url}client-metadata.json`);
    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
    assert.deepEqual(fetched, [`${url}client-metadata.json`]);
    assert.deepEqual(paths(authority, "/register"), []);
    assert.equal(paths(authority, "/token")[0].body.client_id, `${url}client-metadata.json`);
  });
});

test("only https addresses of folders can be hosted at", () => {
  for (const url of ["http://skillglass.example/", "https://skillglass.example/inspector", "https://a.example/../b/"]) {
    assert.throws(() => hostAt(tmpdir(), url), /SKILLGLASS_URL has to be an https address/, url);
  }
});

test("a copy of such a page elsewhere does not pass for it", async (t) => {
  const both = await guarded(t, { documents: () => assert.fail("nobody may ask for the document") });
  await visitBoth(both, {}, async (page) => {
    await page.evaluate(() => {
      const link = document.createElement("link");
      link.rel = "client-metadata";
      link.href = "https://skillglass.example/inspector/client-metadata.json";
      document.head.append(link);
    });
    await plan(page, both.server);
    await says(card(page), "registers itself");
    await consent(page);
    await catalog(page).getByText("listing complete").waitFor();
  });
});

test("each server has tokens of its own", async (t) => {
  const [first, second] = [await guarded(t), await guarded(t)];
  const servers = [first.authority, first.server, second.authority, second.server];
  await visit({ servers, reports: [UNAUTHORIZED], windows: 3 }, async (page) => {
    await signIn(page, first.server);
    await page.getByRole("link", { name: "+ Server" }).click();
    await signIn(page, second.server);
    await heading(page, new URL(second.server.url).host).waitFor();
    const sent = ({ server }) => [...new Set(server.authorizations)].map((header) => header.replace("Bearer ", ""));
    const issued = ({ authority }, token) => authority.inspect(token);
    for (const [mine, other] of [[first, second], [second, first]]) {
      assert.equal(sent(mine).length, 1);
      assert.ok(await issued(mine, sent(mine)[0]));
      assert.equal(await issued(other, sent(mine)[0]), undefined);
    }
  });
});

describe("every step, in pictures", () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    for (const colorScheme of ["light", "dark"]) {
      test(`${viewport.width} px, ${colorScheme}`, async (t) => {
        const both = await guarded(t);
        const faults = [];
        const look = async (page, name) => {
          await takePicture(page, `sign-in-${name}-${viewport.width}-${colorScheme}`);
          faults.push(...(await axeFindings(page)).map((fault) => `${name}: ${fault}`));
        };
        const options = { viewport, colorScheme, reports: [UNAUTHORIZED, FORBIDDEN] };
        await visitBoth(both, options, async (page) => {
          await enter(page, both.server.url);
          await card(page).getByRole("button", { name: "Sign in" }).waitFor();
          await look(page, "wanted");
          await press(page, "Sign in");
          await card(page).getByRole("button", { name: "Go on at" }).waitFor();
          await look(page, "plan");
          await press(page, "Use a client id of your own");
          await look(page, "client-id");
          await press(page, "Back");
          await consent(page);
          await catalog(page).getByText("listing complete").waitFor();
          await look(page, "account");
          await openSkill(page, SKILL_MD);
          await read(page, "SKILL.md");
          await says(card(page), "This needs more than you have agreed to");
          await look(page, "more");
          await press(page, "Not now");
        });
        assert.deepEqual(faults, []);
      });
    }
  }
});
