// The packed package says of every shared vector what the core says.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { answers, bytes, kinds, named, text } from "./answers.mjs";
import { project } from "./tarball.mjs";

const skillglass = await project().load();

test("every file of vectors is asked", () => {
  const files = readdirSync(join(import.meta.dirname, "../vectors")).filter((name) => name.endsWith(".json"));
  assert.deepEqual(files.sort(), kinds.map((kind) => `${kind}.json`).sort());
});

for (const kind of kinds) {
  describe(kind, () => {
    for (const { name, seen, expected } of [...answers(skillglass)].filter((answer) => answer.kind === kind)) {
      test(name, () => assert.deepEqual(named(expected, seen), expected));
    }
  });
}

test("answers are plain JSON", () => {
  for (const { kind, name, answer } of answers(skillglass)) {
    const plain = { ...answer };
    delete plain.bytes;
    assert.deepStrictEqual(JSON.parse(JSON.stringify(plain)), plain, `${kind}: ${name}`);
  }
});

test("an entry that is held answers as the functions do", () => {
  for (const { kind, name, one, answer } of answers(skillglass)) {
    if (kind !== "entry" && kind !== "verify" && kind !== "skill") continue;
    const entry = new skillglass.Entry(text(one.entry ?? one.text));
    const held = {
      entry: () => Object.fromEntries(Object.keys(answer).map((member) => [member, entry[member]])),
      verify: () => entry.verifyFile(one.uri, bytes(one)),
      skill: () => entry.verifySkill(Object.fromEntries(one.files.map((file) => [file.uri, bytes(file)]))),
    };
    assert.deepEqual(held[kind](), answer, name);
    entry.free();
  }
});

test("a digest of the platform gives the same verdict", async () => {
  for (const { kind, name, one, answer } of answers(skillglass)) {
    if (kind !== "verify") continue;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(one)));
    const spelled = `sha256:${Buffer.from(digest).toString("hex")}`;
    for (const platformDigest of [digest, spelled]) {
      assert.deepEqual(
        skillglass.verifyFile(text(one.entry), one.uri, bytes(one), platformDigest),
        answer,
        name,
      );
    }
  }
});

test("a file that arrives in pieces matches as the whole does", () => {
  for (const { kind, name, one, answer } of answers(skillglass)) {
    const { resources } = kind === "verify" ? skillglass.readEntry(text(one.entry)) : {};
    const line = Array.isArray(resources) && resources.find(({ uri }) => uri === one.uri);
    if (!line || !line.usable || line.digest === null) continue;
    const verifier = new skillglass.FileVerifier(line.size, line.digest);
    const wanted = bytes(one).every((byte) => verifier.update(Uint8Array.of(byte)));
    assert.equal(wanted, bytes(one).length <= line.size, name);
    const mismatch = ["size", "digest"].includes(answer.reason?.kind);
    assert.equal(verifier.finish().kind, mismatch ? "mismatch" : "match", name);
  }
});
