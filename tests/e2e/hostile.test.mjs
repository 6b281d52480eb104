// A server that means harm: whatever it puts where people look, nothing of it runs, nothing is asked of anybody else, the
// console stays silent, and the page stays quick.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { startWireServer } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { catalog, connect, heading, openFile, openTab, panel, read, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ELSEWHERE = "http://tracker.test/x";
const RUN = "globalThis.ran=true;alert(1)";
const MARKUP = `<img src=x onerror="${RUN}"><script>${RUN}</script><b onclick="${RUN}">name</b>`;

const SKILL_MD = `---
name: harm
description: ${JSON.stringify(MARKUP)}
---
<script>${RUN}</script>
<script src="${ELSEWHERE}.js"></script>

<img src="${ELSEWHERE}.png" onerror="${RUN}">
<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s></svg>
<body onload="${RUN}" style="background:url(${ELSEWHERE})">
<style>@import "${ELSEWHERE}.css"; body { display: none !important }</style>
<link rel="stylesheet" href="${ELSEWHERE}.css"><base href="${ELSEWHERE}"><meta http-equiv="refresh" content="0;url=${ELSEWHERE}">
<iframe srcdoc="<script>parent.ran=true</script>"></iframe><object data="${ELSEWHERE}"></object><embed src="${ELSEWHERE}">
<form action="${ELSEWHERE}"><button formaction="javascript:${RUN}">press</button></form>

[one](javascript:alert(1)) [two](JaVaScRiPt:alert(1)) [three](java&#10;script:alert(1)) [four](<java\tscript:alert(1)>)
[five](data:text/html,<script>alert(1)</script>) [six](vbscript:x) [seven](blob:null/x) [eight](file:///etc/passwd)
[nine](//tracker.test/x) <javascript:alert(1)> [ten](skill://other/SKILL.md) [eleven]( javascript:alert(1))

![one](${ELSEWHERE}.png) ![two](javascript:alert(1)) ![three](data:image/svg+xml,<svg/onload=alert(1)>)
![four](//tracker.test/x.png "title\\" onerror=alert(1)") ![drawing](assets/drawing.svg)

\`\`\`html" onmouseover="alert(1)
<script>${RUN}</script>
\`\`\`
`;

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="40" onload="${RUN}">
<script>${RUN}</script><style>@import url(${ELSEWHERE}.css); * { fill: url(${ELSEWHERE}#x) }</style>
<image xlink:href="${ELSEWHERE}.png" width="9" height="9"/><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${ELSEWHERE}"/></foreignObject>
<a xlink:href="javascript:${RUN}"><rect width="80" height="40" fill="#3f51c9" onclick="${RUN}"/></a></svg>`;

const FILES = {
  "SKILL.md": SKILL_MD,
  "assets/drawing.svg": DRAWING,
  "assets/page.html": `<!doctype html><script>${RUN}</script>${MARKUP}`,
  "assets/styles.css": `@import "${ELSEWHERE}.css"; #app { display: none } body { background: url(${ELSEWHERE}) }`,
  "data/table.csv": `=cmd|' /C calc'!A0,${MARKUP}\n"<script>${RUN}</script>",\u202emoc\n`,
  "data/deep.json": `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
  "data/line.txt": "long ".repeat(2_000_000),
  "references/%E2%80%AEcod.md": "# Turned\n",
  "references/%3Cimg%20src=x%20onerror=alert(1)%3E.md": MARKUP,
};

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const uri = (path) => `skill://harm/${path}`;

function harm() {
  const resources = Object.entries(FILES).map(([path, text]) => ({
    uri: uri(path),
    digest: `sha256:${sha256(text)}`,
    size: Buffer.byteLength(text),
    mimeType: "text/html",
    title: MARKUP,
  }));
  const entry = { uri: uri("SKILL.md"), frontmatter: { name: "harm", description: MARKUP }, resources, [MARKUP]: MARKUP };
  return { entry, texts: new Map(Object.entries(FILES).map(([path, text]) => [uri(path), text])) };
}

/** A skill whose very name and address are markup. */
function misnamed() {
  const address = `skill://${encodeURIComponent(MARKUP)}/SKILL.md`;
  const text = `---\nname: ${JSON.stringify(MARKUP)}\ndescription: x\n---\n`;
  const resources = [{ uri: address, digest: `sha256:${sha256(text)}`, size: text.length }];
  return { entry: { uri: address, frontmatter: { name: MARKUP, description: "x" }, resources }, texts: new Map([[address, text]]) };
}

/** What the page must not have come to hold, wherever it is. */
async function isInert(page) {
  const found = await page.evaluate(() => {
    const active = "script:not([src]), iframe, object, embed, form[action], base, style, animate, [style*=url], meta[http-equiv=refresh]";
    const bad = [...document.querySelectorAll(`#app :is(${active})`)].map((element) => element.outerHTML);
    for (const element of document.querySelectorAll("#app *")) {
      const handlers = element.getAttributeNames().filter((name) => name.startsWith("on"));
      const leads = ["href", "src", "xlink:href", "action", "formaction"].filter((name) =>
        /^\s*(javascript|vbscript|data:text|file|blob:null)/i.test(element.getAttribute(name) ?? ""),
      );
      bad.push(...[...handlers, ...leads].map((name) => `${element.tagName} ${name}`));
    }
    return { bad, ran: globalThis.ran, nodes: document.querySelectorAll("*").length, letters: document.body.textContent.length };
  });
  assert.deepEqual([found.bad, found.ran], [[], undefined]);
  assert.ok(found.nodes < 20_000, `${found.nodes} nodes`);
  assert.ok(found.letters < 1_000_000, `${found.letters} letters`);
}

test("nothing that a server sends runs, leads anywhere by itself, or makes the page heavy", async (t) => {
  const skills = [harm(), misnamed()];
  const discover = ({ result }) =>
    result({
      supportedVersions: ["2026-07-28"],
      capabilities: { extensions: { "io.modelcontextprotocol/skills": {} }, resources: {} },
      serverInfo: { name: MARKUP, title: MARKUP, version: MARKUP },
      instructions: `${MARKUP}\n[x](javascript:alert(1))`,
    });
  const server = await startWireServer({ skills, on: { "server/discover": discover } });
  t.after(server.close);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await says(page.getByRole("main"), MARKUP);
    await isInert(page);
    await takePicture(page, "hostile-server");

    await catalog(page).getByTitle(uri("SKILL.md"), { exact: true }).click();
    await heading(page, "harm").waitFor();
    await read(page, "SKILL.md");
    const text = panel(page).getByRole("article");
    await text.waitFor();
    await isInert(page);
    // Whatever can be pressed in the text is; where it leads is another place of this page, or a marked place of the web.
    const links = await text.getByRole("link").evaluateAll((all) => all.map((link) => link.href.replace(location.href.split("#")[0], "")));
    assert.ok(links.every((link) => /^(#|https?:\/\/tracker\.test\/)/.test(link)), links.join("\n"));
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "hostile-text");
    await panel(page).getByRole("button", { name: "Source" }).click();
    await isInert(page);

    await verifyAll(page);
    await standing(page, `Verified ${Object.keys(FILES).length} of ${Object.keys(FILES).length}`).waitFor();
    await openTab(page, "Files");
    await isInert(page);
    await takePicture(page, "hostile-files");
    for (const path of Object.keys(FILES).slice(1, -2)) {
      await openFile(page, path);
      await isInert(page);
      await takePicture(page, `hostile-${path.split("/").at(-1)}`);
    }
    for (const tab of ["Frontmatter", "Checks", "Raw"]) {
      await openTab(page, tab);
      await isInert(page);
    }
    await page.getByRole("region", { name: "Wire", exact: true }).getByRole("button", { name: "Wire" }).click();
    await page.locator(".wire-line", { hasText: "skills/list" }).first().click();
    await isInert(page);
    await page.getByRole("region", { name: "Wire", exact: true }).getByRole("button", { name: "Wire" }).click();

    await catalog(page).locator("li a").filter({ hasText: "onerror" }).click();
    await heading(page, MARKUP).waitFor();
    await isInert(page);
    await takePicture(page, "hostile-name");
  });
});
