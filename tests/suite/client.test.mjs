// The packed npm package as a host, graded by the official suite: what it must not read ahead of need, and what it must not
// use. The suite takes a host that stops for any reason for a careful one, so the reason is asked for too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { project } from "../package/tarball.mjs";
import { HOST_SCENARIOS, runHost } from "./official.mjs";

const { write } = project();
const install = (file) => write(file, readFileSync(join(import.meta.dirname, file), "utf8"));
const command = (file) => `${process.execPath} ${install(file)}`;

/** Why each scenario's skill must not be loaded. */
const REASONS = {
  "sep-2640-client-verify-digest": "digest",
  "sep-2640-client-verify-size": "size",
  "sep-2640-client-verify-frontmatter": "frontmatter-differs",
};

const statuses = ({ checks }) => checks.map(({ status }) => status);

for (const legacy of [false, true]) {
  describe(legacy ? "revision 2025-11-25" : "revision 2026-07-28", () => {
    for (const scenario of HOST_SCENARIOS) {
      test(scenario, async () => {
        const { checks, printed } = await runHost(command("client.mjs"), scenario, { legacy });
        assert.deepEqual(statuses({ checks }), ["SUCCESS"], JSON.stringify(checks));
        const reason = REASONS[scenario];
        assert.deepEqual(printed.trim(), reason ? JSON.stringify({ code: "refused", reason }) : "");
      });
    }
  });
}

test("the suite fails a host that verifies nothing", async () => {
  for (const scenario of HOST_SCENARIOS) {
    assert.deepEqual(statuses(await runHost(command("careless.mjs"), scenario)), ["FAILURE"], scenario);
  }
});
