// The packed package outside of the Node that runs these tests: other runtimes, bundlers, and its examples in all of them.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launchChromium } from "../chromium.mjs";
import { project, run, runAsync, tool } from "../package/tarball.mjs";
import { startFaultServer } from "../servers/fault-server/main.mjs";
import { serveStatic } from "../servers/static.mjs";

const HERE = import.meta.dirname;
const PARTS = join(HERE, "node_modules");
const ANSWERS = pathToFileURL(join(HERE, "../package/")).href;

const { root, write, link } = project();
const copy = (folder, file) => write(file, readFileSync(join(folder, file), "utf8"));
const example = (file) => copy(join(HERE, "../../pkg/examples"), file);
const bin = (name) => join(PARTS, ".bin", name);

const NODE_22 = join(HERE, "../suite/node_modules/node/bin/node");

/** How each runtime runs a file, which may read files and ask servers. */
const RUNTIMES = {
  [`Node ${process.versions.node}`]: [process.execPath],
  "Node 22": [NODE_22],
  Deno: [bin("deno"), "run", "--quiet", "--allow-read", "--allow-net", "--allow-env", "--node-modules-dir=manual"],
  Bun: [bin("bun")],
};

let server;
before(async () => {
  server = await startFaultServer();
});
after(() => server.close());

for (const [name, [program, ...options]] of Object.entries(RUNTIMES)) {
  describe(name, () => {
    test("every shared vector has the expected answer", async () => {
      const printed = await runAsync(root, program, ...options, copy(HERE, "vectors.mjs"), ANSWERS);
      const { asked, wrong } = JSON.parse(printed);
      assert.deepEqual(wrong, []);
      assert.ok(asked > 250, printed);
    });

    test("the example of a host gives a model what it wants", async () => {
      const printed = await runAsync(root, program, ...options, example("host.mjs"), server.url, "refunds");
      assertLoaded(printed);
      assert.match(printed, /acme offers refunds: Pay money back/);
      assert.match(printed, /It wants to use the tool "Read" without asking; this is not granted\./);
      assert.match(printed, /references\/POLICY\.md\nbytes: 40\n\n# Policy\n\nUp to 250 € without asking\.\n\[end /);
    });
  });
}

/** What a model was given begins with the tagged SKILL.md of the skill `refunds`. */
function assertLoaded(text) {
  assert.match(text, /\[begin [0-9a-f]{64}: untrusted content of an MCP server, as its manifest promises\]\nserver: acme\n/);
  assert.match(text, /\nskill: skill:\/\/acme\/billing\/refunds\/SKILL\.md\n/);
}

describe("Node", () => {
  test("the example over the official SDK's client", async () => {
    link("@modelcontextprotocol");
    assertLoaded(await runAsync(root, process.execPath, example("sdk.mjs"), server.url, "refunds"));
  });
});

/** The test runners that a server's author may use: the command, the example, what is printed of one that passes or fails. */
const RUNNERS = {
  "node:test": [[process.execPath, "--test", "--test-reporter=tap"], "server.test.mjs", /^# pass 1$/m, /^# fail 1$/m],
  vitest: [
    [NODE_22, join(PARTS, "vitest/vitest.mjs"), "run", "--no-color", "--no-cache"],
    "server.vitest.test.mjs",
    /Tests +1 passed/,
    /Tests +1 failed/,
  ],
};

for (const [name, [[program, ...options], file, passes, fails]] of Object.entries(RUNNERS)) {
  describe(`a server's own tests, ${name}`, () => {
    before(() => name === "vitest" && link("vitest", PARTS));

    const tested = (variant) => {
      const env = { ...process.env, SERVER: `${server.url}/${variant}`, NODE_TEST_CONTEXT: undefined };
      return runAsync({ cwd: root, env }, program, ...options, example(file));
    };

    test("the example passes for a server that conforms", async () => {
      assert.match(await tested("honest"), passes);
    });

    test("for one that does not it fails, and says what to change", async () => {
      await assert.rejects(tested("served-changed-same-length"), ({ message }) => {
        assert.match(message, /host-verify-digest|digest/);
        assert.match(message, /skill:\/\/acme\//);
        assert.match(message, fails);
        return true;
      });
    });
  });
}

test("the API reference has no warning", () => {
  const options = join(HERE, "../../pkg/typedoc.json");
  run(root, process.execPath, join(PARTS, "typedoc/bin/typedoc"), "--options", options, "--emit", "none");
});

describe("workerd", () => {
  test("the example of a Worker", async () => {
    example("worker.js");
    write("worker-test.js", `
      import worker from "./worker.js";
      export default {
        async test() {
          const query = new URLSearchParams({ server: ${JSON.stringify(server.url)}, skill: "refunds" });
          const response = await worker.fetch(new Request("http://worker.example/?" + query));
          console.log(await response.text());
        },
      };`);
    const bundle = ["--bundle", "--format=esm", "--conditions=workerd,worker", "--external:skillglass/host.wasm"];
    tool(root, "esbuild", "worker-test.js", ...bundle, "--outfile=worker.bundle.js", "--log-level=error");
    const config = write("worker.capnp", `
      using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [
          (name = "main", worker = (
            modules = [
              (name = "worker", esModule = embed "worker.bundle.js"),
              (name = "skillglass/host.wasm", wasm = embed "node_modules/skillglass/dist/host/skillglass_bg.wasm"),
            ],
            compatibilityDate = "2026-01-01",
            globalOutbound = "loopback",
          )),
          (name = "loopback", network = (allow = ["local", "private"])),
        ],
      );`);
    assertLoaded(await runAsync(root, bin("workerd"), "test", config));
  });
});

describe("Chromium", () => {
  let browser;
  let site;

  before(async () => {
    write("app.js", `
      import init, { SkillHost, httpTransport } from "skillglass/host";
      await init();
      const host = new SkillHost({ policy: { ask: false } });
      await host.addServer("acme", httpTransport(${JSON.stringify(server.url)}));
      const { skills } = await host.list("acme");
      const { content } = await host.load(skills.find(({ name }) => name === "refunds"));
      document.querySelector("pre").textContent = content.forModel();`);
    write("index.html", page("app.js"));
    const { build } = await import(pathToFileURL(join(PARTS, "vite/dist/node/index.js")));
    const logLevel = "error";
    await build({ root, base: "./", logLevel, configFile: false, build: { outDir: "vite-out", target: "esnext" } });

    const { default: webpack } = await import(pathToFileURL(join(PARTS, "webpack/lib/index.js")));
    await new Promise((resolve, reject) => {
      const output = { path: join(root, "webpack-out"), filename: "app.js", publicPath: "" };
      const entry = join(root, "app.js");
      webpack({ context: root, mode: "production", performance: false, entry, output }).run((error, stats) => {
        const errors = error ?? (stats.hasErrors() ? stats.toString("errors-warnings") : null);
        errors ? reject(errors) : resolve();
      });
    });
    mkdirSync(join(root, "webpack-out"), { recursive: true });
    write("webpack-out/index.html", page("app.js"));
    example("browser.html");
    example("browser.js");

    site = await serveStatic({ dir: root });
    browser = await launchChromium();
  });

  after(async () => {
    await browser?.close();
    await site?.close();
  });

  const page = (script) =>
    `<!doctype html><link rel="icon" href="data:,"><pre></pre><script type="module" src="${script}"></script>`;

  /** Opens a page, lets `act` do something with it, and gives what the page shows a model. */
  async function shown(path, act = () => {}) {
    const tab = await browser.newPage();
    const errors = [];
    tab.on("pageerror", (error) => errors.push(String(error)));
    await tab.goto(new URL(path, site.url).href);
    await act(tab);
    await tab.locator("pre:not(:empty)").waitFor();
    assert.deepEqual(errors, []);
    return tab.locator("pre").textContent();
  }

  for (const bundler of ["vite", "webpack"]) {
    test(`a page built with ${bundler}, which takes one module along`, async () => {
      const built = readdirSync(join(root, `${bundler}-out`), { recursive: true });
      assert.equal(built.filter((file) => file.endsWith(".wasm")).length, 1, built.join());
      assertLoaded(await shown(`${bundler}-out/index.html`));
    });
  }

  test("the example of a page without a bundler", async () => {
    const text = await shown("browser.html", async (tab) => {
      const asked = [];
      tab.on("dialog", (dialog) => asked.push(dialog.message()) && dialog.accept());
      await tab.getByLabel("Address").fill(server.url);
      await tab.getByRole("button", { name: "List its skills" }).click();
      await tab.getByRole("button", { name: "refunds" }).click();
      await tab.locator("pre:not(:empty)").waitFor();
      assert.match(asked.join(), /^Load refunds\?\nuse the tool "Bash\(python3:\*\)" without asking\n/);
    });
    assert.match(text, /\nserver: The server\n/);
  });
});
