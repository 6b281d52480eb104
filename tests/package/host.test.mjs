// `SkillHost` of the packed package, in front of servers that are honest, that change, and that lie: what it asks, what it
// refuses, what it gives to a model.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { named, refusal, serve, URL } from "./hosting.mjs";
import { project } from "./tarball.mjs";

const installed = project();
const { SkillHost, httpTransport, sha256 } = await installed.load("skillglass/host");
// The module is there already; this gives its memory.
const { initSync } = await import(pathToFileURL(join(installed.root, "node_modules/skillglass/dist/host/skillglass.js")));

const REFUNDS = "skill://acme/billing/refunds/SKILL.md";
const POLICY = "skill://acme/billing/refunds/references/POLICY.md";
const HIDDEN = "skill://acme/internal/onboarding/SKILL.md";
const acme = (uri) => ({ origin: "acme", uri });

/** A host that has these servers, and approves everything unless `options` says otherwise. */
async function hosting(servers, options = {}) {
  const requests = [];
  const approve = (request) => requests.push(request) > 0;
  const host = new SkillHost({ approve, ...options });
  for (const [label, { fetch, era }] of Object.entries(servers)) {
    await host.addServer(label, httpTransport(URL, { fetch, era }));
  }
  return { host, requests };
}

/** Rewrites a file of a skill, so that the entry follows. */
const rewrite = (name, path, text) => (skills) => {
  skills[name].files[path] = text;
};

/** Serves another content for a file than the entry promises. */
const tamper = (wanted, change) => ({
  "resources/read": (honest, { params }) => {
    const result = honest();
    if (params.uri !== wanted) return result;
    return { ...result, contents: result.contents.map((item) => ({ ...item, text: change(item.text) })) };
  },
});

for (const era of ["modern", "legacy"]) {
  describe(`what is asked, ${era}`, () => {
    test("nothing ahead of need, and each thing once", async () => {
      const server = { ...serve(), era };
      const { host, requests } = await hosting({ acme: server });
      const listed = await host.list("acme");
      assert.equal(listed.complete, true);
      assert.equal(listed.skills.length, 7);
      const opening = era === "modern" ? ["server/discover"] : ["initialize", "notifications/initialized"];
      const asked = [...opening, "skills/list", "skills/list", "skills/list"];
      assert.deepEqual(server.asked, asked);

      const refunds = named(listed, "refunds");
      const { content, skill } = await host.load(refunds);
      assert.deepEqual(skill, acme(REFUNDS));
      assert.equal(requests.length, 1);
      assert.equal(requests[0].files.length, 6);
      assert.deepEqual([content.origin, content.uri, content.standing], ["acme", REFUNDS, "verified"]);
      const file = await host.read(refunds, "references/POLICY.md");
      assert.deepEqual([file.uri, file.standing, file.mimeType], [POLICY, "verified", "text/markdown"]);
      assert.equal(file.text, "# Policy\n\nUp to 250 € without asking.\n");
      assert.deepEqual(file.bytes, new TextEncoder().encode(file.text));
      assert.deepEqual(server.asked, [...asked, `resources/read ${REFUNDS}`, `resources/read ${POLICY}`]);
    });

    test("a session that the server has forgotten is begun anew, once for all", async () => {
      const server = { ...serve(), era };
      const { host } = await hosting({ acme: server });
      const refunds = named(await host.list("acme"), "refunds");
      await host.load(refunds);
      server.site.sessions.clear();
      server.asked.length = 0;
      const paths = ["references/POLICY.md", "references/limits.csv", "templates/approve.md"];
      const files = await Promise.all(paths.map((path) => host.read(refunds, path)));
      assert.deepEqual(files.map(({ standing }) => standing), ["verified", "verified", "verified"]);
      const greetings = server.asked.filter((method) => method === "initialize");
      assert.equal(greetings.length, era === "modern" ? 0 : 1);
    });
  });
}

describe("what is not used", () => {
  test("a file that SKILL.md links to and the manifest does not list", async () => {
    const server = serve({
      skills: ({ refunds }) => {
        refunds.body = "Read [more](references/more.md).\n";
      },
      answer: {
        "resources/read": (honest, { params }) =>
          params.uri.endsWith("more.md") ? { contents: [{ uri: params.uri, text: "Obey.\n" }] } : honest(),
      },
    });
    const { host } = await hosting({ acme: server });
    await host.load(acme(REFUNDS));
    const before = server.asked.length;
    const error = await refusal(host.read(acme(REFUNDS), "references/more.md"));
    assert.deepEqual([error.name, error.code, error.wantsRefresh], ["SkillError", "not-listed", true]);
    assert.equal(error.uri, "skill://acme/billing/refunds/references/more.md");
    assert.equal(server.asked.length, before);
  });

  test("a supporting file with other bytes of the same length", async () => {
    const server = serve({ answer: tamper(POLICY, (text) => text.replace("250", "999")) });
    const { host } = await hosting({ acme: server });
    const changes = [];
    host.on("changed", (change) => changes.push(change));
    await host.load(acme(REFUNDS));
    const error = await refusal(host.read(acme(REFUNDS), "references/POLICY.md"));
    assert.deepEqual([error.code, error.verdict.reason.kind, error.wantsRefresh], ["refused", "digest", true]);
    assert.deepEqual(changes, [{ skill: acme(REFUNDS), revoked: null }]);
    assert.equal((await host.read(acme(REFUNDS), "references/limits.csv")).standing, "verified");
  });

  test("a file whose size alone is another than the manifest's", async () => {
    const server = serve({
      entry: (entry) => ({
        ...entry,
        resources: entry.resources.map?.((line) => (line.uri === POLICY ? { ...line, size: line.size + 1 } : line)) ?? "dynamic",
      }),
    });
    const { host } = await hosting({ acme: server });
    await host.load(acme(REFUNDS));
    const error = await refusal(host.read(acme(REFUNDS), "references/POLICY.md"));
    assert.deepEqual([error.code, error.verdict.reason.kind], ["refused", "size"]);
    assert.equal(error.verdict.digest, error.verdict.expected.digest);
  });

  for (const [what, resources] of Object.entries({ missing: undefined, "no array": {}, null: null, "another word": "Dynamic" })) {
    test(`an entry whose resources are ${what}`, async () => {
      const spoiled = (entry) => (entry.uri === REFUNDS ? { ...entry, resources } : entry);
      const server = serve({ entry: spoiled });
      const { host, requests } = await hosting({ acme: server });
      const listed = await host.list("acme");
      assert.equal(named(listed, "refunds"), undefined);
      assert.deepEqual(listed.invalid.map(({ uri }) => uri), [REFUNDS]);
      assert.equal(listed.invalid[0].findings[0].id, "entry-resources-required");
      const error = await refusal(host.load(acme(REFUNDS)));
      assert.equal(error.code, "invalid-entry");
      assert.equal(error.findings[0].id, "entry-resources-required");
      assert.equal(requests.length, 0);
      assert.deepEqual(server.asked.filter((asked) => asked.startsWith("resources/read")), []);
    });
  }

  test("a reference that leads out of the skill, or to a link", async () => {
    const { host } = await hosting({ acme: serve() });
    await host.load(acme(REFUNDS));
    const codes = ["../../release/SKILL.md", "https://example.com/", "skill://acme/release/SKILL.md"].map(
      async (reference) => (await refusal(host.read(acme(REFUNDS), reference))).code,
    );
    assert.deepEqual(await Promise.all(codes), ["outside", "external", "outside"]);
  });

  test("what is no answer at all", async () => {
    for (const [body, status] of [["<p>", 200], ["{", 200], ["{}", 200], ["", 500]]) {
      const server = serve({ reply: (reply, { method }) => (method === "resources/read" ? { ...reply, status, body } : reply) });
      const { host } = await hosting({ acme: server });
      const error = await refusal(host.load(acme(REFUNDS)));
      assert.equal(error.code, "no-answer", body);
      assert.equal((await refusal(host.read(acme(REFUNDS), "x"))).code, "not-loaded");
    }
  });
});

describe("what a server does not have", () => {
  test("a skill is loaded by its URI after an empty list", async () => {
    const server = serve({ answer: { "skills/list": (_, { complete }) => complete({ skills: [] }) } });
    const { host } = await hosting({ acme: server });
    assert.deepEqual((await host.list("acme")).skills, []);
    assert.deepEqual(host.skills(), []);
    const { content } = await host.load(acme(HIDDEN));
    assert.match(content.text, /Meet \[the people\]/);
    assert.deepEqual(server.asked.slice(2), [`skills/get ${HIDDEN}`, `resources/read ${HIDDEN}`]);
  });

  test("an unknown skill is unknown", async () => {
    const { host } = await hosting({ acme: serve() });
    const error = await refusal(host.load(acme("skill://acme/none/SKILL.md")));
    assert.deepEqual([error.code, error.serverError.code], ["unknown", -32602]);
    assert.equal((await refusal(host.get(acme("skill://acme/none/SKILL.md")))).code, "unknown");
  });

  test("no directory is asked for without the flag", async () => {
    const server = serve({ settings: { directoryRead: false } });
    const { host } = await hosting({ acme: server });
    await host.load(acme(REFUNDS));
    const before = server.asked.length;
    const error = await refusal(host.directory(acme(REFUNDS), undefined, { fromServer: true }));
    assert.equal(error.code, "directory-read-not-declared");
    const { children } = await host.directory(acme(REFUNDS));
    assert.deepEqual(children.map(({ name }) => name), ["SKILL.md", "references", "scripts", "templates"]);
    assert.equal(server.asked.length, before);
  });

  test("a server without the extension is not asked for skills", async () => {
    const server = serve({
      answer: { "server/discover": (honest) => ({ ...honest(), capabilities: { resources: {} } }) },
    });
    const { host } = await hosting({ acme: server });
    for (const call of [host.list("acme"), host.get(acme(REFUNDS)), host.load(acme(REFUNDS))]) {
      assert.equal((await refusal(call)).code, "not-declared");
    }
    assert.deepEqual(server.asked, ["server/discover"]);
  });
});

describe("what changes", () => {
  test("after a mismatch, refresh asks a person again and goes on with the new content", async () => {
    const server = serve();
    const { host, requests } = await hosting({ acme: server });
    const heard = { changed: [], revoked: [] };
    for (const event of Object.keys(heard)) host.on(event, (notice) => heard[event].push(notice));
    const refunds = named(await host.list("acme"), "refunds");
    await host.load(refunds);
    server.change({ skills: rewrite("refunds", "references/POLICY.md", "# Policy\n\nAsk first.\n") });
    const error = await refusal(host.read(refunds, "references/POLICY.md"));
    assert.deepEqual([error.code, error.wantsRefresh], ["refused", true]);

    server.asked.length = 0;
    await host.refresh(refunds);
    assert.deepEqual(server.asked, [`skills/get ${REFUNDS}`, `resources/read ${REFUNDS}`]);
    assert.equal(requests.length, 2);
    assert.deepEqual(requests[1].approval.changed, [POLICY]);
    assert.deepEqual(heard.revoked.map(({ revoked }) => revoked.state), ["revoked"]);
    assert.equal(heard.changed.length, 2);
    assert.equal((await host.read(refunds, "references/POLICY.md")).text, "# Policy\n\nAsk first.\n");
  });

  test("a directory at the server shows a file that the manifest lacks, and never adds it", async () => {
    const server = serve();
    const { host } = await hosting({ acme: server });
    await host.load(acme(REFUNDS));
    server.change({ skills: rewrite("refunds", "references/more.md", "Obey.\n") });
    const directory = "skill://acme/billing/refunds/references";
    const { children, unlisted } = await host.directory(acme(REFUNDS), directory, { fromServer: true });
    assert.deepEqual(unlisted, [`${directory}/more.md`]);
    assert.deepEqual(children.map(({ uri }) => uri), [POLICY, `${directory}/limits.csv`]);
    assert.equal((await refusal(host.read(acme(REFUNDS), "references/more.md"))).code, "not-listed");
  });

  test("a load that another call has overtaken gives nothing", async () => {
    const server = serve();
    const { host } = await hosting({ acme: server });
    let refreshed;
    server.hold = async (message) => {
      if (message.method !== "resources/read") return;
      server.hold = async () => {};
      refreshed = host.refresh(acme(REFUNDS));
      await refreshed;
    };
    assert.equal((await refusal(host.load(acme(REFUNDS)))).code, "overtaken");
    assert.equal((await refreshed).content.standing, "verified");
    assert.equal((await host.read(acme(REFUNDS), "references/POLICY.md")).standing, "verified");
  });
});

describe("what a person sees", () => {
  test("what is hidden in a description is told, before a model is given it", async () => {
    const server = serve({
      skills: ({ refunds }) => {
        refunds.frontmatter.description += "\u200b";
      },
    });
    const { host, requests } = await hosting({ acme: server });
    const refunds = named(await host.list("acme"), "refunds");
    const told = (review) => review.map(({ id, pointer }) => [id, pointer]);
    const hidden = ["content-hidden-characters", "/frontmatter/description"];
    assert.deepEqual(told(refunds.review)[0], hidden);
    assert.match(refunds.review[0].message, /U\+200B/);
    await host.load(refunds);
    assert.deepEqual(told(requests[0].review), told(refunds.review));
    assert.deepEqual(told(requests[0].review).at(-1), ["content-script", null]);
  });

  test("the rules that an entry breaks are told, and it is loaded all the same", async () => {
    const server = serve({
      skills: ({ refunds }) => {
        refunds.frontmatter.description = null;
      },
    });
    const { host, requests } = await hosting({ acme: server });
    const refunds = named(await host.list("acme"), "refunds");
    const { id, level, pointer, repair } = refunds.review[0];
    assert.deepEqual([id, level, pointer], ["entry-frontmatter-required", "must", "/frontmatter/description"]);
    assert.equal(repair, "write a description");
    assert.deepEqual(refunds.defects, []);
    const { review } = await host.load(refunds);
    assert.deepEqual([requests[0].review, review], [refunds.review, refunds.review]);
  });

  test("a result that is not final is none", async () => {
    const unfinished = { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params: { message: "Who?" } } } };
    const server = serve();
    const { host } = await hosting({ acme: server });
    await host.load(acme(REFUNDS));
    const calls = {
      "skills/list": () => host.list("acme"),
      "skills/get": () => host.get(acme(REFUNDS)),
      "resources/read": () => host.read(acme(REFUNDS), "references/POLICY.md"),
      "resources/directory/read": () => host.directory(acme(REFUNDS), undefined, { fromServer: true }),
    };
    for (const [method, call] of Object.entries(calls)) {
      server.change({ answer: { [method]: () => unfinished } });
      const error = await refusal(call());
      assert.equal(error.code, "no-answer", method);
      assert.match(error.message, /input_required.*Who\?/);
    }
  });
});

describe("who decides", () => {
  test("two servers with one URI are two skills", async () => {
    const one = serve();
    const two = serve({ skills: rewrite("refunds", "references/POLICY.md", "# Other\n") });
    const { host, requests } = await hosting({ one, two });
    const collisions = [];
    host.on("collision", ({ name, skill, other }) => collisions.push([name, skill.origin, other.origin]));
    await host.list("one");
    await host.list("two");
    await null;
    assert.equal(collisions.length, 7);
    assert.deepEqual(collisions.find(([name]) => name === "refunds"), ["refunds", "two", "one"]);
    assert.deepEqual(
      host.skills().filter(({ name }) => name === "refunds").map(({ displayName }) => displayName),
      ["one: refunds", "two: refunds"],
    );
    await host.load({ origin: "one", uri: REFUNDS });
    const elsewhere = { origin: "two", uri: REFUNDS };
    assert.equal((await refusal(host.read(elsewhere, "references/POLICY.md"))).code, "not-loaded");
    await host.load(elsewhere);
    assert.equal(requests.length, 2);
    assert.equal((await host.read(elsewhere, "references/POLICY.md")).text, "# Other\n");
    assert.match((await host.read({ origin: "one", uri: REFUNDS }, "references/POLICY.md")).text, /250/);

    await host.removeServer("one");
    assert.equal(host.skills().filter(({ origin }) => origin === "one").length, 0);
    assert.equal((await refusal(host.read({ origin: "one", uri: REFUNDS }, "references/POLICY.md"))).code, "not-loaded");
    assert.doesNotMatch(host.state, /"one"/);
  });

  test("without somebody to ask, the request is handed over", async () => {
    const server = serve();
    const { host } = await hosting({ acme: server }, { approve: undefined });
    const { code, request } = await refusal(host.load(acme(REFUNDS)));
    assert.equal(code, "approval-needed");
    assert.deepEqual(request.requests.map(({ kind, text }) => [kind, text]), [["tool", "Bash(python3:*)"], ["tool", "Read"]]);
    assert.deepEqual(server.asked.filter((asked) => asked.startsWith("resources/read")), []);
    const [, read] = request.requests;
    await assert.rejects(host.approve(request, [{ kind: "tool", text: "Bash" }]), { code: "not-requested" });
    const { granted } = await host.approve(request, [read]);
    assert.deepEqual(granted.map(({ text }) => text), ["Read"]);
    assert.deepEqual(request.requests.map((one) => host.isGranted(acme(REFUNDS), one)), [false, true]);
    await assert.rejects(host.approve(request), { code: "old-request" });
    host.grant(acme(REFUNDS), { kind: "run", text: "skill://acme/billing/refunds/scripts/check_order.py" });
    assert.throws(() => host.grant(acme(REFUNDS), { kind: "run", text: "skill://acme/other" }), { code: "not-requested" });
  });

  test("to say no is to read nothing", async () => {
    const server = serve();
    const { host } = await hosting({ acme: server }, { approve: async () => false });
    assert.equal((await refusal(host.load(acme(REFUNDS)))).code, "denied");
    assert.deepEqual(server.asked, ["server/discover", `skills/get ${REFUNDS}`]);
    assert.equal(host.approvalState(acme(REFUNDS)).state, "none");
  });

  test("approvals are kept over a restart, and cover the same files only", async () => {
    const server = serve();
    const before = await hosting({ acme: server }, { approve: ({ requests }) => ({ granted: requests }) });
    await before.host.load(acme(REFUNDS));
    const { host, requests } = await hosting({ acme: server }, { state: before.host.state });
    const { granted } = await host.load(acme(REFUNDS));
    assert.equal(granted.length, 2);
    assert.equal(requests.length, 0);
    server.change({ skills: rewrite("refunds", "references/POLICY.md", "# Other\n") });
    host.end(acme(REFUNDS));
    await host.get(acme(REFUNDS));
    assert.equal(host.approvalState(acme(REFUNDS)).state, "revoked");
    await host.load(acme(REFUNDS));
    assert.equal(requests.length, 1);
    assert.throws(() => new SkillHost({ state: host.state.replace("sha256:", "sha512:") }), { code: "invalid-state" });
  });

  test("the policy may decline dynamic skills; one that is taken is never called verified", async () => {
    const server = serve();
    const briefing = acme("skill://acme/today/briefing/SKILL.md");
    const { host } = await hosting({ acme: server });
    const { content } = await host.load(briefing);
    assert.deepEqual([content.standing, content.digest], ["unpinned", null]);
    assert.match((await host.read(briefing, "numbers.csv")).text, /^reads\n/);
    const { children } = await host.directory(briefing);
    assert.deepEqual(children.map(({ name }) => name), ["briefing", "numbers.csv"]);
    const strict = await hosting({ acme: server }, { policy: { dynamic: false } });
    assert.equal((await refusal(strict.host.load(briefing))).code, "dynamic-declined");
  });

  test("another server is read only where a person allows that very call", async () => {
    const other = serve();
    const { host } = await hosting({ acme: serve(), other });
    await host.load(acme(REFUNDS));
    const error = await refusal(host.readAt(acme(REFUNDS), "other", POLICY));
    assert.equal(error.code, "cross-origin");
    assert.match(error.message, /of acme wants to read .* from other/);
    assert.deepEqual(other.asked, ["server/discover"]);

    const asked = [];
    const asking = await hosting({ acme: serve(), other }, { allowRead: (call) => asked.push(call) === 1 });
    await asking.host.load(acme(REFUNDS));
    const foreign = await asking.host.readAt(acme(REFUNDS), "other", POLICY);
    assert.deepEqual([foreign.standing, foreign.origin, foreign.skill], ["foreign", "other", acme(REFUNDS)]);
    assert.match(foreign.forModel(), /server: other\n/);
    assert.equal((await refusal(asking.host.readAt(acme(REFUNDS), "other", POLICY))).code, "cross-origin");
    assert.equal((await asking.host.readAt(acme(REFUNDS), "acme", POLICY)).standing, "verified");
  });

  test("a model gets text between marks that it cannot forge", async () => {
    const { host } = await hosting({ acme: serve() });
    const { content } = await host.load(acme(REFUNDS));
    const text = content.forModel(40);
    const [, mark] = /^\[begin ([0-9a-f]{64}): untrusted content of an MCP server/.exec(text);
    assert.ok(text.endsWith(`[end ${mark}]\n`));
    assert.match(text, /\nserver: acme\nskill: skill:\/\/acme\/billing\/refunds\/SKILL\.md\n/);
    assert.match(text, /, the first 40 shown\n/);
  });
});

describe("what is kept", () => {
  /** A cache that tells what it was asked for. */
  function remembering(kept = new Map()) {
    const asked = [];
    return {
      kept,
      asked,
      get: (path) => asked.push(path) && kept.get(path),
      set: (path, file) => void kept.set(path, file),
      remove: (directory) => kept.forEach((_, path) => path.startsWith(`${directory}/`) && kept.delete(path)),
    };
  }

  test("a model goes on after a restart, within the entry that it was given", async () => {
    const server = serve();
    const before = await hosting({ acme: server });
    await before.host.load(acme(REFUNDS));
    assert.deepEqual(before.host.acting(), [acme(REFUNDS)]);
    const { state } = before.host;

    server.change({ skills: rewrite("refunds", "references/POLICY.md", "# Other\n") });
    assert.deepEqual(new SkillHost({ state }).acting(), []);
    const after = new SkillHost({ state, resume: true });
    assert.deepEqual(after.acting(), [acme(REFUNDS)]);
    assert.equal((await refusal(after.read(acme(REFUNDS), "references/limits.csv"))).code, "no-answer");
    await after.addServer("acme", httpTransport(URL, server));
    server.asked.length = 0;
    assert.equal((await after.read(acme(REFUNDS), "references/limits.csv")).standing, "verified");
    const error = await refusal(after.read(acme(REFUNDS), "references/POLICY.md"));
    assert.deepEqual([error.code, error.wantsRefresh], ["refused", true]);
    assert.deepEqual(server.asked.map((asked) => asked.split(" ")[0]), ["resources/read", "resources/read"]);
    after.end(acme(REFUNDS));
    assert.deepEqual(after.acting(), []);
  });

  test("a state that somebody has damaged is refused with a code, and nothing else happens", async () => {
    const before = await hosting({ acme: serve() }, { approve: ({ requests }) => ({ granted: requests }) });
    await before.host.load(acme(REFUNDS));
    await before.host.load(acme("skill://acme/today/briefing/SKILL.md"));
    const { state } = before.host;
    const restore = (text) => new SkillHost({ state: text, resume: true });
    const invalid = (text, what) => assert.throws(() => restore(text), { code: "invalid-state" }, what);
    for (let length = 0; length < state.length; length += 1 + (length >> 6)) invalid(state.slice(0, length), `${length} characters`);

    const change = (spoil) => {
      const kept = JSON.parse(state);
      spoil(kept);
      return JSON.stringify(kept);
    };
    const spoiled = {
      "another version": change((kept) => (kept.version = 2)),
      "no approvals": change((kept) => delete kept.approvals),
      "a number for a list": change((kept) => (kept.acting = 1e300)),
      "a grant of what is not asked for": change((kept) => kept.acting[0].granted.push({ kind: "tool", text: "Bash" })),
      "a grant to run another skill's file": change((kept) => kept.approvals[0].granted.push({ kind: "run", text: "skill://b/x" })),
      "a file of another skill": change((kept) => (kept.acting[0].asked["skill://b/x"] = 0)),
      "a size below nothing": change((kept) => (kept.acting[0].asked[REFUNDS] = -1)),
      "a size beyond all numbers": state.replace(`"asked":{"${REFUNDS}":0`, `"asked":{"${REFUNDS}":${"9".repeat(400)}`),
      "the members of every object": state.replace('"granted":', '"__proto__":'),
      "a member twice": state.replace('"acting":', '"approvals":[],"acting":'),
      "an entry that is none": change((kept) => (kept.acting[0].entry = "{}")),
      "another skill's entry": change((kept) => (kept.acting[0].skill.uri = "skill://b/SKILL.md")),
      "no end of lists": `{"version":1,"approvals":${"[".repeat(100_000)}`,
      "no text of an object": "\u0000",
    };
    for (const [what, text] of Object.entries(spoiled)) {
      assert.notEqual(text, state, what);
      invalid(text, what);
    }
    for (const [what, value, code] of [["half a character", `${state}\ud800`, "not-unicode"], ["an object", {}, "invalid-argument"]]) {
      assert.throws(() => restore(value), { code }, what);
    }
    assert.equal(Object.prototype.granted, undefined);
    assert.equal(restore(state).acting().length, 2);
  });

  test("a verified file is read once, whatever becomes of the host", async () => {
    const server = serve();
    const cache = remembering();
    const before = await hosting({ acme: server }, { cache });
    const { content } = await before.host.load(acme(REFUNDS));
    const policy = await before.host.read(acme(REFUNDS), "references/POLICY.md");
    assert.equal(cache.kept.size, 2);
    const files = [...cache.kept].map(([path, { record }]) => [path, JSON.parse(record)]);
    assert.deepEqual(files.map(([, { skill, uri, digest }]) => ({ skill, uri, digest })), [
      { skill: acme(REFUNDS), uri: REFUNDS, digest: content.digest },
      { skill: acme(REFUNDS), uri: POLICY, digest: policy.digest },
    ]);
    files.forEach(([path]) => assert.match(path, /^[0-9a-f]{64}\/[0-9a-f]{64}$/));

    const { host } = await hosting({ acme: server, other: serve() }, { cache, state: before.host.state });
    server.asked.length = 0;
    const again = await host.load(acme(REFUNDS));
    const { standing, text, mimeType } = await host.read(acme(REFUNDS), "references/POLICY.md");
    assert.deepEqual([again.content.text, standing, text, mimeType], [content.text, "verified", policy.text, null]);
    assert.deepEqual(server.asked, [`skills/get ${REFUNDS}`]);
    const elsewhere = { origin: "other", uri: REFUNDS };
    await host.load(elsewhere);
    assert.equal(cache.kept.size, 3);

    await host.removeServer("acme");
    assert.deepEqual([...cache.kept.values()].map(({ record }) => JSON.parse(record).skill), [elsewhere]);
  });

  for (const [what, spoil] of Object.entries({
    "other bytes": (file) => ({ ...file, bytes: file.bytes.map((byte) => byte ^ 1) }),
    "fewer bytes": (file) => ({ ...file, bytes: file.bytes.subarray(1) }),
    "another skill's record": (file) => ({ ...file, record: file.record.replace("refunds", "release") }),
    "another server's record": (file) => ({ ...file, record: file.record.replace("acme", "other") }),
    "no record": (file) => ({ ...file, record: "" }),
    "half a character in its record": (file) => ({ ...file, record: `${file.record}\ud800` }),
    "nothing of a file": () => ({}),
    "bytes only": (file) => file.bytes.buffer,
    "an error": () => {
      throw new Error("the disk is gone");
    },
  })) {
    test(`a cache that has ${what} costs a request, and nothing else`, async () => {
      const server = serve();
      const cache = remembering();
      const { host } = await hosting({ acme: server }, { cache });
      const heard = [];
      host.on("changed", (change) => heard.push(change));
      await host.load(acme(REFUNDS));
      await host.read(acme(REFUNDS), "references/POLICY.md");
      const { get } = cache;
      cache.get = (path) => spoil(get(path));
      server.asked.length = 0;
      const { standing, text } = await host.read(acme(REFUNDS), "references/POLICY.md");
      assert.deepEqual([standing, text.slice(0, 8)], ["verified", "# Policy"]);
      assert.deepEqual([server.asked, heard], [[`resources/read ${POLICY}`], []]);
    });
  }

  test("what nothing pins is not kept", async () => {
    const cache = remembering();
    const { host } = await hosting({ acme: serve() }, { cache });
    const briefing = acme("skill://acme/today/briefing/SKILL.md");
    await host.load(briefing);
    await host.read(briefing, "numbers.csv");
    assert.deepEqual([cache.asked, cache.kept.size], [[], 0]);
  });

  test("the example of a cache in a folder", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "skillglass-cache-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const { folderCache } = await import("../../pkg/examples/folder-cache.mjs");
    const server = serve();
    for (const asked of [1, 0]) {
      const { host } = await hosting({ acme: server }, { cache: folderCache(folder), policy: { ask: false } });
      server.asked.length = 0;
      assert.equal((await host.load(acme(REFUNDS))).content.standing, "verified");
      assert.equal(server.asked.filter((one) => one.startsWith("resources/read")).length, asked);
      assert.equal(readdirSync(folder, { recursive: true }).length, 3);
      if (asked === 0) await host.removeServer("acme");
    }
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe("how it is asked", () => {
  test("so many requests at a time, and no more", async () => {
    const server = serve();
    let under = 0;
    let most = 0;
    const { host } = await hosting({ acme: server }, { parallel: 2 });
    await host.load(acme(REFUNDS));
    server.hold = async () => {
      most = Math.max(most, (under += 1));
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
    };
    const { children } = await host.directory(acme(REFUNDS), "skill://acme/billing/refunds/templates");
    const uris = [...children.map(({ uri }) => uri), POLICY, REFUNDS, "scripts/check_order.py"];
    const files = await Promise.all(uris.map((uri) => host.read(acme(REFUNDS), uri)));
    assert.deepEqual([files.length, most], [5, 2]);
  });

  test("an aborted load leaves nothing behind", async () => {
    const server = serve();
    const { host } = await hosting({ acme: server });
    const stop = new AbortController();
    server.hold = async (message) => message.method === "resources/read" && stop.abort(new Error("enough"));
    await assert.rejects(host.load(acme(REFUNDS), { signal: stop.signal }), { message: "enough" });
    server.hold = async () => {};
    assert.equal((await host.load(acme(REFUNDS))).content.standing, "verified");
  });

  test("a server that stays silent is given up", async () => {
    const host = new SkillHost();
    const fetch = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await assert.rejects(host.addServer("acme", httpTransport(URL, { fetch, silenceMs: 1 })), { code: "timed-out" });
  });

  test("a server that sends a little now and then is given up as well", async () => {
    const server = serve();
    const trickle = () => new ReadableStream({
      async pull(body) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        body.enqueue(new Uint8Array([32]));
      },
    });
    const fetch = (url, init) =>
      init.body.includes("skills/list")
        ? new Response(trickle(), { headers: { "Content-Type": "application/json" } })
        : server.fetch(url, init);
    const host = new SkillHost();
    await host.addServer("acme", httpTransport(URL, { fetch, silenceMs: 50 }));
    const error = await refusal(host.list("acme"));
    assert.deepEqual([error.code, error.message], ["no-answer", "no answer came within the time limit"]);
  });

  test("a redirect is not followed: what stands elsewhere is another server", async () => {
    const asked = [];
    const fetch = async (url, { redirect }) => {
      asked.push([url, redirect]);
      return new Response(null, { status: 307, headers: { Location: "//else.example/mcp\u00e9" } });
    };
    const error = await refusal(new SkillHost().addServer("acme", httpTransport(URL, { fetch })));
    assert.equal(error.code, "unreachable");
    assert.match(error.message, /redirects to http:\/\/else\.example\/mcp%C3%A9, which is not followed/);
    assert.deepEqual(new Set(asked.flat()), new Set([URL, "manual"]));
  });

  test("a server that was gone is asked again when it is wanted again", async () => {
    const server = serve();
    let isGone = true;
    const fetch = (...request) => (isGone ? Promise.reject(new TypeError("gone")) : server.fetch(...request));
    const [host, transport] = [new SkillHost({ policy: { ask: false } }), httpTransport(URL, { fetch })];
    const error = await refusal(host.addServer("acme", transport));
    assert.deepEqual([error.code, server.asked], ["unreachable", []]);
    assert.match(error.message, /: gone$/);
    isGone = false;
    await host.addServer("acme", transport);
    assert.equal((await host.load(acme(REFUNDS))).content.standing, "verified");
    await host.close();
    assert.equal((await refusal(host.list("acme"))).code, "no-answer");
  });

  test("what is given up while the server is greeted is never asked", async () => {
    const server = serve();
    const stop = new AbortController();
    const transport = httpTransport(URL, { fetch: server.fetch, era: "legacy" });
    server.hold = async ({ method }) => method === "initialize" && stop.abort(new Error("enough"));
    const asked = transport.send({ method: "skills/list", params: {} }, { signal: stop.signal });
    await assert.rejects(asked, { message: "enough" });
    await transport.discover();
    await transport.close();
    assert.deepEqual(server.asked, ["initialize", "notifications/initialized", "DELETE"]);
  });

  test("to close a conversation ends what is asked in it, and asks nothing more", async () => {
    const server = serve();
    const signals = [];
    /** Never answers a listing. */
    const fetch = (url, init) => {
      if (!init.body?.includes("skills/list")) return server.fetch(url, init);
      signals.push(init.signal);
      return new Promise(() => {});
    };
    const transport = httpTransport(URL, { fetch, era: "legacy" });
    await transport.discover();
    const list = () => refusal(transport.send({ method: "skills/list", params: {} }));
    const refused = list();
    const stop = new AbortController();
    const given = refusal(transport.send({ method: "skills/list", params: {} }, { signal: stop.signal }));
    stop.abort(new Error("enough"));
    await transport.close();
    assert.equal((await refused).code, "closed");
    assert.equal((await given).message, "enough");
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
    assert.equal((await list()).code, "closed");
    assert.equal((await refusal(transport.discover())).code, "closed");
    await transport.close();
    assert.deepEqual(server.asked, ["initialize", "notifications/initialized", "DELETE"]);
  });

  test("headers and the token go to the server, and into no message", async () => {
    let sent;
    const fetch = (_, { headers }) => {
      sent = new Headers(headers);
      return new Response("", { status: 401 });
    };
    const transport = httpTransport("https://example.com/mcp", { fetch, token: "t0ken", headers: { "X-Team": "s3cret" } });
    const error = await refusal(new SkillHost().addServer("acme", transport));
    assert.equal(error.code, "unauthorized");
    assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /t0ken|s3cret/);
    assert.deepEqual([sent.get("authorization"), sent.get("x-team")], ["Bearer t0ken", "s3cret"]);
    assert.throws(() => httpTransport("http://example.com/mcp", { token: "t0ken" }), { code: "invalid-argument" });
  });

  test("one file of 16 MiB after another takes no more memory than the first few", async () => {
    const skillMd = "---\nname: large\ndescription: Has a large file.\n---\n";
    const file = Buffer.alloc(16 * 1024 * 1024 - skillMd.length, "0123456789abcde\n");
    const uri = "skill://large/SKILL.md";
    const line = (uri, bytes) => ({ uri, digest: sha256(new Uint8Array(bytes)), size: bytes.length });
    const resources = [line(uri, Buffer.from(skillMd)), line("skill://large/file", file)];
    const skill = { uri, frontmatter: { name: "large", description: "Has a large file." }, resources };
    const text = (result) => Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
    const answers = {
      "skills/get": text({ skill }),
      [uri]: text({ contents: [{ uri, text: skillMd }] }),
      "skill://large/file": text({ contents: [{ uri: "skill://large/file", blob: file.toString("base64") }] }),
    };
    const host = new SkillHost({ policy: { ask: false } });
    await host.addServer("acme", {
      discover: async () => ({ capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } } }),
      send: async ({ method, params }) => answers[method] ?? answers[params.uri],
    });
    await host.load(acme(uri));
    const { memory } = initSync();
    const sizes = [];
    for (let count = 0; count < 100; count++) {
      const { bytes } = await host.read(acme(uri), "file");
      assert.equal(bytes.length, file.length);
      sizes.push(memory.buffer.byteLength);
    }
    assert.deepEqual(new Set(sizes.slice(2)), new Set([sizes[2]]));
    assert.ok(sizes[2] < 128 * 1024 * 1024, `${sizes[2]} bytes`);
  });

  test("a caller's mistakes are thrown with a code", async () => {
    const { host } = await hosting({ acme: serve() });
    await assert.rejects(host.load({ origin: "acme", uri: "skill://a/b" }), { code: "invalid-skill-uri" });
    await assert.rejects(host.load({ origin: "a:b", uri: REFUNDS }), { code: "invalid-origin" });
    await assert.rejects(host.load({ origin: "none", uri: REFUNDS }), { code: "unknown-origin" });
    await host.load(acme(REFUNDS));
    await assert.rejects(host.load(acme(REFUNDS)), { code: "out-of-order" });
    assert.throws(() => new SkillHost({ policy: { ask: 1 } }), { code: "invalid-argument" });
  });
});
