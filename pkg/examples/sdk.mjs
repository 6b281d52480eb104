// A host over a client of the official SDK, which may do other things with the server as well.
//
//   node sdk.mjs https://mcp.example.com/mcp refunds

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillHost, clientTransport } from "skillglass/host";

const [url, wanted] = process.argv.slice(2);
const client = new Client({ name: "example", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

const host = new SkillHost({ approve: () => true });
await host.addServer("acme", clientTransport(client));
const { skills } = await host.list("acme");
const { content } = await host.load(skills.find(({ name }) => name === wanted));
console.log(content.forModel());
await client.close();
