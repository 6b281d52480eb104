// A caller's mistake is an Error with a code; nothing that a server could send is one.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";

import { project } from "./tarball.mjs";

const installed = project();
const skillglass = await installed.load();
const protocol = await installed.load("skillglass/protocol");
/** An instance of its own, to which nothing was lent. */
const inline = await project().load("skillglass/inline");
const { Entry, FileVerifier, sha256 } = skillglass;

const URI = "skill://tidy/SKILL.md";
const FILE = new TextEncoder().encode("---\nname: tidy\ndescription: Tidies up.\n---\n");
const entryWith = (frontmatter) => `{"uri":"${URI}","frontmatter":${frontmatter},"resources":"dynamic"}`;
const ENTRY = entryWith('{"name":"tidy","description":"Tidies up."}');
const NOTHING = new Uint8Array();
const REQUEST = { id: 1, method: "skills/list" };
const REPLY = { status: 200, contentType: "application/json", body: '{"jsonrpc":"2.0","id":1,"result":{}}' };

const throws = (code, call) =>
  assert.throws(call, (error) => error instanceof Error && error.code === code && error.message !== "");

describe("types are checked", () => {
  const wrong = [undefined, null, 5, 5n, true, {}, [], Symbol("x"), () => {}, new Date(), FILE.buffer, new Uint16Array(1)];
  const calls = {
    "parseSkillUri(text)": (value) => skillglass.parseSkillUri(value),
    "resolveReference(skillUri)": (value) => skillglass.resolveReference(value, "a"),
    "resolveReference(reference)": (value) => skillglass.resolveReference(URI, value),
    "checkName(name)": (value) => skillglass.checkName(value),
    "checkDigest(text)": (value) => skillglass.checkDigest(value),
    "sha256(bytes)": (value) => sha256(value),
    "readEntry(entryJson)": (value) => skillglass.readEntry(value),
    "new Entry(entryJson)": (value) => new Entry(value),
    "parseFrontmatter(skillMd)": (value) => skillglass.parseFrontmatter(value),
    "compareFrontmatter(skillMd)": (value) => skillglass.compareFrontmatter(value, ENTRY),
    "compareFrontmatter(entryJson)": (value) => skillglass.compareFrontmatter(FILE, value),
    "readContents(resultJson)": (value) => skillglass.readContents(value, URI),
    "readContents(uri)": (value) => skillglass.readContents("{}", value),
    "verifyFile(entryJson)": (value) => skillglass.verifyFile(value, URI, FILE),
    "verifyFile(uri)": (value) => skillglass.verifyFile(ENTRY, value, FILE),
    "verifyFile(bytes)": (value) => skillglass.verifyFile(ENTRY, URI, value),
    "verifySkill(entryJson)": (value) => skillglass.verifySkill(value, {}),
    "verifySkill(files), a file": (value) => skillglass.verifySkill(ENTRY, { [URI]: value }),
    "new FileVerifier(digest)": (value) => new FileVerifier(0, value),
  };
  for (const [name, call] of Object.entries(calls)) {
    test(name, () => wrong.forEach((value) => throws("invalid-argument", () => call(value))));
  }

  const conforming = {
    "parseUri(text)": (value) => protocol.parseUri(value),
    "readReply(reply)": (value) => protocol.readReply(value, REQUEST),
    "readReply(reply.status)": (value) => protocol.readReply({ ...REPLY, status: value }, REQUEST),
    "readReply(reply.body)": (value) => protocol.readReply({ ...REPLY, body: value }, REQUEST),
    "readReply(request)": (value) => protocol.readReply(REPLY, value),
    "readReply(request.method)": (value) => protocol.readReply(REPLY, { method: value }),
    "readReply(request.params.uri)": (value) =>
      protocol.readReply(REPLY, { method: "skills/get", params: { uri: value } }),
    "readDiscovery(resultJson)": (value) => protocol.readDiscovery(value),
    "readInitialize(resultJson)": (value) => protocol.readInitialize(value),
    "readSkillPage(resultJson)": (value) => protocol.readSkillPage(value),
    "readGotSkill(resultJson)": (value) => protocol.readGotSkill(value, URI),
    "readGotSkill(uri)": (value) => protocol.readGotSkill("{}", value),
    "readDirectoryPage(resultJson)": (value) => protocol.readDirectoryPage(value, URI),
    "readDirectoryPage(uri)": (value) => protocol.readDirectoryPage("{}", value),
    "checkDirectory(entryJson)": (value) => protocol.checkDirectory(value, URI, []),
    "checkDirectory(uri)": (value) => protocol.checkDirectory(ENTRY, value, []),
    "checkDirectory(children), a child": (value) => protocol.checkDirectory(ENTRY, URI, [value]),
    "checkNested(entries), an entry": (value) => protocol.checkNested([value]),
    "approve(origin)": (value) => protocol.approve(value, ENTRY),
    "approve(entryJson)": (value) => protocol.approve("server", value),
    "checkApproval(origin)": (value) => protocol.checkApproval(null, value, ENTRY),
    "checkApproval(entryJson)": (value) => protocol.checkApproval(null, "server", value),
    "SkillListing.receive(resultJson)": (value) => new protocol.SkillListing().receive(value),
  };
  for (const [name, call] of Object.entries(conforming)) {
    test(name, () => wrong.forEach((value) => throws("invalid-argument", () => call(value))));
  }

  test("arrays are arrays", () => {
    for (const value of [undefined, null, {}, "text", FILE]) {
      throws("invalid-argument", () => protocol.checkNested(value));
      throws("invalid-argument", () => protocol.checkDirectory(ENTRY, URI, value));
    }
  });

  test("a status is an HTTP status, an id is a whole number", () => {
    for (const status of [0, 99, 200.5, 1000, NaN, "200"]) {
      throws("invalid-argument", () => protocol.readReply({ ...REPLY, status }, REQUEST));
    }
    for (const id of [null, "1", 0.5, -1]) {
      throws("invalid-argument", () => protocol.readReply(REPLY, { ...REQUEST, id }));
    }
    throws("invalid-argument", () => protocol.readReply({ ...REPLY, contentType: undefined }, REQUEST));
  });

  test("what may be left out may not be wrong", () => {
    throws("invalid-argument", () => protocol.readSkillPage("{}", null));
    throws("invalid-argument", () => new protocol.SkillListing(20260728));
    throws("invalid-argument", () => protocol.checkApproval(undefined, "server", ENTRY));
    throws("invalid-argument", () => skillglass.resolveReference(URI, "a", null));
    throws("invalid-argument", () => skillglass.verifyFile(ENTRY, URI, FILE, null));
    throws("invalid-digest", () => skillglass.verifyFile(ENTRY, URI, FILE, new Uint8Array(31)));
    throws("invalid-digest", () => skillglass.verifyFile(ENTRY, URI, FILE, "sha256:00"));
  });

  test("files are an object", () => {
    for (const value of [undefined, null, 5, "text", true]) {
      throws("invalid-argument", () => skillglass.verifySkill(ENTRY, value));
    }
  });

  test("sizes are whole and safe", () => {
    for (const size of [undefined, null, "1", 1n, -1, 0.5, NaN, Infinity, 2 ** 53]) {
      throws("invalid-argument", () => new FileVerifier(size, sha256(NOTHING)));
    }
    new FileVerifier(2 ** 53 - 1, sha256(NOTHING));
  });
});

test("what could fill the memory of the module is refused, and the module goes on", () => {
  const bytes = new Uint8Array(2 ** 28 + 1);
  throws("too-large", () => skillglass.parseSkillUri("x".repeat(2 ** 28 + 1)));
  throws("too-large", () => skillglass.parseFrontmatter(bytes));
  throws("too-large", () => skillglass.verifyFile(ENTRY, URI, bytes));
  assert.equal(skillglass.verifyFile(ENTRY, URI, FILE).verdict, "unpinned");
});

test("a string without a UTF-8 form is refused rather than changed", () => {
  const half = "skill://tidy/\ud800/SKILL.md";
  throws("not-unicode", () => skillglass.parseSkillUri(half));
  throws("not-unicode", () => skillglass.verifyFile(ENTRY, half, FILE));
  throws("not-unicode", () => skillglass.verifySkill(ENTRY, { [half]: FILE }));
  assert.equal(skillglass.parseSkillUri("skill://\u{1f600}/SKILL.md").name, "\u{1f600}");
});

test("nothing is checked against an entry that must not be loaded", () => {
  for (const entryJson of ["", "{}", "[]", '{"uri":"skill://tidy/SKILL.md"}', ENTRY.replace("dynamic", "Dynamic")]) {
    assert.equal(skillglass.readEntry(entryJson).loadable, false);
    throws("entry-not-loadable", () => skillglass.verifyFile(entryJson, URI, FILE));
    throws("entry-not-loadable", () => skillglass.verifySkill(entryJson, {}));
    throws("entry-not-loadable", () => skillglass.compareFrontmatter(FILE, entryJson));
    throws("entry-not-loadable", () => protocol.checkDirectory(entryJson, URI, []));
    throws("entry-not-loadable", () => protocol.approve("server", entryJson));
    throws("entry-not-loadable", () => protocol.checkApproval(null, "server", entryJson));
  }
  for (const origin of ["", "a: b", " a", "a  b", "a".repeat(65), "a\u200b"]) {
    throws("invalid-origin", () => protocol.approve(origin, ENTRY));
  }
  throws("invalid-skill-uri", () => skillglass.resolveReference("skill://tidy", "a.md"));
});

describe("bytes", () => {
  const digest = sha256(Uint8Array.of(1, 2, 3));

  test("of a Buffer, of a part of one, of shared memory, of another realm", () => {
    assert.equal(sha256(Buffer.from([1, 2, 3])), digest);
    assert.equal(sha256(Uint8Array.of(0, 1, 2, 3, 4).subarray(1, 4)), digest);
    const shared = new Uint8Array(new SharedArrayBuffer(3));
    shared.set([1, 2, 3]);
    assert.equal(sha256(shared), digest);
    assert.equal(sha256(runInNewContext("Uint8Array.of(1, 2, 3)")), digest);
  });

  test("that are read belong to the caller", () => {
    const result = JSON.stringify({ contents: [{ uri: URI, text: "abc" }] });
    const { bytes } = skillglass.readContents(result, URI);
    sha256(new Uint8Array(1 << 20));
    assert.equal(Buffer.from(bytes).toString(), "abc");
    assert.equal(bytes.buffer.byteLength, 3);
  });

  const listing = (uri, file) =>
    ENTRY.replace('"dynamic"', JSON.stringify([{ uri, digest: sha256(file), size: file.length }]));

  test("of many mebibytes, hashed by the platform and by the module", () => {
    const large = new Uint8Array(16 * 1024 * 1024).fill(97);
    const entryJson = listing("skill://tidy/a", large);
    for (const module of [skillglass, protocol, inline]) {
      assert.equal(module.verifyFile(entryJson, "skill://tidy/a", large).verdict, "verified");
      assert.equal(module.verifySkill(entryJson, { "skill://tidy/a": large }).files.at(0).verdict.verdict, "verified");
    }
  });

  test("are hashed by what was lent, and looked at only where their content matters", () => {
    let hashed = [];
    inline.hashWith((bytes) => {
      hashed.push(bytes);
      return createHash("sha256").update(bytes).digest();
    });
    const file = Buffer.from(`x\n`.repeat(1024));
    const crlf = Buffer.from(`x\r\n`.repeat(1024));
    const entryJson = listing("skill://tidy/a", file);
    assert.equal(inline.verifyFile(entryJson, "skill://tidy/a", file).verdict, "verified");
    assert.deepEqual([hashed.length, hashed[0] === file], [1, true]);
    assert.deepEqual(inline.verifyFile(entryJson, "skill://tidy/a", crlf).cause, { kind: "lf-to-crlf" });
    const skillMd = Buffer.concat([FILE, file]);
    assert.equal(inline.verifyFile(listing(URI, skillMd), URI, skillMd).verdict, "verified");
    const other = listing(URI, skillMd).replace("Tidies up.", "Other.");
    assert.equal(inline.verifyFile(other, URI, skillMd).reason.kind, "frontmatter-differs");
    hashed = [];
    assert.equal(inline.sha256(file.subarray(0, 1023)), sha256(file.subarray(0, 1023)));
    assert.equal(inline.verifyFile(entryJson, "skill://tidy/a", file, sha256(file)).verdict, "verified");
    assert.deepEqual(hashed, []);
  });

  test("what is lent to hash with is a function, and gives a digest", () => {
    for (const value of [undefined, null, "sha256", {}, FILE]) {
      throws("invalid-argument", () => inline.hashWith(value));
    }
    inline.hashWith(() => new Uint8Array(31));
    throws("invalid-digest", () => inline.sha256(new Uint8Array(1024)));
    inline.hashWith(() => 5);
    throws("invalid-argument", () => inline.sha256(new Uint8Array(1024)));
  });
});

describe("hostile names", () => {
  test("files of an object without prototype, under any name", () => {
    const files = Object.assign(Object.create(null), { [URI]: FILE });
    assert.equal(skillglass.verifySkill(ENTRY, files).summary, "unpinned");
    const { files: rows } = skillglass.verifySkill(ENTRY, JSON.parse('{"__proto__":null}', (name, value) => value ?? FILE));
    assert.ok(rows.some(({ uri }) => uri === "__proto__"));
  });

  test("a field called __proto__ is a field", () => {
    const skillMd = "---\nname: tidy\n__proto__: {a: 1}\n---\n";
    const { fields } = skillglass.parseFrontmatter(skillMd);
    assert.deepEqual(fields.map(({ name }) => name), ["name", "__proto__"]);
    const { equal } = skillglass.compareFrontmatter(skillMd, entryWith('{"name":"tidy","__proto__":{"a":1}}'));
    assert.equal(equal, true);
    assert.equal({}.a, undefined);
  });
});

describe("objects that hold memory", () => {
  test("a FileVerifier ends once", () => {
    const verifier = new FileVerifier(2, sha256(Uint8Array.of(1, 2)));
    assert.equal(verifier.update(Uint8Array.of(1)), true);
    assert.equal(verifier.update(Uint8Array.of(2)), true);
    assert.deepEqual(verifier.finish(), { kind: "match" });
    throws("finished", () => verifier.update(NOTHING));
    throws("finished", () => verifier.finish());
  });

  test("a FileVerifier stops at the first surplus byte", () => {
    const verifier = new FileVerifier(1, sha256(Uint8Array.of(1)));
    assert.equal(verifier.update(Uint8Array.of(1, 2)), false);
    assert.equal(verifier.finish().reason.kind, "size");
  });

  test("a SkillListing ends once", () => {
    const listing = new protocol.SkillListing();
    assert.deepEqual(listing.next(), {});
    listing.receive('{"resultType":"complete","skills":[],"ttlMs":0,"cacheScope":"private"}');
    assert.equal(listing.next(), null);
    assert.deepEqual([listing.state.kind, listing.findings], ["complete", []]);
    throws("finished", () => listing.receive("{}"));
  });

  test("an Entry outlives the text and other entries", () => {
    const held = new Entry(ENTRY);
    new Entry("[]").free();
    assert.equal(held.verifyFile(URI, FILE).verdict, "unpinned");
    held[Symbol.dispose]?.();
    assert.throws(() => held.verifyFile(URI, FILE));
  });

  test("many entries can come and go", () => {
    for (let count = 0; count < 10_000; count += 1) {
      new Entry(ENTRY).free();
    }
  });
});
