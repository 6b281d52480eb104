// A host that the official suite grades: it lists, and, where there is something to verify, loads a skill and reads on.
// The suite gives the address of the server that it plays as the last argument, and the revision to speak in the
// environment. Why nothing was loaded goes to standard output.

import { SkillHost, httpTransport } from "skillglass/host";

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
const host = new SkillHost({ policy: { ask: false } });
const era = revision >= "2026-07-28" ? "modern" : "legacy";
await host.addServer("suite", httpTransport(process.argv.at(-1), { era }));
const { skills } = await host.list("suite");

if (scenario !== "sep-2640-client-no-prefetch") {
  try {
    await host.load(skills[0]);
    await host.read(skills[0], "references/FORMS.md");
  } catch ({ code, verdict }) {
    console.log(`${code}: ${verdict?.reason.kind}`);
  }
}
await host.close();
