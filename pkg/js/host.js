// The host's side of the extension: sends what the core names, tells it the answers, asks a person when it says so.

import { reasonOf } from "./carry.js";
import { HostCore, Pages, Reply } from "./skillglass.js";

export { clientTransport } from "./client.js";
export { httpTransport } from "./http.js";
export { SkillsClient, SkillVerificationError } from "./skills-client.js";

/** How many bytes of a file a model is given, where nobody says otherwise. */
const MODEL_LIMIT = 100_000;

/** Why a skill is not loaded, or a file not read. See `host.d.ts`. */
export class SkillError extends Error {
  name = "SkillError";

  constructor({ kind, message, ...why }) {
    super(message);
    Object.assign(this, why);
  }
}

/** A file of a skill, tagged with where it comes from. See `host.d.ts`. */
export class SkillContent {
  #tag;

  constructor({ kind, tag, ...content }) {
    this.#tag = tag;
    Object.assign(this, content);
  }

  get text() {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes);
    } catch {
      return null;
    }
  }

  forModel(limit = MODEL_LIMIT) {
    return this.#tag.forModel(this.bytes, limit);
  }
}

/** A host of skills. See `host.d.ts`. */
export class SkillHost {
  #core;
  #hooks;
  #cache;
  #parallel;
  #now;
  #servers = new Map();
  /** For each skill the latest load, so that one that was overtaken is not taken for it. */
  #turns = new Map();
  #listeners = new Map();

  constructor({ approve, allowRead, policy = {}, cache, parallel = 6, state, resume = false, now = Date.now } = {}) {
    this.#core = new HostCore(policy, state);
    if (!resume) this.acting().forEach((skill) => this.#core.end(skill));
    this.#hooks = { approve, allowRead };
    this.#cache = cache;
    this.#parallel = parallel;
    this.#now = now;
  }

  get state() {
    return this.#core.state;
  }

  async addServer(origin, transport, { signal } = {}) {
    const declared = await transport.discover({ signal });
    const info = this.#core.addOrigin(origin, textOf(declared));
    if (info.kind === "invalid") {
      throw new SkillError({ code: "no-answer", message: info.message });
    }
    this.#servers.set(origin, { transport, lanes: new Lanes(this.#parallel) });
    const { kind, ...server } = info;
    return { origin, ...server };
  }

  async removeServer(origin) {
    const directory = this.#core.removeOrigin(origin);
    const server = this.#servers.get(origin);
    this.#servers.delete(origin);
    await Promise.all([server?.transport.close?.(), this.#cache?.remove(directory)]);
  }

  async close() {
    await Promise.all([...this.#servers.values()].map(({ transport }) => transport.close?.()));
  }

  async list(origin, { signal } = {}) {
    const walk = this.#core.beginListing(origin);
    for (let call = walk.next(); call; call = walk.next()) {
      walk.receive(await this.#ask(call, signal));
    }
    const listed = this.#core.listed(walk, this.#now());
    this.#tell();
    return answered(listed);
  }

  async get(skill, { signal } = {}) {
    const call = answered(this.#core.beginGet(skill), "send");
    const known = this.#core.got(skill, await this.#ask(call, signal), this.#now());
    this.#tell();
    return answered(known);
  }

  skills(origin) {
    return this.#core.skills(origin);
  }

  entryJson(skill) {
    return this.#core.entryJson(skill) ?? null;
  }

  async load(skill, { signal } = {}) {
    return this.#settle(skill, this.#core.beginLoad(skill, this.#now()), signal);
  }

  async refresh(skill, { signal } = {}) {
    return this.#settle(skill, this.#core.refresh(skill), signal);
  }

  async approve(request, granted = [], { signal } = {}) {
    return this.#settle(request.skill, this.#core.approve(request.skill, request.number, granted), signal);
  }

  deny(request) {
    this.#core.deny(request.skill, request.number);
  }

  acting() {
    return this.#core.acting();
  }

  end(skill) {
    this.#turns.delete(keyOf(skill));
    this.#core.end(skill);
  }

  revoke(skill) {
    this.#turns.delete(keyOf(skill));
    this.#core.revoke(skill);
  }

  async read(skill, reference, { from, signal } = {}) {
    const call = answered(this.#core.read(skill, reference, from), "send");
    const found = await this.#find(skill, call, signal);
    const file = this.#core.gotFile(skill, call.params.uri, found.reply);
    this.#tell();
    return this.#content(answered(file), found);
  }

  async readAt(skill, origin, uri, { signal } = {}) {
    let call = this.#core.readAt(skill, origin, uri, false);
    if (call.code !== "cross-origin") {
      return this.read(skill, answered(call, "send").params.uri, { signal });
    }
    const { message } = call;
    if ((await this.#hooks.allowRead?.({ skill: idOf(skill), origin, uri, message })) !== true) {
      throw new SkillError(call);
    }
    call = answered(this.#core.readAt(skill, origin, uri, true), "send");
    return new SkillContent(answered(this.#core.gotForeign(skill, origin, uri, await this.#ask(call, signal))));
  }

  async directory(skill, directory, { fromServer, signal } = {}) {
    if (!(fromServer ?? this.#core.isDynamic(skill))) {
      return answered(this.#core.manifestDirectory(skill, directory));
    }
    const call = answered(this.#core.beginDirectory(skill, directory), "send");
    const pages = new Pages(call.params.uri);
    for (let params = pages.next(); params; params = pages.next()) {
      pages.receive(await this.#ask({ ...call, params }, signal));
    }
    const children = this.#core.gotDirectory(skill, pages);
    this.#tell();
    return answered(children);
  }

  grant(skill, request) {
    this.#core.grant(skill, request);
  }

  isGranted(skill, request) {
    return this.#core.isGranted(skill, request);
  }

  approvalState(skill) {
    return this.#core.approvalState(skill);
  }

  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Takes a load from step to step until the skill is loaded, or is not going to be. */
  async #settle(skill, step, signal) {
    const key = keyOf(skill);
    const turn = {};
    this.#turns.set(key, turn);
    this.#tell();
    let found;
    try {
      for (;;) {
        if (step.kind === "loaded") {
          const { kind, content, ...loaded } = step;
          return { ...loaded, content: await this.#content(content, found) };
        }
        if (step.kind === "stopped") {
          throw new SkillError(step);
        }
        found = await (step.kind === "send" ? this.#find(skill, step, signal) : this.#askPerson(step.request));
        signal?.throwIfAborted();
        if (this.#turns.get(key) !== turn) {
          throw new SkillError({ code: "overtaken", message: "another call has ended or refreshed this load" });
        }
        step = this.#take(skill, step, found);
        this.#tell();
      }
    } catch (error) {
      const waits = error.code === "approval-needed";
      if (this.#turns.get(key) === turn && !waits) {
        this.end(skill);
      }
      throw error;
    }
  }

  /** Hands what came of a step to the core, which names the next one. */
  #take(skill, { kind, method, request }, came) {
    if (kind === "approve") {
      return came === false
        ? this.#core.deny(skill, request.number)
        : this.#core.approve(skill, request.number, came === true ? [] : came.granted);
    }
    return method === "skills/get"
      ? this.#core.gotSkill(skill, came.reply, this.#now())
      : this.#core.gotSkillMd(skill, came.reply);
  }

  #askPerson(request) {
    if (this.#hooks.approve === undefined) {
      const message = "a person has to approve the skill; call approve or deny with this error's request";
      throw new SkillError({ code: "approval-needed", message, request });
    }
    return this.#hooks.approve(request);
  }

  /** What a call asks for: the cache's file where that is still the promised one, else the server's answer. */
  async #find(skill, call, signal) {
    const path = this.#cache && call.method === "resources/read" && this.#core.cachedAt(skill, call.params.uri);
    if (!path) {
      return { reply: await this.#ask(call, signal) };
    }
    const reply = await quietly(async () => {
      const kept = await this.#cache.get(path);
      return kept && this.#core.takeCached(skill, call.params.uri, kept.record, kept.bytes);
    });
    return reply ? { reply } : { reply: await this.#ask(call, signal), path };
  }

  /** A file, which the cache keeps where it came from its server and is verified. */
  async #content({ tag, ...file }, { path }) {
    const { record } = tag;
    if (path && record !== undefined) {
      await quietly(() => this.#cache.set(path, { record, bytes: file.bytes }));
    }
    return new SkillContent({ tag, ...file });
  }

  /** Sends a call to the one server it may go to. */
  async #ask({ origin, method, params }, signal) {
    const server = this.#servers.get(origin);
    if (server === undefined) {
      return Reply.failed("the server was removed, or is yet to be added");
    }
    return server.lanes.run(async () => {
      signal?.throwIfAborted();
      try {
        return replyOf(await server.transport.send({ method, params }, { signal }));
      } catch (error) {
        signal?.throwIfAborted();
        return Reply.failed(reasonOf(error));
      }
    });
  }

  /** Tells the listeners what has happened meanwhile. One that throws disturbs nobody but itself. */
  #tell() {
    const { collisions, changes } = this.#core.takeNotices();
    const revoked = changes.filter((change) => change.revoked !== null);
    for (const [event, notices] of Object.entries({ collision: collisions, changed: changes, revoked })) {
      for (const notice of notices) {
        this.#listeners.get(event)?.forEach((listener) => queueMicrotask(() => listener(notice)));
      }
    }
  }
}

/** Lets so many run at a time, in the order they came. */
class Lanes {
  #free;
  #waiting = [];

  constructor(free) {
    this.#free = free;
  }

  async run(work) {
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      await new Promise((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      next ? next() : (this.#free += 1);
    }
  }
}

/** An answer of the core, unless it says why there is none. */
function answered(answer, kind) {
  if (answer.kind === "stopped") {
    throw new SkillError(answer);
  }
  if (kind === undefined) {
    delete answer.kind;
  }
  return answer;
}

/** What a cache does. Where it fails that costs a request to the server, and nothing else. */
async function quietly(work) {
  try {
    return await work();
  } catch {
    return null;
  }
}

const idOf = ({ origin, uri }) => ({ origin, uri });
const keyOf = ({ origin, uri }) => `${origin}\n${uri}`;

/** A message as its exact text, where it is not one already. */
const textOf = (message) =>
  typeof message === "string" || ArrayBuffer.isView(message) ? message : JSON.stringify(message);

const replyOf = (response) => (response instanceof Reply ? response : Reply.of(textOf(response)));
