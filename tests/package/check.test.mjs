// Whole conformance runs by the package: their reports are those of the native program, and they can be steered and ended.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import Ajv from "ajv/dist/2020.js";

import { startFaultServer } from "../servers/fault-server/main.mjs";
import { serve, URL as NOWHERE } from "./hosting.mjs";
import { project, tool } from "./tarball.mjs";

const ROOT = join(import.meta.dirname, "../..");
const installed = project();
const { assertConforms, checkServer, compareReports, conformanceChecks, formatReport, ServerVisit } =
  await installed.load("skillglass/conformance");
const faults = await startFaultServer();
after(() => faults.close());

const problems = ({ checks }) => checks.filter(({ outcome }) => ["fail", "warn"].includes(outcome)).map(({ id }) => id);
/** A run over a site that is asked without a network. */
const checkSite = (variant, options) => checkServer(NOWHERE, { fetch: serve(variant).fetch, ...options });

describe("the report is the native program's", () => {
  execFileSync("cargo", ["build", "--quiet", "--package", "skillglass-cli"], { cwd: ROOT, stdio: "inherit" });
  const { target_directory } = JSON.parse(
    execFileSync("cargo", ["metadata", "--format-version", "1", "--no-deps"], { cwd: ROOT, encoding: "utf8" }),
  );
  /** What the program reports; it exits with 1 where something fails. */
  const native = (url, era) =>
    new Promise((resolve) => {
      const options = ["check", url, "--format", "json", "--parallel", "1", "--era", era];
      execFile(join(target_directory, "debug/skillglass"), options, { maxBuffer: 1 << 26 }, (_, stdout) => resolve(stdout));
    });
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(join(ROOT, "docs/report.schema.json"), "utf8")),
  );

  for (const [variant, era] of [
    ["honest", "auto"],
    ["honest", "legacy"],
    ["event-streams", "modern"],
    ["digest-wrong-everywhere", "modern"],
    ["entry-drift-dynamic", "legacy"],
    ["list-never-ends", "modern"],
    ["directory-later-skill-refused", "modern"],
    ["capability-differs-by-era", "auto"],
    ["list-reply-html", "modern"],
    ["message-with-mark", "legacy"],
  ]) {
    test(`${variant}, ${era}`, async () => {
      const url = `${faults.url}/${variant}`;
      const report = await checkServer(url, { parallel: 1, era, bothEras: era === "auto" });
      assert.ok(validate(report), JSON.stringify(validate.errors));
      assert.deepEqual(report, JSON.parse(await native(url, era)));
    });
  }
});

describe("a run is steered", () => {
  test("by its cost, before a file is read", async () => {
    const site = serve();
    const plans = [];
    const confirm = (plan) => !plans.push(plan);
    const report = await checkServer(NOWHERE, { fetch: site.fetch, confirm });
    assert.equal(plans.length, 1);
    assert.ok(plans[0].calls > report.traffic.calls && plans[0].bytes > 0 && plans[0].isEstimate);
    assert.ok(!site.asked.some((question) => question.startsWith("resources/read")));
    assert.match(report.incomplete, /stopped/);
    const whole = await checkSite({}, { confirm: async () => true });
    assert.equal(whole.incomplete, null);
  });

  test("by limits, which leave the rest untested", async () => {
    const report = await checkSite({}, { maxRequests: 20 });
    assert.equal(report.traffic.calls, 20);
    assert.match(report.incomplete, /20 calls/);
    assert.equal(report.checks.find(({ id }) => id === "content-digest-match").outcome, "untested");
    assert.match((await checkSite({}, { maxBytes: 10 })).incomplete, /10 bytes/);
  });

  test("by the selection of checks and skills", async () => {
    const site = serve();
    const { checks, counts } = await checkServer(NOWHERE, { fetch: site.fetch, only: ["content-*"], skip: ["content-readable"] });
    assert.deepEqual(checks.map(({ id }) => id), ["content-uri-echo", "content-size-match", "content-digest-match"]);
    assert.equal(counts.pass, 3);
    const uri = "skill://acme/billing/refunds/SKILL.md";
    const one = await checkSite({}, { skills: [uri], provoke: false });
    assert.deepEqual([one.scope, one.traffic.skills], [[uri], 1]);
  });

  test("by how much goes on at once, and says how far it is", async () => {
    const site = serve();
    let [open, most] = [0, 0];
    const fetch = async (...request) => {
      most = Math.max(most, ++open);
      const response = await site.fetch(...request);
      open--;
      return response;
    };
    const stages = new Set();
    const report = await checkServer(NOWHERE, { fetch, parallel: 3, progress: ({ stage, plan, answered }) => {
      stages.add(stage);
      assert.ok(answered <= plan.calls);
    } });
    assert.equal(most, 3);
    assert.deepEqual([...stages].filter((stage) => stage !== "again"), ["survey", "skills", "files", "done"]);
    assert.deepEqual(problems(report), []);
  });

  test("by a signal, and leaves the session", async () => {
    const site = serve();
    const controller = new AbortController();
    const reason = new Error("enough");
    site.hold = async (message) => message?.method === "resources/read" && controller.abort(reason);
    const { fetch } = site;
    await assert.rejects(checkServer(NOWHERE, { fetch, era: "legacy", signal: controller.signal }), (error) => error === reason);
    assert.equal(site.asked.at(-1), "DELETE");
    await assert.rejects(checkServer(NOWHERE, { fetch, signal: AbortSignal.abort(reason) }), (error) => error === reason);
  });
});

describe("what does not come is untested, never passed", () => {
  test("nobody answers", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    server.close();
    await assert.rejects(checkServer(`http://127.0.0.1:${port}/mcp`), (error) => error.code === "not-connected");
  });

  test("a server falls silent, breaks off, or goes on without end", async () => {
    const site = serve();
    const bodies = {
      "no answer came within the time limit": () => new ReadableStream({}),
      "the connection broke off in the middle of the answer": () =>
        new ReadableStream({ pull: (body) => body.error(new Error("reset")) }),
      "nothing readable came back: no route": () => {
        throw new Error("no route");
      },
    };
    for (const [reason, body] of Object.entries(bodies)) {
      const fetch = async (url, init) =>
        JSON.parse(init.body).method === "resources/read"
          ? new Response(body(), { headers: { "content-type": "application/json" } })
          : site.fetch(url, init);
      const report = await checkServer(NOWHERE, { fetch, silenceMs: 50 });
      const read = report.checks.find(({ id }) => id === "content-readable");
      assert.deepEqual([read.outcome, read.reason], ["untested", reason]);
      assert.ok(!report.checks.some(({ id, outcome }) => id.startsWith("content-") && outcome === "pass"));
      assert.match(report.incomplete, new RegExp(`^\\d+ resources/read calls failed \\(${reason}\\)$`));
      await assert.rejects(assertConforms(NOWHERE, { fetch, silenceMs: 50 }), (error) =>
        error.code === "not-conforming" && error.message.includes(report.incomplete) && error.report.counts.fail === 0);
    }
  });

  test("no skills are declared", async () => {
    const url = `${faults.url}/undeclared`;
    assert.equal((await checkServer(url)).counts.fail, 0);
    await assert.rejects(assertConforms(url), /does not declare the skills extension/);
    assert.equal((await assertConforms(`${faults.url}/honest`)).incomplete, null);
  });

  test("an answer on a stream that stays open is an answer, and no more of it is read", async () => {
    const site = serve();
    let cancelled = 0;
    const fetch = async (...request) => {
      const response = await site.fetch(...request);
      const text = `data: ${await response.text()}\n\n`;
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode(text)),
        cancel: () => { cancelled++; },
      });
      return new Response(body, { status: response.status, headers: { "content-type": "text/event-stream" } });
    };
    const report = await checkServer(NOWHERE, { fetch, era: "modern", provoke: false });
    assert.deepEqual([problems(report), report.incomplete], [[], null]);
    assert.ok(cancelled >= report.traffic.calls);
  });

  test("a busy server is asked again when it says so", async () => {
    const site = serve();
    let isBusy = true;
    const fetch = async (...request) => {
      if (!isBusy) return site.fetch(...request);
      isBusy = false;
      return new Response("{}", { status: 429, headers: { "content-type": "application/json", "retry-after": "1" } });
    };
    assert.deepEqual(problems(await checkServer(NOWHERE, { fetch })), []);
  });
});

test("a function can carry the messages, whatever form its answers have", async () => {
  const site = serve();
  const forms = [
    (text) => text,
    (text) => new TextEncoder().encode(text),
    async function* (text) { yield text.slice(0, 9); yield text.slice(9); },
  ];
  let number = 0;
  const send = async ({ url, ...message }, { signal }) => {
    assert.equal(url, "stdio:");
    const response = await site.fetch(url, { ...message, signal });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: forms[number++ % forms.length](text) };
  };
  const report = await checkServer(send);
  assert.deepEqual([problems(report), report.server.address], [[], null]);
});

test("secrets are sent, and are in no report", async () => {
  const site = serve();
  const seen = new Set();
  const fetch = (url, init) => {
    const headers = new Headers(init.headers);
    seen.add(`${headers.get("authorization")} ${headers.get("x-key")}`);
    return site.fetch(url, init);
  };
  const report = await checkServer(NOWHERE, { fetch, token: "s3cret", headers: { "X-Key": "hush" } });
  assert.deepEqual([...seen], ["Bearer s3cret hush"]);
  assert.doesNotMatch(JSON.stringify(report), /s3cret|hush/);
});

test("a secret that the server repeats is masked", async () => {
  const site = serve();
  const denied = (id, said) => Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message: `denied for ${said}` } }, { status: 400 });
  const fetch = (isShut) => async (url, init) => {
    const response = await site.fetch(url, init);
    const said = new Headers(init.headers).get("authorization");
    return isShut || response.status >= 400 ? denied(JSON.parse(init.body).id, said) : response;
  };
  const report = JSON.stringify(await checkServer(NOWHERE, { fetch: fetch(false), token: "s3cret-token" }));
  assert.match(report, /denied for ••••/);
  assert.doesNotMatch(report, /s3cret/);
  await assert.rejects(checkServer(NOWHERE, { fetch: fetch(true), token: "s3cret-token" }), ({ message }) => !/s3cret/.test(message));
});

test("a caller's mistake is an error with a code", async () => {
  const wrong = [
    ["mcp.example.com", {}], ["http://mcp.example.com/", { token: "a" }], [NOWHERE, { era: "old" }], [NOWHERE, { only: ["nope"] }],
    [NOWHERE, { skills: "all" }], [NOWHERE, { provoke: 1 }], [NOWHERE, { parallel: -1 }], [NOWHERE, { headers: { Accept: "a" } }],
    [NOWHERE, { maxBytes: "1" }], [NOWHERE, { token: "a\nb" }],
  ];
  for (const [server, options] of wrong) {
    await assert.rejects(checkServer(server, options), (error) => error.code === "invalid-argument" && error.message !== "");
  }
  for (const report of ["", "{}", {}, '{"version":2}']) {
    assert.throws(() => formatReport(report, "junit"), { code: "invalid-report" });
    assert.throws(() => compareReports(report, report), { code: "invalid-report" });
  }
  const visit = new ServerVisit(null, {});
  assert.throws(() => visit.fail(1, "gone", null), { code: "invalid-argument" });
  assert.throws(() => visit.begin(1, 20, null, null, null, null), { code: "invalid-argument" });
  assert.throws(() => visit.push(1, "text"), { code: "invalid-argument" });
  visit.free();
});

test("reports have other forms and can be compared", async () => {
  const [honest, broken] = await Promise.all(["honest", "digest-wrong-first"].map((id) => checkServer(`${faults.url}/${id}`)));
  assert.match(formatReport(broken, "markdown"), /content-digest-match/);
  assert.match(formatReport(JSON.stringify(broken), "junit"), /<failure/);
  assert.equal(JSON.parse(formatReport(broken, "sarif")).version, "2.1.0");
  const suite = JSON.parse(formatReport(broken, "suite", "2026-07-28T00:00:00Z"));
  assert.ok(suite.some(({ status, timestamp }) => status === "FAILURE" && timestamp === "2026-07-28T00:00:00Z"));
  assert.throws(() => formatReport(broken, "pdf"), { code: "invalid-argument" });
  const kinds = (before, after) => new Set(compareReports(before, after).map(({ kind }) => kind));
  assert.deepEqual([...kinds(honest, broken)], ["new"]);
  assert.deepEqual([...kinds(broken, honest)], ["fixed"]);
  assert.deepEqual(conformanceChecks().map(({ id }) => id), honest.checks.map(({ id }) => id));
});

test("a report, and what is said on the way, has the types that are declared", async () => {
  const plans = [];
  const steps = [];
  const report = await checkSite({}, { confirm: (plan) => plans.push(plan), progress: (step) => { steps.push(step); } });
  const broken = await checkServer(`${faults.url}/digest-wrong-everywhere`, { only: ["content-*", "wire-*"] });
  const samples = [
    ["Report", broken, { ...report, checks: report.checks.slice(0, 5) }],
    ["Plan", ...plans],
    ["Progress", steps[0], steps.at(-1)],
    ["readonly Change[]", compareReports(report, broken).slice(0, 5)],
    ["ReturnType<typeof conformanceChecks>", conformanceChecks()],
  ].flatMap(([type, ...values]) => values.map((value) => `(${JSON.stringify(value)}) satisfies ${type};`));
  const host = `
    import init, { checkServer, compareReports, conformanceChecks, formatReport, ServerVisit } from "skillglass/conformance";
    import type { Change, Plan, Progress, Report } from "skillglass/conformance";
    export async function judge(url: URL, baseline: string, signal: AbortSignal): Promise<Report> {
      await init();
      const report = await checkServer(url, {
        era: "legacy", skills: [], only: ["content-*"], bothEras: true, headers: { "X-Key": "a" }, signal,
        confirm: ({ calls }) => calls < 5, progress: ({ stage }) => { if (stage === "done") console.log(stage); },
      });
      await checkServer((message, { signal }) => fetch("http://a.example", { method: message.method, signal }));
      const text: string = formatReport(report, "sarif"); void text;
      const news: readonly Change[] = compareReports(baseline, report); void news;
      // @ts-expect-error: there is no such form
      formatReport(report, "pdf");
      using visit = new ServerVisit("http://a.example", { askFirst: true });
      for (let errand = visit.next(); errand; errand = visit.next()) visit.fail(errand.number, "timed-out", null);
      return visit.report() ?? report;
    }`;
  const file = installed.write("judge.ts", [host, ...samples].join("\n"));
  tool(installed.root, "tsc", file, ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
    ...["--target", "es2022", "--module", "nodenext", "--lib", "es2022,esnext.disposable,dom,dom.asynciterable", "--types", ""]);
});
