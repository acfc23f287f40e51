// A server with what the official conformance suite asks for, over Streamable HTTP in both eras:
// revisions with sessions and the one without. It prints the port that it listens on.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { fixtures } from "./conformance_fixtures.mjs";

const MAX_SESSIONS = 256;
// Long enough to tell an agent's reconnection from a retry, short enough for a test.
const RETRY_MS = 200;

/** Events of one session, for agents that come back for what they missed. */
class Events {
  #events = [];

  async storeEvent(stream, message) {
    const id = `${stream}/${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return id;
  }

  async getStreamIdForEventId(id) {
    return this.#events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(last, { send }) {
    const at = this.#events.findIndex((event) => event.id === last);
    const stream = this.#events[at]?.stream ?? "";
    for (const { id, stream: of, message } of this.#events.slice(at + 1)) {
      // What only opens a stream carries no message.
      if (of === stream && message.jsonrpc) await send(id, message);
    }
    return stream;
  }
}

const modern = createMcpHandler(() => fixtures(() => modern), { legacy: "reject" });
const sessions = new Map();

async function open() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new Events(),
    retryInterval: RETRY_MS,
    onsessioninitialized: (id) => {
      if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value);
      sessions.set(id, transport);
    },
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await fixtures().connect(transport);
  return transport;
}

function refuse(response, status, message) {
  const error = { code: -32000, message };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
}

async function body(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    return undefined;
  }
}

const hasOwnHost = localhostHostValidation();
const hasOwnOrigin = localhostOriginValidation();
const serveModern = toNodeHandler(modern);

async function serve(request, response) {
  if (!hasOwnHost(request, response) || !hasOwnOrigin(request, response)) return;
  const parsed = request.method === "POST" ? await body(request) : undefined;
  const isLegacy =
    request.method !== "POST" || (await isLegacyRequest(await toWebRequest(request, parsed), parsed));
  if (!isLegacy) return serveModern(request, response, parsed);
  const id = request.headers["mcp-session-id"];
  const known = sessions.get(id);
  if (id !== undefined && !known) return refuse(response, 404, "Session not found");
  const transport = known ?? (await open());
  await transport.handleRequest(request, response, parsed);
}

createServer((request, response) => {
  serve(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) refuse(response, 500, "the fixture broke");
  });
}).listen(0, "localhost", function () {
  console.log(this.address().port);
});
