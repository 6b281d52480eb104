// A host that verifies nothing and reads on, to see that the official suite does notice.

const { MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
const ask = async (method, params) => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "careless", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(process.argv.at(-1), {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      "Mcp-Method": method,
      ...(params.uri && { "Mcp-Name": params.uri }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  return (await response.json()).result;
};

const { skills } = await ask("skills/list", {});
for (const { uri } of skills[0].resources) {
  await ask("resources/read", { uri });
}
