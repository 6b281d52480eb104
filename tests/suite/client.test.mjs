// The packed npm package as a host, graded by the official suite: what it must not read ahead of need, and what it must not
// use. The suite takes a host that stops for any reason for a careful one, so the reason is asked for too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { project } from "../package/tarball.mjs";
import { HOST_SCENARIOS, runHost } from "./official.mjs";

const { link, write } = project();
const install = (file) => write(file, readFileSync(join(import.meta.dirname, file), "utf8"));
const command = (file) => `${process.execPath} ${install(file)}`;
link("@modelcontextprotocol");

/** What each host says of the skills that must not be loaded. */
const HOSTS = {
  "client.mjs": { digest: "digest", size: "size", frontmatter: "frontmatter-differs" },
  "drop-in.mjs": { digest: "digest", size: "size", frontmatter: "frontmatter" },
};

const statuses = ({ checks }) => checks.map(({ status }) => status);

for (const [file, reasons] of Object.entries(HOSTS)) {
  for (const legacy of [false, true]) {
    describe(`${file}, ${legacy ? "2025-11-25" : "2026-07-28"}`, () => {
      for (const scenario of HOST_SCENARIOS) {
        test(scenario, async () => {
          const { checks, printed } = await runHost(command(file), scenario, { legacy });
          assert.deepEqual(statuses({ checks }), ["SUCCESS"], JSON.stringify(checks));
          const reason = reasons[scenario.replace("sep-2640-client-verify-", "")];
          assert.equal(printed.trim(), reason ? `refused: ${reason}` : "");
        });
      }
    });
  }
}

test("the suite fails a host that verifies nothing", async () => {
  for (const scenario of HOST_SCENARIOS) {
    assert.deepEqual(statuses(await runHost(command("careless.mjs"), scenario)), ["FAILURE"], scenario);
  }
});
