// The second TypeScript SDK, in the era that the first argument names: `legacy` or `auto`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { server, talk } from "./talk.mjs";

const client = new Client(
  { name: "checkrein-sdk-v2", version: "1.0.0" },
  { capabilities: {}, versionNegotiation: { mode: process.argv[2] } },
);

await talk(client, new StdioClientTransport(server), (call) => client.callTool(call), []);
