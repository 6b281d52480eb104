// In place of the official SDK's `SkillsClient`: the same methods, shapes and errors, over the core's rules.

import { requestThrough } from "./client.js";
import { Entry, fileOf, HostCore, Pages, parseFrontmatter, readContents, Reply } from "./skillglass.js";

/** What the core knows the one server by. */
const SERVER = "server";

/** A skill file failed verification against its entry. See `host.d.ts`. */
export class SkillVerificationError extends Error {
  name = "SkillVerificationError";
  code = "INVALID_RESULT";

  constructor(reason, uri, message, differences = []) {
    super(message);
    Object.assign(this, { reason, uri, differences, data: { reason, uri, differences } });
  }
}

/** The host side of the extension over a client of the SDK, without state. See `host.d.ts`. */
export class SkillsClient {
  #client;
  #skipInvalid;
  /** What the server declared when it was last looked at, and what the core makes of it. */
  #declared = {};
  /** The entries that files were read of, with the text that each was read from. */
  #entries = new WeakMap();

  constructor(client, { skipInvalid = false } = {}) {
    this.#client = client;
    this.#skipInvalid = skipInvalid;
  }

  get supported() {
    return this.#server().skills;
  }

  get directoryRead() {
    const { skills, directoryRead } = this.#server();
    return skills && directoryRead;
  }

  async list({ cursor } = {}, options) {
    const { core, skills: supported } = this.#server();
    if (!supported) {
      return { skills: [], invalid: [] };
    }
    const walk = core.beginListing(SERVER, cursor);
    let first;
    for (let call = walk.next(); call; call = cursor === undefined ? walk.next() : null) {
      const result = await this.#request(call, options);
      first ??= result;
      walk.receive(Reply.of(JSON.stringify({ result })));
    }
    const { entries } = walk;
    const nextCursor = cursor === undefined ? undefined : walk.next()?.params.cursor;
    walk.free();

    const invalid = entries.flatMap(({ uri, loadable, findings }, index) =>
      loadable ? [] : [{ index, ...(uri !== null && { uri }), reason: reasonOf(findings) }],
    );
    if (invalid.length > 0 && !this.#skipInvalid) {
      const lines = invalid.map(({ index, uri = "", reason }) => `#${index} ${uri}: ${reason}`);
      throw failure("INVALID_RESULT", `skills/list returned invalid entries:\n${lines.join("\n")}`, { invalid });
    }
    const skills = entries.filter(({ loadable }) => loadable).map(({ entryJson }) => JSON.parse(entryJson));
    return { skills, invalid, ...(nextCursor !== undefined && { nextCursor }), ...freshness(first) };
  }

  async get(uri, options) {
    this.#need(this.supported, "skills/get");
    const result = await this.#request({ method: "skills/get", params: { uri } }, options);
    const skill = result?.skill;
    const entry = new Entry(JSON.stringify(skill ?? null));
    if (!entry.loadable) {
      throw failure("INVALID_RESULT", `skills/get returned an invalid entry for ${uri}: ${reasonOf(entry.findings)}`);
    }
    if (entry.uri !== uri) {
      throw failure("INVALID_RESULT", `skills/get for ${uri} returned ${entry.uri}`);
    }
    return { skill, ...freshness(result) };
  }

  async read(skill, ref = "", options) {
    this.#need(this.supported, "resources/read");
    const entry = this.#entry(skill);
    if (!entry.loadable) {
      throw new TypeError(`${skill?.uri} is not a valid skill entry: ${reasonOf(entry.findings)}`);
    }
    const uri = fileOf(entry, ref);
    if (typeof uri !== "string") {
      throw new SkillVerificationError("unlisted", uri.uri ?? ref, uri.message);
    }
    try {
      return verified(skill, entry, uri, await this.#client.readResource({ uri }, options));
    } catch (error) {
      // What failed may be a copy that the client kept.
      if (!(error instanceof SkillVerificationError)) {
        throw error;
      }
      const fresh = await this.#client.readResource({ uri }, { ...options, cacheMode: "refresh" });
      return verified(skill, entry, uri, fresh);
    }
  }

  async readDirectory(uri, options) {
    this.#need(this.directoryRead, "resources/directory/read");
    const pages = new Pages(uri);
    const resources = [];
    let first;
    for (let params = pages.next(); params; params = pages.next()) {
      const result = await this.#request({ method: "resources/directory/read", params }, options);
      first ??= result;
      resources.push(...(result?.resources ?? []));
      pages.receive(Reply.of(JSON.stringify({ result })));
    }
    return { resources, ...freshness(first) };
  }

  /** What the server declares now: connecting again may change it. */
  #server() {
    const capabilities = this.#client.getServerCapabilities();
    if (this.#declared.core === undefined || this.#declared.capabilities !== capabilities) {
      const core = new HostCore({}, undefined);
      const { skills, directoryRead } = core.addOrigin(SERVER, JSON.stringify({ capabilities }));
      this.#declared = { capabilities, core, skills, directoryRead };
    }
    return this.#declared;
  }

  /** An entry, read once for as long as it says the same. */
  #entry(skill) {
    const text = JSON.stringify(skill);
    const known = this.#entries.get(skill);
    if (known?.text === text) {
      return known.entry;
    }
    const entry = new Entry(text);
    this.#entries.set(skill, { text, entry });
    return entry;
  }

  #request({ method, params }, options) {
    return requestThrough(this.#client, { method, params }, options);
  }

  #need(declared, method) {
    if (!declared) {
      const message = `Server does not declare what ${method} needs of the extension io.modelcontextprotocol/skills`;
      throw failure("CAPABILITY_NOT_SUPPORTED", message);
    }
  }
}

/**
 * What a result holds of a file. The core says which of its contents that is, in whose place it is given their numbers: texts
 * that the client has parsed already need not become JSON again. One without a UTF-8 form goes to the core as it is.
 */
function contentsOf(result, uri) {
  const texts = [];
  const numbered = JSON.stringify(result, (name, value) =>
    name === "text" && typeof value === "string" && value.isWellFormed?.() ? String(texts.push(value) - 1) : value,
  );
  const contents = readContents(numbered, uri);
  const text = contents.member === "text" && texts[textOf(contents.bytes)];
  return typeof text === "string" ? { ...contents, bytes: new TextEncoder().encode(text), text } : contents;
}

/** A file's bytes out of a result, if they are the ones that its entry promises. */
function verified(skill, entry, uri, result) {
  const contents = contentsOf(result, uri);
  if (contents.kind === "invalid") {
    throw failure("INVALID_RESULT", `resources/read returned no contents for ${uri}: ${contents.message}`);
  }
  const { bytes, mimeType, member, text } = contents;
  const verdict = entry.verifyFile(uri, bytes);
  if (verdict.verdict === "refused" || verdict.verdict === "untested") {
    throw refusal(verdict);
  }
  const isSkillMd = uri === entry.uri;
  return {
    uri,
    ...(mimeType !== null && { mimeType }),
    bytes,
    ...((isSkillMd || member === "text") && { text: text ?? textOf(bytes) }),
    verified: verdict.verdict === "verified",
    ...(isSkillMd && { frontmatter: skill.frontmatter, body: bodyOf(bytes) }),
  };
}

/** What the SDK calls a refusal of the core. */
function refusal({ verdict, uri, reason, message, problem }) {
  if (verdict === "untested") {
    return new SkillVerificationError("frontmatter", uri, `the frontmatter of ${uri} cannot be read: ${problem.message}`);
  }
  const reasons = { "not-listed": "unlisted", "unusable-line": "unlisted", size: "size", digest: "digest" };
  const fields = reason.detail?.fields ?? [];
  const differences = fields
    .filter(({ outcome }) => outcome !== "equal")
    .map(({ name, file, entry }) => `${name}: the entry has ${shown(entry)}, SKILL.md has ${shown(file)}`);
  return new SkillVerificationError(reasons[reason.kind] ?? "frontmatter", uri, message, differences);
}

const shown = (side) => side?.json ?? "nothing";

const textOf = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** What follows the frontmatter; with line feeds only, as the SDK gives it. */
function bodyOf(bytes) {
  const { body } = parseFrontmatter(bytes);
  return textOf(bytes.subarray(body.start, body.end)).replaceAll("\r\n", "\n");
}

const reasonOf = (findings) => findings.map(({ message }) => message).join("; ");

/** For how long a result may be kept, where it says so. */
function freshness({ ttlMs, cacheScope } = {}) {
  return { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope !== undefined && { cacheScope }) };
}

function failure(code, message, data) {
  return Object.assign(new Error(message), { name: "SdkError", code, ...(data && { data }) });
}
