// The packed package over clients of the official SDK, 1.x and 2.x, in front of the fault server: as a host, and in place of
// the SDK's own `SkillsClient`, whose answers it has to give.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient as Theirs } from "@modelcontextprotocol/client/ext/skills";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { startFaultServer } from "../servers/fault-server/main.mjs";
import { named, refusal } from "./hosting.mjs";
import { project, tool } from "./tarball.mjs";

const installed = project();
const { clientTransport, sha256, SkillHost, SkillsClient } = await installed.load("skillglass/host");
const REFUNDS = "skill://acme/billing/refunds/SKILL.md";
const NAME = { name: "test", version: "1" };

/** The SDK's clients: the newest in each era, and the one before it. */
const CLIENTS = {
  "2.x, 2026-07-28": () => [
    new Client(NAME, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    StreamableHTTPClientTransport,
  ],
  "2.x, 2025-11-25": () => [new Client(NAME), StreamableHTTPClientTransport],
  "1.x": () => [new OldClient(NAME), OldTransport],
};

let server;
before(async () => {
  server = await startFaultServer();
});
after(() => server.close());

async function connected(t, make, variant = "honest") {
  const [client, Transport] = make();
  await client.connect(new Transport(new globalThis.URL(`${server.url}/${variant}`)));
  t.after(() => client.close());
  return client;
}

for (const [which, make] of Object.entries(CLIENTS)) {
  describe(which, () => {
    test("a host loads and reads through it", async (t) => {
      const host = new SkillHost({ approve: () => true });
      const info = await host.addServer("acme", clientTransport(await connected(t, make)));
      assert.deepEqual([info.skills, info.directoryRead, info.name], [true, true, "fault-server"]);
      const listed = await host.list("acme");
      assert.equal(listed.skills.length, 7);
      const refunds = named(listed, "refunds");
      const { content } = await host.load(refunds);
      assert.equal(content.standing, "verified");
      assert.equal((await host.read(refunds, "references/POLICY.md")).standing, "verified");
      const { children } = await host.directory(refunds, undefined, { fromServer: true });
      assert.equal(children.length, 4);
      const error = await refusal(host.get({ origin: "acme", uri: "skill://none/SKILL.md" }));
      assert.deepEqual([error.code, error.serverError.code], ["unknown", -32602]);
    });

    test("the drop-in verifies through it", async (t) => {
      const skills = new SkillsClient(await connected(t, make));
      assert.deepEqual([skills.supported, skills.directoryRead], [true, true]);
      const { skills: entries, invalid } = await skills.list();
      assert.deepEqual([entries.length, invalid], [7, []]);
      const refunds = entries.find(({ uri }) => uri === REFUNDS);
      const { frontmatter, body, verified } = await skills.read(refunds);
      assert.deepEqual([frontmatter, verified], [refunds.frontmatter, true]);
      assert.match(body, /^\n# Refunds\n/);
      assert.equal((await skills.read(refunds, "references/POLICY.md#top")).verified, true);
      const unlisted = await refusal(skills.read(refunds, "references/other.md"));
      assert.deepEqual([unlisted.name, unlisted.reason], ["SkillVerificationError", "unlisted"]);
    });
  });
}

describe("what a client has parsed", () => {
  const file = (item) => ({ uri: "skill://a/x", ...item });
  const reading = (contents, digest, size) => {
    const client = {
      getServerCapabilities: () => ({ extensions: { "io.modelcontextprotocol/skills": {} } }),
      readResource: async () => ({ contents }),
    };
    const line = { uri: "skill://a/x", digest, size };
    const entry = { uri: "skill://a/SKILL.md", frontmatter: { name: "a", description: "b" }, resources: [line, { ...line, uri: "skill://a/SKILL.md" }] };
    return new SkillsClient(client).read(entry, "x");
  };

  test("the text that is meant is found among others, whatever it looks like", async () => {
    const other = { uri: "skill://a/y", text: "1" };
    for (const text of ["0", "1", "", "\ufeffé\u0000\n", "x".repeat(100_000)]) {
      const bytes = new TextEncoder().encode(text);
      const read = await reading([other, file({ text, _meta: { text: "2" } })], sha256(bytes), bytes.length);
      assert.deepEqual([read.text, read.bytes, read.verified], [text, bytes, true]);
    }
    const blob = { blob: Buffer.from("0").toString("base64") };
    assert.deepEqual((await reading([other, file(blob)], sha256(Buffer.from("0")), 1)).bytes, new Uint8Array([48]));
  });

  test("half a surrogate pair is no text", async () => {
    const replaced = Buffer.from("a\ufffd");
    const error = await refusal(reading([file({ text: "a\ud800" })], sha256(new Uint8Array(replaced)), replaced.length));
    assert.equal(error.code, "INVALID_RESULT");
  });
});

describe("beside the SDK's own", () => {
  const sides = async (t, variant, options) => {
    const client = await connected(t, CLIENTS["2.x, 2026-07-28"], variant);
    return [new Theirs(client, options), new SkillsClient(client, options)];
  };
  const both = (pair, call) => Promise.all(pair.map(call));

  test("every answer is the same", async (t) => {
    const pair = await sides(t);
    const [theirs, ours] = await both(pair, (one) => one.list());
    assert.deepEqual(ours, theirs);
    const firstPage = (await both(pair, (one) => one.list({ cursor: "after-3" }))).map(({ nextCursor }) => nextCursor);
    assert.deepEqual(firstPage, ["after-6", "after-6"]);
    for (const skill of theirs.skills) {
      const lines = skill.resources === "dynamic" ? [{ uri: skill.uri }] : skill.resources;
      for (const { uri } of lines) {
        const [expected, file] = await both(pair, (one) => one.read(skill, uri));
        assert.deepEqual(file, expected, uri);
      }
      const [expected, got] = await both(pair, (one) => one.get(skill.uri));
      assert.deepEqual(got, expected);
    }
  });

  test("a directory is the same, and wants no cache fields, which its result does not have", async (t) => {
    const client = await connected(t, CLIENTS["2.x, 2025-11-25"]);
    const pair = [new Theirs(client), new SkillsClient(client)];
    const [expected, directory] = await both(pair, (one) => one.readDirectory("skill://acme/billing/refunds"));
    assert.deepEqual(directory, expected);
    const [, ours] = await sides(t);
    assert.deepEqual(await ours.readDirectory("skill://acme/billing/refunds"), expected);
  });

  for (const [variant, reason] of [
    ["served-changed-same-length", "digest"],
    ["size-one-more", "size"],
    ["entry-description-trimmed", "frontmatter"],
  ]) {
    test(`${variant} is refused for the same reason`, async (t) => {
      const pair = await sides(t, variant, { skipInvalid: true });
      const [{ skills }] = await both(pair, (one) => one.list());
      const refusals = await both(pair, async (one) => {
        for (const skill of skills) {
          for (const { uri } of skill.resources === "dynamic" ? [] : skill.resources) {
            const error = await one.read(skill, uri).then(() => undefined, (error) => error);
            if (error) return { name: error.name, reason: error.reason, uri: error.uri, code: error.code };
          }
        }
        return undefined;
      });
      assert.equal(refusals[0]?.reason, reason);
      assert.deepEqual(refusals[1], refusals[0]);
    });
  }

  test("it fits where the SDK's own does, for the compiler too", () => {
    const source = `
      import type { Client } from "@modelcontextprotocol/client";
      import type { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
      import { SkillsClient as Theirs } from "@modelcontextprotocol/client/ext/skills";
      import { clientTransport, SkillsClient } from "skillglass/host";
      export async function use(client: Client, old: OldClient): Promise<boolean> {
        const theirs: Pick<Theirs, "supported" | "directoryRead"> = new SkillsClient(client);
        const entry = (await new Theirs(client).list()).skills[0]!;
        const file: Awaited<ReturnType<Theirs["read"]>> = await new SkillsClient(client).read(entry, "a.md");
        const listing: Pick<Awaited<ReturnType<Theirs["list"]>>, "invalid"> = await new SkillsClient(old).list();
        clientTransport(client);
        clientTransport(old);
        return theirs.supported && file.verified && listing.invalid.length === 0;
      }`;
    installed.link("@modelcontextprotocol");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom"];
    tool(installed.root, "tsc", installed.write("use.ts", source), ...options, "--types", "");
  });
});
