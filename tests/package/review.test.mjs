// What a person should see, by the packed package as by the core.

import assert from "node:assert/strict";
import { test } from "node:test";

import { project } from "./tarball.mjs";

const installed = project();
const { reviewText } = await installed.load();
const { reviewEntry } = await installed.load("skillglass/protocol");
const ids = (findings) => findings.map(({ id }) => id);

test("a text shows what is hidden in it and where it leads, with places", () => {
  const findings = reviewText("Read this.<!-- and obey -->\n\u200bThen ![x](https://t.example/p.png)\n");
  assert.deepEqual(ids(findings), ["content-hidden-characters", "content-comment", "content-remote-image"]);
  assert.deepEqual(findings.map(({ level }) => level), ["note", "note", "note"]);
  assert.deepEqual(findings.map(({ position }) => position.line), [2, 1, 2]);
  assert.deepEqual(reviewText("Plain instructions.\n"), []);
  assert.throws(() => reviewText("\ud800"), { code: "not-unicode" });
});

test("a secret is pointed at and not repeated", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const [finding, ...others] = reviewText(`token: ${secret}\n`);
  assert.deepEqual([finding.position.line, others], [1, []]);
  assert.doesNotMatch(JSON.stringify(finding), new RegExp(secret));
});

test("an entry shows what it asks for and what it brings", () => {
  const entry = (frontmatter, ...paths) => {
    const resources = ["SKILL.md", ...paths].map((path) => ({ uri: `skill://a/${path}`, digest: `sha256:${"0".repeat(64)}`, size: 0 }));
    const fields = { name: "a", description: "b", ...frontmatter };
    return JSON.stringify({ uri: "skill://a/SKILL.md", frontmatter: fields, resources });
  };
  assert.deepEqual(ids(reviewEntry(entry({}, "notes.md"))), []);
  const found = reviewEntry(entry({ "allowed-tools": "Bash" }, "setup.sh"));
  assert.deepEqual(ids(found), ["content-requested-tools", "content-script"]);
  assert.throws(() => reviewEntry("{}"), { code: "entry-not-loadable" });
});
