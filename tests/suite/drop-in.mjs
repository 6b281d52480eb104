// As client.mjs, over the official SDK's client and the package's stand-in for its `SkillsClient`.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient, SkillVerificationError } from "skillglass/host";

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
const mode = revision >= "2026-07-28" ? { pin: revision } : "legacy";
const client = new Client({ name: "drop-in", version: "1" }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv.at(-1))));
const skills = new SkillsClient(client);
const [skill] = (await skills.list()).skills;

if (scenario !== "sep-2640-client-no-prefetch") {
  try {
    await skills.read(skill);
    await skills.read(skill, "references/FORMS.md");
  } catch (error) {
    console.log(`${error instanceof SkillVerificationError ? "refused" : error.message}: ${error.reason}`);
  }
}
await client.close();
