// Servers that do everything right, each in another of the ways that are right.

import { Catalog, counting, honestSkills, skillMd } from "../catalog.mjs";
import { contentsOf, result } from "./tools.mjs";

/** Serves these skills only, by name. */
function only(...names) {
  return (skills) => {
    for (const name of Object.keys(skills).filter((name) => !names.includes(name))) {
      delete skills[name];
    }
  };
}

const ONE_MIB = 1024 * 1024;

export default [
  { id: "honest", title: "Pages, directories, nested, dynamic, unlisted and binary skills, in both eras" },
  { id: "modern-only", title: "The newest revision only", settings: { eras: ["modern"] } },
  { id: "legacy-only", title: "The older era only, in sessions", settings: { eras: ["legacy"] } },
  {
    id: "legacy-without-sessions",
    title: "The older era only, without sessions, in JSON",
    settings: { eras: ["legacy"], sessions: false, legacyReplies: "json" },
  },
  {
    id: "legacy-2025-06-18",
    title: "An older revision of the older era",
    settings: { eras: ["legacy"], legacyVersion: "2025-06-18" },
  },
  { id: "event-streams", title: "Every answer as an event stream", settings: { modernReplies: "stream" } },
  {
    id: "one-page",
    title: "Everything on one page",
    settings: { pageSize: 1000, resourcePageSize: 1000, directoryPageSize: 1000 },
  },
  {
    id: "one-by-one",
    title: "One item on each page",
    settings: { pageSize: 1, resourcePageSize: 1, directoryPageSize: 1 },
  },
  { id: "no-directories", title: "No directory reads", settings: { directoryRead: false } },
  {
    id: "directories-undeclared",
    title: "Directory reads that work and are declared as false",
    answer: Object.fromEntries(
      ["server/discover", "initialize"].map((method) => [
        method,
        (honest) => {
          const answer = honest();
          const extensions = { "io.modelcontextprotocol/skills": { directoryRead: false } };
          return { ...answer, capabilities: { ...answer.capabilities, extensions } };
        },
      ]),
    ),
  },
  {
    id: "undeclared",
    title: "A server that offers no skills",
    settings: { directoryRead: false },
    answer: Object.fromEntries(
      ["server/discover", "initialize"].map((method) => [
        method,
        (honest) => ({ ...honest(), capabilities: { resources: {} } }),
      ]),
    ),
  },
  { id: "empty", title: "No skills at all", skills: only(), answer: silent() },
  {
    id: "listing-empty",
    title: "An empty listing, and a skill that the instructions name",
    skills: (skills) => Object.values(skills).forEach((skill) => Object.assign(skill, { listed: false })),
  },
  {
    id: "listing-partial",
    title: "A listing of two skills; the others are served to whoever knows them",
    skills: (skills) => {
      const listed = ["refunds", "code-review"];
      Object.entries(skills).forEach(([name, skill]) => Object.assign(skill, { listed: listed.includes(name) }));
    },
  },
  { id: "flat", title: "Flat skills only", skills: only("code-review"), answer: silent() },
  {
    id: "dynamic-only",
    title: "Dynamic skills only",
    skills: only("briefing"),
    answer: silent(),
  },
  {
    id: "dynamic-everything",
    title: "Every skill dynamic",
    skills: (skills) => Object.values(skills).forEach((skill) => Object.assign(skill, { dynamic: true })),
  },
  {
    id: "dynamic-body-changes",
    title: "A dynamic skill whose SKILL.md is generated for each read, with the same frontmatter",
    skills: ({ briefing }) => {
      briefing.text = counting((count) => skillMd(briefing.frontmatter, `# Today\n\nRead ${count} times.\n`));
    },
  },
  {
    id: "everything-as-blob",
    title: "Every file as base64, SKILL.md too",
    lenient: { "skillmd-required": "the base protocol lets a server send any file as a blob" },
    ...result("resources/read", (honest) => ({
      ...honest,
      contents: honest.contents.map(({ text, ...item }) =>
        text === undefined ? item : { ...item, blob: Buffer.from(text).toString("base64") },
      ),
    })),
  },
  {
    id: "other-scheme",
    title: "A skill under a scheme of its own",
    warns: ["skill-uri-scheme"],
    skills: ({ refunds }) => {
      refunds.root = "github://acme/billing/refunds";
    },
  },
  {
    id: "empty-cursor",
    title: "A cursor that is the empty string",
    answer: {
      "skills/list": (honest, context) => {
        const { params, site, complete } = context;
        const skills = site.catalog.skills.filter((skill) => skill.listed).map((skill) => site.catalog.entry(skill));
        if (params.cursor === undefined) {
          return complete({ skills: skills.slice(0, 2), nextCursor: "" });
        }
        return params.cursor === "" ? complete({ skills: skills.slice(2) }) : honest();
      },
    },
  },
  {
    id: "private-and-stale",
    title: "Results that are private and stale at once",
    settings: { caching: { ttlMs: 0, cacheScope: "private" } },
  },
  {
    id: "manifest-reordered",
    title: "Manifests and frontmatter in another order from skills/get",
    entry: ({ uri, frontmatter, resources }, _skill, method) =>
      method === "skills/get"
        ? {
            resources: Array.isArray(resources) ? [...resources].reverse() : resources,
            frontmatter: reversed(frontmatter),
            uri,
          }
        : { uri, frontmatter, resources },
  },
  {
    id: "extra-members",
    title: "Members that no specification names, everywhere",
    entry: (entry) => ({
      ...entry,
      "com.example/rank": 3,
      resources: Array.isArray(entry.resources)
        ? entry.resources.map((line) => ({ ...line, note: "new" }))
        : entry.resources,
    }),
    answer: { "skills/list": (honest) => ({ ...honest(), total: 7 }) },
  },
  {
    id: "decoy-before-the-file",
    title: "Another item before the file in the contents",
    warns: ["content-uri-echo"],
    lenient: {
      "skillmd-frontmatter": "the item to read is the one whose uri was asked for",
      "skillmd-mimetype": "as above",
    },
    ...contentsOf("skill://acme/billing/refunds/SKILL.md", (item) => [
      { uri: "skill://acme/billing/refunds/NOTICE", mimeType: "text/plain", text: "All rights reserved.\n" },
      item,
    ]),
  },
  {
    id: "uri-canonicalised",
    title: "Contents that name the file by another spelling of its URI",
    ...contentsOf("skill://acme/media/logo/assets/caf%C3%A9%20notes.md", (item) => [
      { ...item, uri: "skill://acme/media/logo/assets/caf%c3%a9%20notes.md" },
    ]),
  },
  {
    id: "yaml-anchors",
    title: "Frontmatter with an anchor and an alias, resolved in the entry",
    skills: ({ refunds }) => {
      refunds.text = "---\nname: refunds\ndescription: &what Pay money back.\nx-summary: *what\n---\n\n# Refunds\n";
      refunds.frontmatter = { name: "refunds", description: "Pay money back.", "x-summary": "Pay money back." };
    },
  },
  {
    id: "format-at-its-limits",
    title: "A name of 64, a description of 1,024 and a compatibility of 500 characters",
    skills: (skills) => {
      const name = "r".repeat(64);
      skills.refunds.root = `skill://acme/billing/${name}`;
      Object.assign(skills.refunds.frontmatter, {
        name,
        description: "d".repeat(1024),
        compatibility: "c".repeat(500),
      });
    },
  },
  {
    id: "skill-at-its-limits",
    title: "A skill of 512 files and 16 MiB",
    skills: ({ refunds }) => {
      refunds.body = "# Refunds\n";
      const rest = Array.from({ length: 510 }, (_, index) => [`notes/${index}.md`, "x"]);
      const used = Buffer.byteLength(skillMd(refunds.frontmatter, refunds.body)) + rest.length;
      refunds.files = { ...Object.fromEntries(rest), "filler.txt": Buffer.alloc(16 * ONE_MIB - used, "x") };
    },
  },
  {
    id: "resources-list-empty",
    title: "Nothing in resources/list",
    answer: { "resources/list": (_honest, { complete }) => complete({ resources: [] }) },
  },
  {
    id: "resources-list-skill-md-only",
    title: "Only each SKILL.md in resources/list",
    answer: {
      "resources/list": (_honest, { site, complete }) => {
        const listed = site.catalog.skills.filter((skill) => skill.listed);
        return complete({ resources: listed.map((skill) => site.catalog.resource(skill.uri)) });
      },
    },
  },
  {
    id: "resources-list-of-unlisted",
    title: "Files of an unlisted skill in resources/list",
    answer: {
      "resources/list": (_honest, { site, complete }) =>
        complete({ resources: [...site.catalog.files.keys()].map((uri) => site.catalog.resource(uri)) }),
    },
  },
  {
    id: "resources-list-of-other-things",
    title: "Resources that have nothing to do with skills",
    answer: {
      "resources/list": (honest, { params }) => {
        const page = honest();
        const other = { uri: "file:///var/log/today.txt", name: "today.txt" };
        return params.cursor ? page : { ...page, resources: [...page.resources, other] };
      },
    },
  },
  {
    id: "unknown-32602-with-400",
    title: "Refusals with the status 400",
    reply: (reply, { era }) =>
      era === "modern" && reply.body.includes('"code":-32602') ? { ...reply, status: 400 } : reply,
  },
  {
    id: "json-spelled-out",
    title: "Messages over many lines, every letter beyond ASCII escaped, the id last",
    settings: { legacyReplies: "json" },
    reply: spelledOut((message) => escaped(JSON.stringify(message, null, "\t"))),
  },
  {
    id: "streams-of-every-kind",
    title: "Event streams with CR LF, comments, ids, notifications and answers over several lines",
    settings: { modernReplies: "stream" },
    reply: (reply) => (reply.body.startsWith(":") ? { ...reply, body: busy(reply.body) } : reply),
  },
  {
    id: "media-types-with-parameters",
    title: "Media types in upper case and with parameters",
    lenient: { "skillmd-mimetype": "a parameter does not make another media type of it" },
    settings: { legacyReplies: "json" },
    reply: (reply) => ({
      ...reply,
      headers: reply.body ? { ...reply.headers, "Content-Type": "Application/JSON; charset=UTF-8" } : reply.headers,
    }),
    ...result("resources/read", (honest) => ({
      ...honest,
      contents: honest.contents.map((item) => ({ ...item, mimeType: `${item.mimeType}; charset=utf-8` })),
    })),
  },
  {
    id: "refusals-at-length",
    title: "Refusals with the status 404, data and a message in another language",
    reply: (reply, { era }) =>
      era === "modern" && reply.body.includes('"code":-32602')
        ? {
            ...reply,
            status: 404,
            body: reply.body.replace(
              /"message":"(?:[^"\\\\]|\\\\.)*"/,
              '"message":"Das gibt es hier nicht.","data":{"hint":["list"]}',
            ),
          }
        : reply,
  },
  {
    id: "deep-directories",
    title: "A file 140 directories deep",
    skills: ({ refunds }) => {
      refunds.files[`${"deeper/".repeat(140)}treasure.md`] = "Here.\n";
    },
  },
  {
    id: "deep-json",
    title: "An entry with a member nested 200 deep that no specification names",
    entry: (entry, { key }) => (key === "logo" ? { ...entry, "com.example/tree": nestedArrays(200) } : entry),
  },
  {
    id: "numbers-spelled-another-way",
    title: "Sizes and times written as 28.0 and 6e4",
    reply: (reply) => ({
      ...reply,
      body: reply.body.replace(/"size":(\d+)/g, '"size":$1.0').replace(/"ttlMs":60000/g, '"ttlMs":6e4'),
    }),
  },
  {
    id: "texts-beyond-the-first-plane",
    title: "A description of 1,024 characters that take two code units each",
    skills: ({ refunds }) => {
      refunds.frontmatter.description = "\u{1f4b6}".repeat(1024);
    },
  },
  {
    id: "odd-file-names",
    title: "Files with odd names: of objects' own members, hidden, in two cases, very long",
    skills: ({ refunds }) => {
      for (const name of [
        "__proto__",
        "constructor",
        ".hidden",
        "README",
        "readme",
        "skill.md",
        "a".repeat(2000),
        "%F0%9F%92%B6",
      ]) {
        refunds.files[`odd/${name}`] = `This is ${name.slice(0, 20)}.\n`;
      }
    },
  },
  {
    id: "odd-frontmatter",
    title: "Fields with the names of objects' own members, large numbers, dates and empty values",
    skills: ({ release }) => {
      const text = [
        "---",
        "name: release",
        'description: "Publish a new version, step by step."',
        "__proto__: {a: 1}",
        "constructor: x",
        "x-big: 9007199254740992",
        "x-small: .5",
        "x-exponent: 1e3",
        "x-hex: 0x1F",
        "x-date: 2026-01-15",
        "x-empty:",
        "x-list: []",
        "x-map: {}",
        "x-folded: >-",
        "  one",
        "  two",
        "---",
        "",
        release.body,
      ];
      release.text = text.join("\n");
      release.frontmatter = JSON.parse(
        '{"name":"release","description":"Publish a new version, step by step.","__proto__":{"a":1},"constructor":"x",' +
          '"x-big":9007199254740992,"x-small":0.5,"x-exponent":1000,"x-hex":31,"x-date":"2026-01-15","x-empty":null,' +
          '"x-list":[],"x-map":{},"x-folded":"one two"}',
      );
    },
  },
  {
    id: "one-letter-name",
    title: "A skill named 7",
    skills: ({ refunds }) => {
      refunds.root = "skill://acme/billing/7";
      refunds.frontmatter.name = "7";
    },
  },
  {
    id: "nested-three-deep",
    title: "A skill in a skill in a skill",
    skills: (skills) => {
      skills.voice = {
        root: "skill://acme/release/steps/changelog/voice",
        frontmatter: { name: "voice", description: "How the team writes." },
        body: "# Voice\n",
      };
    },
  },
  {
    id: "directories-in-resources-list",
    title: "Directories in resources/list as well",
    answer: {
      "resources/list": (honest, { site, params }) => {
        const page = honest();
        const directories = [...site.catalog.directories].filter((uri) =>
          uri.startsWith("skill://acme/billing/refunds"),
        );
        return params.cursor
          ? page
          : { ...page, resources: [...directories.map((uri) => site.catalog.resource(uri)), ...page.resources] };
      },
    },
  },
  {
    id: "resources-with-sizes",
    title: "Resources with size, title and annotations",
    ...result("resources/list", (honest, { site }) => ({
      ...honest,
      resources: honest.resources.map((resource) => ({
        ...resource,
        title: "A title",
        annotations: { audience: ["assistant"], priority: 0.5 },
        ...(resource.uri.includes("/briefing/") ? {} : { size: site.catalog.files.get(resource.uri)().length }),
      })),
    })),
  },
  {
    id: "empty-pages-between",
    title: "A listing with empty pages between the others",
    answer: {
      "skills/list": (honest, { params, complete }) => {
        if (params.cursor?.startsWith("empty-")) {
          return complete({ skills: [], nextCursor: params.cursor.replace("empty-", "") });
        }
        const page = honest();
        return page.nextCursor ? { ...page, nextCursor: `empty-empty-${page.nextCursor}` } : page;
      },
    },
  },
  {
    id: "long-cursors",
    title: "Cursors of thousands of characters of every kind",
    answer: {
      "skills/list": (honest, context) => {
        context.params.cursor = context.params.cursor?.split("|").at(-1);
        const page = honest();
        const noise = '\u20ac\u{1f4b6}"\n'.repeat(1000);
        return page.nextCursor ? { ...page, nextCursor: `${noise}|${page.nextCursor}` } : page;
      },
    },
  },
  {
    id: "freshness-differs",
    title: "Pages and entries that are fresh for different times and people",
    ...result("skills/get", (honest) => (honest.resultType ? { ...honest, ttlMs: 0, cacheScope: "private" } : honest)),
  },
  {
    id: "settings-of-others",
    title: "Other extensions, and settings that no specification names",
    answer: Object.fromEntries(
      ["server/discover", "initialize"].map((method) => [
        method,
        (honest) => {
          const answer = honest();
          const extensions = {
            "com.example/other": { config: { deep: true } },
            "io.modelcontextprotocol/skills": { directoryRead: true, "com.example/mirror": "eu" },
          };
          return { ...answer, capabilities: { ...answer.capabilities, tools: {}, extensions } };
        },
      ]),
    ),
  },
  {
    id: "links-of-every-kind",
    title: "Links with titles and anchors, to web pages, to other skills, in code, to directories",
    skills: ({ refunds }) => {
      refunds.body +=
        '\nSee [one](references/POLICY.md#top "title"), [dir](references/), [web](https://example.com/x.md), [mail](mailto:a@example.com),\n' +
        "[here](#top), [review](skill://code-review/SKILL.md), ![image](./templates/approve.md) and `[no](gone.md)`.\n\n" +
        "[ref]: references/limits.csv\n\n```md\n[gone](gone.md)\n```\n";
    },
  },
  {
    id: "empty-blob",
    title: "An empty file as an empty blob",
    ...contentsOf("skill://acme/media/logo/assets/placeholder.txt", ({ text: _, ...item }) => [{ ...item, blob: "" }]),
  },
  {
    id: "catalog-grows",
    title: "A skill that is published between skills/list and skills/get",
    answer: growing(),
  },
  {
    id: "markdown-of-every-kind",
    title: "Text that only looks like links: footnotes, comments, code in fences of every length, escaped brackets",
    skills: ({ refunds }) => {
      refunds.body +=
        "\n[^1]: see below\n\n- [ ] task: later\n\n<!-- [gone](gone.md)\n[gone](gone.md) -->\n\n" +
        "````md\n```\n[gone](gone.md)\n```\n[gone](gone.md)\n````\n\n~~~\n[gone](gone.md)\n~~~\n\n" +
        "``[gone](a`gone.md)`` and \\[gone](gone.md), but [this](<references/POLICY.md>).\n";
    },
  },
  {
    id: "frontmatter-only",
    title: "A SKILL.md that ends with its frontmatter, without a line end",
    skills: ({ release }) => {
      release.text = skillMd(release.frontmatter, "").trimEnd();
    },
  },
  {
    id: "names-of-every-letter",
    title: "Files and folders whose names have every character that URIs allow, and encoded ones",
    skills: ({ refunds }) => {
      refunds.files["r%C3%A9f/a%20b/%C3%A9t%C3%A9.md"] = "x\n";
      refunds.files[".well-known/...y/a+b~c,d;e=f@g:h!$&'()*.txt"] = "x\n";
    },
  },
  {
    id: "dynamic-inside",
    title: "A dynamic skill inside of one with a manifest",
    skills: ({ changelog }) => {
      changelog.dynamic = true;
    },
  },
  {
    id: "dynamic-around",
    title: "A skill with a manifest inside of a dynamic one",
    skills: ({ release }) => {
      release.dynamic = true;
    },
  },
  {
    id: "asks-before-it-answers",
    title: "A question of the server's own on each stream before the answer",
    settings: { eras: ["legacy"] },
    reply: (reply) =>
      reply.body.startsWith(":")
        ? { ...reply, body: `data: {"jsonrpc":"2.0","id":"are-you-there","method":"ping"}\n\n${reply.body}` }
        : reply,
  },
  {
    id: "crlf-frontmatter",
    title: "Frontmatter with CR LF, comments, a block scalar and an empty value",
    skills: ({ release }) => {
      release.frontmatter = { name: "release", description: "Publish.\nThen tell.\n", owner: null };
      const lines = ["---", "# ours", "name: release # a name", "description: |", "  Publish.", "  Then tell.", "owner:"];
      release.text = [...lines, "---", "", "# Release", ""].join("\r\n");
    },
  },
  {
    id: "resources-in-full",
    title: "Resources with all members that the protocol knows",
    ...result("resources/list", (honest) => ({
      ...honest,
      resources: honest.resources.map((resource) => ({
        ...resource,
        title: "A file",
        annotations: { audience: ["user", "assistant"], priority: 0.5, lastModified: "2026-01-15T12:00:00Z" },
        icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
      })),
    })),
  },
  {
    id: "names-by-path",
    title: "Directories that call every file by the last segment of its path",
    ...result("resources/directory/read", (page) => ({
      ...page,
      resources: page.resources.map((child) => ({ ...child, name: child.uri.slice(child.uri.lastIndexOf("/") + 1) })),
    })),
  },
  {
    id: "many-short-pages",
    title: "Sixty more skills, seven on a page",
    settings: { pageSize: 7, directoryRead: false },
    skills: (skills) => {
      for (let number = 1; number <= 60; number += 1) {
        const name = `shelf-${number}`;
        skills[name] = { root: `skill://many/${name}`, frontmatter: { name, description: "One of many." }, body: "" };
      }
    },
  },
];

/** Writes each message another way. */
function spelledOut(write) {
  return (reply) => {
    if (!reply.body) {
      return reply;
    }
    const { id, jsonrpc, ...rest } = JSON.parse(reply.body);
    return { ...reply, body: write({ ...rest, jsonrpc, id }) };
  };
}

function escaped(json) {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** An event stream that says the same with everything that a stream may have. */
function busy(body) {
  const message = JSON.parse(/^data: (.*)$/m.exec(body)[1]);
  const notification = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "soon" } };
  const lines = [
    ...[": hello", "retry: 10", "id: 1", "data:", "", "event: message", `data: ${JSON.stringify(notification)}`, ""],
    ...["event: other", "data: not for us", "", "id: 2"],
    ...JSON.stringify(message, null, 1)
      .split("\n")
      .map((line) => `data: ${line}`),
  ];
  return `\ufeff${lines.join("\r\n")}\r\n\r\n`;
}

function nestedArrays(depth) {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

/** No instructions, as there is no skill that they could name. */
function silent() {
  return Object.fromEntries(
    ["server/discover", "initialize"].map((method) => [
      method,
      (honest) => {
        const { instructions: _, ...rest } = honest();
        return rest;
      },
    ]),
  );
}

function growing() {
  const skills = honestSkills();
  skills.inventory = {
    root: "skill://acme/stock/inventory",
    frontmatter: { name: "inventory", description: "Count what is there." },
    body: "# Inventory\n",
  };
  const later = new Catalog(skills);
  return {
    "skills/get": (honest, { params, site, complete }) => {
      site.catalog = later;
      const skill = later.skill(params.uri);
      return skill ? complete({ skill: later.entry(skill) }) : honest();
    },
  };
}

function reversed(object) {
  return Object.fromEntries(Object.entries(object).reverse());
}
