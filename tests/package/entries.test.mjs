// Every way into the package gives the same answers: Node by import and by require, bundles, browsers, workers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { launchChromium } from "../chromium.mjs";
import { serveStatic } from "../servers/static.mjs";
import { project, run, tool } from "./tarball.mjs";

const { root, write } = project();

/** A small use of the package that touches text, bytes, errors and classes. */
const USE = `
export function use(skillglass) {
  const file = new TextEncoder().encode("---\\nname: tidy\\ndescription: Tidies up.\\n---\\n");
  const uri = "skill://tidy/SKILL.md";
  const line = { uri, digest: skillglass.sha256(file), size: file.length };
  const frontmatter = { name: "tidy", description: "Tidies up." };
  const entryJson = JSON.stringify({ uri, frontmatter, resources: [line] });
  const held = new skillglass.Entry(entryJson);
  const code = (wrong) => { try { wrong(); } catch (error) { return error.code; } };
  return JSON.stringify({
    name: skillglass.parseSkillUri(uri).name,
    whole: held.verifySkill({ [uri]: file }).summary,
    damaged: skillglass.verifyFile(entryJson, uri, file.map((byte) => byte ^ 1)).reason.kind,
    code: code(() => skillglass.verifyFile("{}", uri, file)),
  });
}
`;

const EXPECTED = { name: "tidy", whole: "verified", damaged: "digest", code: "entry-not-loadable" };

const agrees = (printed) => assert.deepEqual(JSON.parse(printed), EXPECTED);

write("use.js", USE);
write("use.cjs", USE.replace("export function use", "exports.use = function use"));
const bundle = (entry, out, ...options) =>
  tool(root, "esbuild", entry, "--bundle", `--outfile=${out}`, "--log-level=error", ...options);

describe("Node", () => {
  for (const specifier of ["skillglass", "skillglass/inline", "skillglass/protocol"]) {
    test(`import ${specifier}`, () => {
      const file = write("import.js", `
        import * as skillglass from "${specifier}";
        import { use } from "./use.js";
        console.log(use(skillglass));`);
      agrees(run(root, process.execPath, file));
    });

    test(`require ${specifier}`, () => {
      const file = write("require.cjs", `console.log(require("./use.cjs").use(require("${specifier}")));`);
      agrees(run(root, process.execPath, "--no-warnings", file));
    });

    test(`a source text that awaits init runs with ${specifier}`, () => {
      const file = write("init.js", `
        import init, * as skillglass from "${specifier}";
        import { use } from "./use.js";
        await init();
        skillglass.initSync();
        console.log(use(skillglass));`);
      agrees(run(root, process.execPath, file));
    });
  }

  for (const format of ["esm", "cjs"]) {
    test(`a bundle in the format ${format}`, () => {
      const entry = write("bundled.js", `
        import * as skillglass from "skillglass/inline";
        import { use } from "./use.js";
        console.log(use(skillglass));`);
      const out = `bundle-${format}.${format === "esm" ? "mjs" : "cjs"}`;
      bundle(entry, out, "--platform=node", `--format=${format}`);
      agrees(run(root, process.execPath, join(root, out)));
    });
  }

  test("a bundle leaves out what it does not use", () => {
    const entry = write("unused.js", 'import { sha256 } from "skillglass"; console.log(typeof URL);');
    bundle(entry, "unused.out.js", "--format=esm", "--platform=browser");
    assert.ok(!readFileSync(join(root, "unused.out.js"), "utf8").includes("WebAssembly"));
  });

  test("the raw module is a file of the package", () => {
    const file = write("raw.js", `
      import { readFileSync } from "node:fs";
      const module = readFileSync(new URL(import.meta.resolve("skillglass/core.wasm")));
      console.log(WebAssembly.validate(module));`);
    assert.equal(run(root, process.execPath, file), "true\n");
  });
});

describe("Chromium", () => {
  let browser;
  let site;

  before(async () => {
    const page = (name, script) =>
      write(name, `<!doctype html><link rel="icon" href="data:,"><title>…</title><script type="module" src="${script}"></script>`);
    const show = 'show = (text) => { document.title = text; document.body.append("done"); }';

    write("plain.js", `
      import init, * as skillglass from "./node_modules/skillglass/dist/web.js";
      import { use } from "./use.js";
      const ${show};
      const failed = await init("nothing-here.wasm").then(() => false, () => true);
      await Promise.all([init(), init()]);
      show(failed ? use(skillglass) : "a module that is not there was loaded");`);
    page("plain.html", "plain.js");

    write("worker.js", `
      import * as skillglass from "./node_modules/skillglass/dist/web.js";
      import { use } from "./use.js";
      onmessage = ({ data }) => { skillglass.initSync(data); postMessage(use(skillglass)); };`);
    write("in-worker.js", `
      const ${show};
      const worker = new Worker("worker.js", { type: "module" });
      worker.onmessage = ({ data }) => show(data);
      worker.postMessage(await WebAssembly.compileStreaming(fetch("node_modules/skillglass/dist/skillglass_bg.wasm")));`);
    page("in-worker.html", "in-worker.js");

    const bundled = write("bundled-web.js", `
      import init, * as skillglass from "skillglass";
      import wasm from "skillglass/core.wasm";
      import { use } from "./use.js";
      const ${show};
      await init(wasm);
      show(use(skillglass));`);
    bundle(bundled, "out/bundle.js", "--format=esm", "--loader:.wasm=file", "--public-path=out");
    page("bundled.html", "out/bundle.js");

    const protocol = write("protocol-web.js", `
      import init, * as skillglass from "skillglass/protocol";
      import wasm from "skillglass/protocol.wasm";
      import { use } from "./use.js";
      const ${show};
      await init(wasm);
      const { kind } = skillglass.readSkillPage('{"skills":[]}');
      show(kind === "ok" ? use(skillglass) : kind);`);
    bundle(protocol, "out/protocol.js", "--format=esm", "--loader:.wasm=file", "--public-path=out");
    page("protocol.html", "out/protocol.js");

    const inlined = write("inlined-web.js", `
      import * as skillglass from "skillglass/inline";
      import { use } from "./use.js";
      const ${show};
      show(use(skillglass));`);
    bundle(inlined, "out/inline.js", "--format=iife");
    page("inlined.html", "out/inline.js");

    site = await serveStatic({ dir: root });
    browser = await launchChromium();
  });

  after(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const [what, page] of [
    ["the package's own files, without a bundler", "plain.html"],
    ["a module worker that is handed a compiled module", "in-worker.html"],
    ["a bundle that fetches the raw module", "bundled.html"],
    ["a bundle that holds the module", "inlined.html"],
    ["a bundle of skillglass/protocol", "protocol.html"],
  ]) {
    test(what, async () => {
      const tab = await browser.newPage();
      const errors = [];
      tab.on("pageerror", (error) => errors.push(String(error)));
      await tab.goto(new URL(page, site.url).href);
      await tab.getByText("done").waitFor();
      agrees(await tab.title());
      assert.deepEqual(errors, []);
    });
  }
});
