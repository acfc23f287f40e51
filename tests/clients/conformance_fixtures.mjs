// The tools, prompts and resources that the official conformance suite looks for by name.
import { setTimeout as pause } from "node:timers/promises";
import {
  acceptedContent,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { DOT, HUSH, SCHEMA_2020_12 } from "./conformance_data.mjs";

/** Seals what a client carries from one round of a call to the next. */
const states = createRequestStateCodec({ key: "k".repeat(32) });

const text = (words) => ({ type: "text", text: words });
const said = (words) => ({ content: [text(words)] });
const image = { type: "image", data: DOT, mimeType: "image/png" };
const user = (content) => ({ role: "user", content });

const strings = (...names) =>
  fromJsonSchema({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    required: names,
  });

/** A form with one field. */
const ask = (message, field, type = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] },
  });

const sample = (words, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [user(text(words))], maxTokens });

const capabilities = (context) =>
  context.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};

/** A server with everything; `modern` gives the handler of the newest revision, if that is served. */
export function fixtures(modern) {
  const server = new McpServer(
    { name: "checkrein-conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        ...(modern ? {} : { logging: {} }),
      },
      requestState: { verify: states.verify },
    },
  );
  const tool = (name, run, inputSchema = strings()) =>
    server.registerTool(name, { description: `Fixture ${name}`, inputSchema }, run);
  plainTools(tool);
  if (modern) modernTools(tool, modern);
  else legacyTools(tool);
  askingTools(tool);
  prompts(server);
  resources(server);
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  if (!modern) {
    server.server.setRequestHandler("resources/subscribe", () => ({}));
    server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  }
  return server;
}

function plainTools(tool) {
  const embedded = (uri, mimeType, words) => ({
    type: "resource",
    resource: { uri, mimeType, text: words },
  });
  tool("test_simple_text", () => said("A plain answer."));
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({
    content: [{ type: "audio", data: HUSH, mimeType: "audio/wav" }],
  }));
  tool("test_embedded_resource", () => ({
    content: [embedded("test://embedded-resource", "text/plain", "What is inside.")],
  }));
  tool("test_multiple_content_types", () => ({
    content: [
      text("Three kinds:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"n":1}'),
    ],
  }));
  tool("test_error_handling", () => ({ ...said("This always fails."), isError: true }));
  tool("test_tool_with_progress", async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      await pause(20);
    }
    return said("Done.");
  });
  tool("json_schema_2020_12_tool", () => said("Valid."), fromJsonSchema(SCHEMA_2020_12));
}

/**
 * Tools that ask the client while they run, or write to its log. They ask on the call's own stream:
 * the SDK's short forms ask on the server's, which a client that calls at once may not have yet.
 */
function legacyTools(tool) {
  const elicit = (name, requestedSchema, input) =>
    tool(
      name,
      async ({ message = "Please fill this in" }, { mcpReq }) => {
        const params = { mode: "form", message, requestedSchema };
        const answer = await mcpReq.send({ method: "elicitation/create", params });
        return said(JSON.stringify(answer));
      },
      input,
    );
  tool("test_tool_with_logging", async (_, { mcpReq }) => {
    for (const words of ["begun", "at work", "done"]) {
      await mcpReq.notify({
        method: "notifications/message",
        params: { level: "info", data: words },
      });
      await pause(20);
    }
    return said("Logged.");
  });
  tool(
    "test_sampling",
    async ({ prompt }, { mcpReq }) => {
      const params = { messages: [user(text(prompt))], maxTokens: 100 };
      const answer = await mcpReq.send({ method: "sampling/createMessage", params });
      return said(`The model says: ${answer.content.text}`);
    },
    strings("prompt"),
  );
  const two = { username: { type: "string" }, email: { type: "string" } };
  elicit(
    "test_elicitation",
    { type: "object", properties: two, required: Object.keys(two) },
    strings("message"),
  );
  elicit("test_elicitation_sep1034_defaults", {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  });
  const options = ["option1", "option2", "option3"];
  const titled = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Value ${n}` }));
  elicit("test_elicitation_sep1330_enums", {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option 1", "Option 2", "Option 3"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    },
  });
  tool("test_reconnection", async (_, { http }) => {
    http?.closeSSE?.();
    await pause(100);
    return said("Still here.");
  });
}

/** Tools of the revision without sessions. */
function modernTools(tool, handler) {
  tool("test_missing_capability", (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "line");
    if (answer.kind === "sampling") return said("Sampling is there.");
    // A client that did not declare sampling is told that it has to.
    return inputRequired({ inputRequests: { line: sample("Say something") } });
  });
  tool("test_streaming_elicitation", async (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "word");
    if (answer) return said(`The word is ${answer.word}.`);
    return inputRequired({ inputRequests: { word: ask("Which word?", "word") } });
  });
  tool("test_logging_tool", async (_, { mcpReq }) => {
    await mcpReq.log("info", "at work");
    return said("Logged, if that was wanted.");
  });
  tool("test_trigger_tool_change", () => {
    handler().notify.toolsChanged();
    return said("The tools changed.");
  });
  tool("test_trigger_prompt_change", () => {
    handler().notify.promptsChanged();
    return said("The prompts changed.");
  });
  tool(
    "test_header_parameter",
    ({ region }) => said(`The region is ${region}.`),
    fromJsonSchema({
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    }),
  );
}

/** Tools that need an answer of the client's before they are done. */
function askingTools(tool) {
  const asking = (name, run) => tool(`test_input_required_result_${name}`, run);
  const wait = (inputRequests, requestState) => inputRequired({ inputRequests, requestState });
  asking("elicitation", (_, { mcpReq }) => {
    const name = acceptedContent(mcpReq.inputResponses, "user_name")?.name;
    if (typeof name === "string") return said(`Hello, ${name}!`);
    return wait({ user_name: ask("What is your name?", "name") });
  });
  asking("sampling", (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return said(JSON.stringify(answer.result.content));
    return wait({ capital_question: sample("What is the capital of France?") });
  });
  asking("list_roots", (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return said(answer.roots.map((root) => root.uri).join(", "));
    return wait({ client_roots: inputRequired.listRoots() });
  });
  for (const name of ["request_state", "tampered_state"]) {
    asking(name, async (_, context) => {
      const isAnswered = acceptedContent(context.mcpReq.inputResponses, "confirm");
      if (isAnswered && context.mcpReq.requestState()?.of === name) return said("state-ok");
      return wait({ confirm: ask("Sure?", "ok", "boolean") }, await states.mint({ of: name }, context));
    });
  }
  asking("multiple_inputs", async (_, context) => {
    const answers = context.mcpReq.inputResponses;
    const kinds = ["user_name", "greeting", "client_roots"].map(
      (key) => inputResponse(answers, key).kind,
    );
    if (!kinds.includes("missing")) return said("All three came.");
    const all = {
      user_name: ask("What is your name?", "name"),
      greeting: sample("Say hello", 50),
      client_roots: inputRequired.listRoots(),
    };
    return wait(all, await states.mint({ of: "three" }, context));
  });
  asking("multi_round", async (_, context) => {
    const { inputResponses, requestState } = context.mcpReq;
    const earlier = requestState();
    const name = acceptedContent(inputResponses, "step1")?.name ?? earlier?.name;
    if (!name) {
      const state = await states.mint({ round: 1 }, context);
      return wait({ step1: ask("Step 1: your name?", "name") }, state);
    }
    const color = acceptedContent(inputResponses, "step2")?.color;
    if (color) return said(`${name} likes ${color}.`);
    const state = await states.mint({ round: 2, name }, context);
    return wait({ step2: ask("Step 2: your favourite colour?", "color") }, state);
  });
  asking("capabilities", (_, context) => {
    const { elicitation, sampling } = capabilities(context);
    const requests = {};
    if (elicitation) requests.name = ask("What is your name?", "name");
    if (sampling) requests.line = sample("Say something");
    if (Object.keys(requests).length === 0) return said("Nobody can be asked.");
    return wait(requests);
  });
}

function prompts(server) {
  const prompt = (name, run, argsSchema) =>
    server.registerPrompt(name, { description: `Fixture ${name}`, argsSchema }, run);
  const plain = (...contents) => ({ messages: contents.map(user) });
  prompt("test_simple_prompt", () => plain(text("A plain prompt.")));
  prompt(
    "test_prompt_with_arguments",
    ({ arg1, arg2 }) => plain(text(`First ${arg1}, then ${arg2}.`)),
    strings("arg1", "arg2"),
  );
  prompt(
    "test_prompt_with_embedded_resource",
    ({ resourceUri }) => {
      const resource = { uri: resourceUri, mimeType: "text/plain", text: "What is inside." };
      return plain({ type: "resource", resource }, text("Read the above."));
    },
    strings("resourceUri"),
  );
  prompt("test_prompt_with_image", () => plain(image, text("Look at the above.")));
  prompt("test_input_required_result_prompt", (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "user_context");
    if (answer) return plain(text(`In the context of ${answer.context}.`));
    return inputRequired({ inputRequests: { user_context: ask("Which context?", "context") } });
  });
}

function resources(server) {
  const resource = (name, uri, mimeType, contents) =>
    server.registerResource(name, uri, { description: `Fixture ${name}`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...contents }],
    }));
  resource("static-text", "test://static-text", "text/plain", { text: "Always the same." });
  resource("static-binary", "test://static-binary", "image/png", { blob: DOT });
  resource("watched", "test://watched-resource", "text/plain", { text: "Watched." });
  const mimeType = "application/json";
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Fixture template", mimeType },
    ({ href }, { id }) => {
      if (!id) throw new ResourceNotFoundError(href);
      return { contents: [{ uri: href, mimeType, text: JSON.stringify({ id }) }] };
    },
  );
}
