// The first TypeScript SDK, as a client that can ask its user and whose user always agrees.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { server, talk } from "./talk.mjs";

const client = new Client(
  { name: "checkrein-sdk-v1", version: "1.0.0" },
  { capabilities: { elicitation: {} } },
);

const asked = [];
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  const fields = Object.entries(request.params.requestedSchema?.properties ?? {});
  const agreed = fields.filter(([, field]) => field.type === "boolean").map(([name]) => [name, true]);
  return { action: "accept", content: Object.fromEntries(agreed) };
});

await talk(client, new StdioClientTransport(server), (call) => client.callTool(call), asked);
