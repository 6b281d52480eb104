// The types are true of real answers, and a strict compiler accepts every use that the documentation shows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { answers } from "./answers.mjs";
import { named, refusal, serve, URL } from "./hosting.mjs";
import { project, tool } from "./tarball.mjs";

const installed = project();
const { root, write } = installed;
const skillglass = await installed.load();
const protocol = await installed.load("skillglass/protocol");
const { SkillHost, httpTransport } = await installed.load("skillglass/host");
const declared = (file) => readFileSync(join(root, "node_modules/skillglass", file), "utf8");
const declarations = ["index.d.ts", "protocol.d.ts"].map(declared).join("\n");

const compile = (lib, ...files) =>
  tool(root, "tsc", ...files, ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
    ...["--target", "es2022", "--module", "nodenext", "--lib", lib, "--types", ""]);

/** A value as TypeScript source. */
function source(value) {
  if (value instanceof Uint8Array) return `new Uint8Array([${value}])`;
  if (Array.isArray(value)) return `[${value.map(source).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${source(member)}`).join(", ")} }`;
}

/** Answers of what only `skillglass/protocol` has, one of each shape, with the type that is declared for them. */
function conforming() {
  const uri = "skill://tidy/SKILL.md";
  const line = { uri, digest: skillglass.sha256(new Uint8Array()), size: 0 };
  const entry = { uri, frontmatter: { name: "tidy", description: "Tidies up." }, resources: [line] };
  const changed = JSON.stringify({ ...entry, resources: [{ ...line, digest: skillglass.sha256(new Uint8Array(1)) }] });
  const fresh = { resultType: "complete", ttlMs: 5, cacheScope: "public" };
  const json = (value) => JSON.stringify(value);
  const reply = (body, contentType = "application/json") =>
    protocol.readReply({ status: 200, contentType, body }, { id: 1, method: "skills/get", params: { uri } });
  const listings = [[], [{ nextCursor: "" }], [{ nextCursor: "" }, { nextCursor: "" }], [{}]].map((pages) => {
    const listing = new protocol.SkillListing();
    pages.forEach((page) => listing.receive(json({ ...fresh, skills: [entry, {}], ...page })));
    return listing;
  });
  const approval = protocol.approve("server", json(entry));
  const result = '{"jsonrpc":"2.0","id":1,"result":{}}';
  return [
    ["ResultReply", reply(result), reply(`data: ${result}\n\n`, "text/event-stream")],
    ["ErrorReply", reply('{"id":1,"error":{"code":-32002,"message":"?","data":[1]}}'), reply('{"error":null}')],
    ["InvalidReply", reply("<p>", "text/html"), reply("<p>"), reply("[]"), reply('{"id":9,"result":{}}'),
      reply("", "text/event-stream"), reply("", null)],
    ["Discovery", protocol.readDiscovery("{}"), protocol.readInitialize('{"protocolVersion":"2025-11-25"}')],
    ["InvalidResult", protocol.readDiscovery("?"), protocol.readSkillPage("?"), protocol.readGotSkill("?", uri)],
    ["SkillPage", protocol.readSkillPage(json({ ...fresh, skills: [entry, null] })), protocol.readSkillPage("{}")],
    ["GotSkill", protocol.readGotSkill(json({ ...fresh, skill: entry }), uri), protocol.readGotSkill("{}", uri)],
    ["DirectoryPage", protocol.readDirectoryPage(json({ resources: [{ uri: `${uri}/x` }], nextCursor: "a" }), uri)],
    ["ListingState", ...listings.map(({ state }) => state)],
    ["readonly ListedSkill[]", ...listings.map(({ skills }) => skills)],
    ["{ readonly cursor?: string } | null", ...listings.map((listing) => listing.next())],
    [
      "readonly Finding[]",
      ...listings.map(({ findings }) => findings),
      protocol.checkDirectory(json(entry), "skill://tidy", []),
      protocol.checkNested([json(entry)]),
    ],
    ["PlainUri | InvalidUri", protocol.parseUri("a://b"), protocol.parseUri("a")],
    ["string | null", approval, protocol.approve("server", json({ ...entry, resources: "dynamic" }))],
    [
      "ApprovalState",
      protocol.checkApproval(approval, "server", json(entry)),
      protocol.checkApproval(approval, "server", changed),
      protocol.checkApproval(approval, "other", json(entry)),
      protocol.checkApproval(approval, "server", json({ ...entry, resources: "dynamic" })),
    ],
  ].flatMap(([type, ...values]) => values.map((answer) => ({ kind: "protocol", name: type, type, answer })));
}

test("every answer has the type that is declared", () => {
  const names = [...declarations.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  const samples = [...answers(skillglass), ...conforming()].map(
    ({ kind, name, type, answer }) => `// ${kind}: ${name}\n(${source(answer)}) satisfies ${type};`,
  );
  const imported = `import type { ${names.join(", ")} } from "skillglass/protocol";`;
  compile("es2022", write("samples.ts", `${imported}\n${samples.join("\n")}\n`));
});

/** Answers of a host, with the type that is declared for each. */
async function hosted() {
  const server = serve({ entry: (entry) => (entry.uri.includes("logo") ? { ...entry, resources: null } : entry) });
  const host = new SkillHost();
  const info = await host.addServer("acme", httpTransport(URL, server));
  const notices = { changed: [], revoked: [], collision: [] };
  for (const event of Object.keys(notices)) host.on(event, (notice) => notices[event].push(notice));
  const listed = await host.list("acme");
  const refunds = named(listed, "refunds");
  const error = await refusal(host.load(refunds));
  const { content, ...loaded } = await host.approve(error.request, error.request.requests);
  const plain = ({ ...members }) => members;
  const refused = [refusal(host.read(refunds, "x")), refusal(host.load({ ...refunds, uri: "skill://a/none/SKILL.md" }))];
  server.change({ skills: (skills) => (skills.refunds.files["references/POLICY.md"] = "Other.\n") });
  refused.push(refusal(host.read(refunds, "references/POLICY.md")));
  const answers = [
    ["ServerInfo", info],
    ["Listing", listed],
    ["KnownSkill[]", host.skills(), [await host.get(refunds)]],
    ["ApprovalRequest", error.request],
    ['Omit<LoadedSkill, "content">', loaded],
    ['Omit<SkillContent, "text" | "forModel">', plain(content), plain(await host.read(refunds, "SKILL.md"))],
    ["Directory", await host.directory(refunds), await host.directory(refunds, undefined, { fromServer: true })],
    ["ApprovalState | null", host.approvalState(refunds), host.approvalState({ ...refunds, origin: "other" })],
    ['Omit<SkillError, "message" | "stack">', plain(error), ...(await Promise.all(refused)).map(plain)],
  ];
  await host.addServer("other", httpTransport(URL, serve()));
  await host.list("other");
  await null;
  const events = Object.entries(notices).map(([event, heard]) => [`SkillHostEvents["${event}"]`, ...heard]);
  assert.deepEqual(events.map(([, ...heard]) => heard.length > 0), [true, true, true]);
  return [...answers, ...events].flatMap(([type, ...values]) => values.map((value) => `(${source(value)}) satisfies ${type};`));
}

test("every answer of a host has the type that is declared", async () => {
  const names = [...declared("host.d.ts").matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name]) => name);
  const imported = `import type { ApprovalState, ${names.join(", ")} } from "skillglass/host";`;
  compile("es2022", write("hosted.ts", [imported, ...(await hosted())].join("\n")));
});

test("every state and reason of the protocol answers is among them", () => {
  const codes = new Set(conforming().flatMap(({ answer }) => [answer?.kind, answer?.state, answer?.reason]));
  const wanted = ["media-type", "not-json", "not-message", "other-id", "ended-early", "repeated-cursor", "more", "complete", "covers",
    "revoked", "none", "not-bindable"];
  assert.deepEqual(wanted.filter((code) => !codes.has(code)), []);
});

test("a wrong answer does not have the type", () => {
  const wrong = '({ kind: "invalid", reason: "no-such-reason", message: "" }) satisfies InvalidUri;';
  const file = write("wrong.ts", `import type { InvalidUri } from "skillglass";\n${wrong}\n`);
  assert.throws(() => compile("es2022", file), /no-such-reason/);
});

/** The enums of the core whose variants reach JavaScript as codes. */
const CODES = {
  "contents.rs": ["ContentMember", "ContentNote", "ContentError"],
  "digest.rs": ["DigestError"],
  "finding.rs": ["Level"],
  "frontmatter/compare.rs": ["FieldOutcome"],
  "frontmatter/explain.rs": ["Explanation"],
  "frontmatter/fence.rs": ["UnclosedHint"],
  "frontmatter/mod.rs": ["NoteKind", "FrontmatterErrorKind"],
  "host/approval.rs": ["ApprovalState"],
  "name.rs": ["NameError"],
  "protocol/reply/error.rs": ["ReplyError"],
  "uri.rs": ["UriError", "UriNote", "Reference"],
  "verify.rs": ["Verdict", "Reason"],
  "verify/cause.rs": ["Cause"],
  "verify/skill.rs": ["Summary"],
  "yaml/mod.rs": ["NoteKind", "YamlErrorKind", "Limit"],
};

/** The names of an enum's variants as they are serialized. */
function variants(file, name) {
  const rust = readFileSync(join(import.meta.dirname, "../../core/src", file), "utf8");
  const [, body] = new RegExp(`pub enum ${name} \\{\n(.*?)\n\\}`, "s").exec(rust);
  return [...body.matchAll(/^    ([A-Z]\w*)/gm)].map(([, variant]) =>
    variant.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase(),
  );
}

test("the types name every code that the core has, and no other", () => {
  const code = declarations.replace(/\/\*\*.*?\*\//gs, "");
  const declared = new Set([...code.matchAll(/"([a-z0-9-]+)"/g)].map(([, literal]) => literal));
  const known = Object.entries(CODES).flatMap(([file, names]) => names.flatMap((name) => variants(file, name)));
  assert.ok(known.length > 100);
  assert.deepEqual(known.filter((variant) => !declared.has(variant)), []);
  // Not in an enum of the core: tags of shapes, the word of the extension, what is thrown, and the library of the types.
  const others = [
    ...["ok", "invalid", "match", "mismatch", "not-json", "dynamic"],
    ...["result", "error", "more", "complete", "stopped", "repeated-cursor", "idle", "pages", "skills", "public", "private"],
    ...["invalid-argument", "invalid-digest", "invalid-skill-uri", "entry-not-loadable", "finished", "invalid-origin"],
    "too-large",
  ];
  assert.deepEqual([...declared].filter((literal) => ![...known, ...others].includes(literal)), []);
});

/** Calls everything, the way a host does, and narrows every union. */
const HOST = `
import init, {
  checkDigest, checkName, compareFrontmatter, Entry, FileVerifier, hashWith, initSync, parseFrontmatter, parseSkillUri, readContents,
  readEntry, resolveReference, sha256, verifyFile, verifySkill,
} from "skillglass";
import type { SkillglassErrorCode, Verdict } from "skillglass";
import * as inline from "skillglass/inline";
import initConformance, * as protocol from "skillglass/protocol";
import type { ListedSkill } from "skillglass/protocol";

/** Lists what a server has, the way a host does that speaks the protocol itself. */
export async function list(post: (request: object) => Promise<protocol.HttpReply>): Promise<readonly ListedSkill[]> {
  await initConformance();
  const asked = { jsonrpc: "2.0", id: 0, method: "server/discover" } as const;
  const discovered = protocol.readReply(await post(asked), asked);
  if (discovered.kind !== "result") throw new Error(discovered.message);
  const discovery = protocol.readDiscovery(discovered.resultJson);
  if (discovery.kind === "invalid" || !discovery.skills) return [];
  using listing = new protocol.SkillListing(discovery.protocolVersions[0]);
  for (let params = listing.next(), id = 1; params; params = listing.next(), id++) {
    const request = { jsonrpc: "2.0", id, method: "skills/list", params };
    const answer = protocol.readReply(await post(request), request);
    switch (answer.kind) {
      case "result": listing.receive(answer.resultJson); break;
      case "error": throw new Error([answer.code, ...answer.findings.map(({ message }) => message)].join());
      case "invalid": throw new Error(answer.reason === "media-type" ? answer.excerpt ?? "" : answer.message);
      default: answer satisfies never;
    }
  }
  if (listing.state.kind === "stopped") throw new Error(listing.state.message);
  const approvals = listing.skills.map(({ entryJson }) => protocol.approve("server", entryJson));
  const { state } = protocol.checkApproval(approvals[0] ?? null, "server", listing.skills[0]?.entryJson ?? "");
  if (state !== "covers") protocol.sha256(new Uint8Array());
  // @ts-expect-error: a result is its text
  protocol.readSkillPage({});
  return listing.skills;
}

export async function host(entryJson: string, resultJson: string, uri: string, bytes: Uint8Array): Promise<string> {
  await init();
  await init("core.wasm");
  initSync(bytes);

  hashWith((file: Uint8Array) => file.subarray(0, 32));

  const parsed = parseSkillUri(uri);
  const name: string = parsed.kind === "ok" ? parsed.name : parsed.reason;
  const checked = checkName(name);
  if (checked.kind === "invalid") { const character: string | null = checked.character; void character; }
  const digest = checkDigest(sha256(bytes));
  if (digest.kind === "ok") { const text: string = digest.digest; void text; }

  const reference = resolveReference(uri, "a.md", "references/b.md");
  switch (reference.kind) {
    case "here": case "file": { const fragment: string | null = reference.fragment; void fragment; break; }
    case "outside": case "external": { const target: string | null = reference.uri; void target; break; }
    case "malformed": { const text: string = reference.reference; void text; break; }
    default: reference satisfies never;
  }

  const reading = readEntry(entryJson);
  const lines = reading.resources === "dynamic" ? [] : reading.resources ?? [];
  const total: number = lines.reduce((sum, line) => sum + (line.size ?? 0), 0);

  const frontmatter = parseFrontmatter(bytes);
  if (frontmatter.kind === "invalid" && frontmatter.reason.kind === "yaml" && frontmatter.reason.detail.kind === "duplicate-key") {
    const first: number = frontmatter.reason.detail.detail.first.start; void first;
  }
  const comparison = compareFrontmatter("---\\n---\\n", entryJson);
  if (comparison.kind === "ok" && !comparison.equal) {
    const why: (string | null)[] = comparison.fields.flatMap((field) => field.differences.map((difference) => difference.message));
    void why;
  }

  const contents = readContents(resultJson, uri);
  const file = contents.kind === "ok" ? contents.bytes : new Uint8Array();
  const verdict: Verdict = verifyFile(entryJson, uri, file, sha256(file));
  switch (verdict.verdict) {
    case "verified": case "unpinned": { const size: number = verdict.size; void size; break; }
    case "refused": {
      if (verdict.reason.kind === "frontmatter-differs") void verdict.reason.detail.fields.length;
      if (verdict.cause?.kind === "other-file") { const other: string = verdict.cause.uri; void other; }
      break;
    }
    case "untested": { const message: string = verdict.problem.message; void message; break; }
    default: verdict satisfies never;
  }
  const { summary, files } = verifySkill(entryJson, { [uri]: file });
  const missing = files.filter((row) => row.verdict === null);

  using entry = new Entry(entryJson);
  entry.verifyFile(uri, file, new Uint8Array(32));
  entry.verifySkill({});
  entry.compareFrontmatter(file);
  const verifier = new FileVerifier(5, sha256(file));
  const more: boolean = verifier.update(file);
  const end = verifier.finish();
  if (end.kind === "mismatch") { const reason: "size" | "digest" = end.reason.kind; void reason; }
  verifier.free();

  // @ts-expect-error: bytes are not text
  sha256("text");
  // @ts-expect-error: an entry is its text
  readEntry({});
  // @ts-expect-error: answers are read-only
  reading.loadable = true;

  const code: SkillglassErrorCode = "finished";
  return [summary, missing.length, total, more, code, inline.sha256(file), entry.findings.length].join();
}
`;

/** Does everything a host does, and hands over a transport of its own and clients of the SDK. */
const HOSTING = `
import init, { clientTransport, Entry, httpTransport, SkillError, SkillHost } from "skillglass/host";
import type { CachedFile, Decision, FileCache, HostMisuseCode, SdkClient, SkillErrorCode, SkillId, SkillTransport } from "skillglass/host";

export async function hosting(ask: (text: string) => Promise<boolean>, client: SdkClient): Promise<string[]> {
  await init();
  const decide = async ({ name, requests }: { name: string; requests: readonly { message: string }[] }): Promise<Decision> =>
    ask([name, ...requests.map(({ message }) => message)].join());
  const kept = new Map<string, CachedFile>();
  const cache: FileCache = {
    get: (path) => kept.get(path),
    set: async (path, file) => kept.set(path, file),
    remove: (directory) => kept.forEach((_, path) => path.startsWith(directory) && kept.delete(path)),
  };
  const host = new SkillHost({
    approve: decide,
    allowRead: ({ message }) => ask(message),
    policy: { ask: true, dynamic: false, maxFiles: 600, maxBytes: 2 ** 25, keepMs: 0 },
    parallel: 12,
    now: () => 0,
    cache,
    resume: true,
  });
  host.acting().forEach((skill) => host.end(skill));
  const own: SkillTransport = {
    discover: async () => ({ capabilities: {} }),
    send: async ({ method, params }) => (method === "skills/list" ? { result: { skills: [] } } : params.uri ?? ""),
  };
  const server = await host.addServer("own", own);
  if (server.skills) await host.addServer("http", httpTransport("https://example.com/mcp", { token: "x", era: "modern" }));
  await host.addServer("sdk", clientTransport(client));
  const { skills, invalid, complete } = await host.list("own");
  const skill: SkillId = skills[0] ?? { origin: "own", uri: "skill://a/SKILL.md" };
  const off = host.on("revoked", ({ revoked }) => void revoked?.changed);
  host.on("collision", ({ other }) => void other.origin);
  try {
    const { content, granted } = await host.load(skill);
    const file = await host.read(skill, "a.md", { from: content.uri });
    const { children, unlisted } = await host.directory(skill, undefined, { fromServer: true });
    if (unlisted.length > 0) await host.refresh(skill);
    return [content.forModel(), file.text ?? "", ...children.map(({ uri }) => uri), ...granted.map(({ kind }) => kind)];
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const code: SkillErrorCode = error.code;
    if (error.request) await host.approve(error.request, error.request.requests);
    if (error.verdict?.verdict === "refused") return [error.verdict.repair ?? code];
  }
  // @ts-expect-error: there is no such event
  host.on("other", () => {});
  // @ts-expect-error: content comes from a host
  new SkillContent();
  const misuse: HostMisuseCode = "old-request";
  const entry = host.entryJson(skill);
  using held = entry === null ? null : new Entry(entry);
  off();
  await host.close();
  return [misuse, host.state, held?.name ?? "", String(complete), ...invalid.map(({ uri }) => uri ?? "")];
}
`;

for (const lib of ["es2022", "es2022,dom", "esnext,webworker"]) {
  test(`a host compiles with the library ${lib}`, () => {
    compile(lib, write("host.ts", HOST), write("hosting.ts", HOSTING));
  });
}
