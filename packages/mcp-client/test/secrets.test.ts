import type { ServerResponse } from "node:http";
import { assert, describe, it } from "@effect/vitest";
import type { McpHost } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Gateway from "./support/Gateway.ts";
import * as Raw from "./support/Raw.ts";

const key = "sk-cahier-test-0123456789";
const base64 = Buffer.from(key).toString("base64");
const said = `you are Bearer ${key}, or ${base64}`;

/** A server that repeats the secret wherever the protocol lets it say something. */
const parrot = () => {
  const calls: Array<{ readonly id: number; readonly response: ServerResponse }> = [];
  const event = (response: ServerResponse, message: object) =>
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const results: Readonly<Record<string, unknown>> = {
    "tools/list": {
      tools: [
        {
          name: `tool-${key}`,
          title: said,
          description: said,
          inputSchema: { type: "object", title: said, properties: { [key]: { type: "string", enum: [said] } } },
          outputSchema: { type: "object", description: said },
        },
        { name: "remote", inputSchema: { type: "object", $ref: `https://example.com/${key}` } },
        { name: `bad-${key}`, inputSchema: { type: "object", properties: { [key]: { type: said } } } },
        { name: `twice-${key}`, inputSchema: { type: "object" } },
        { name: `twice-${key}`, inputSchema: { type: "object" } },
      ],
    },
    "resources/list": { resources: [{ uri: `a:${key}`, name: said, description: said }] },
    "resources/templates/list": { resourceTemplates: [{ uriTemplate: `a:{x}/${key}`, name: said }] },
    "prompts/list": { prompts: [{ name: said, arguments: [{ name: key, description: said }] }] },
    "resources/read": { contents: [{ uri: `a:${key}`, text: said, _meta: { [key]: said } }] },
    "prompts/get": { description: said, messages: [{ role: "user", content: { type: "text", text: said } }] },
  };
  const initialized = (params: Raw.Asked["params"]) => ({
    protocolVersion: params["protocolVersion"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: key, version: said },
    instructions: said,
  });
  return Raw.serve(({ id, method, params }, response) => {
    if (method === "initialize") Raw.result(response, id, initialized(params));
    else if (method === "tools/call") {
      calls.push({ id, response });
      const { progressToken } = params["_meta"] as { progressToken: unknown };
      Raw.events(response, "");
      event(response, {
        method: "notifications/progress",
        params: { progressToken, progress: 1, message: said },
      });
      const requestedSchema = { type: "object", properties: { [key]: { type: "string", description: said } } };
      event(response, { id: "ask", method: "elicitation/create", params: { message: said, requestedSchema } });
    } else if (method === undefined) {
      response.writeHead(202).end();
      const [call] = calls;
      if (call === undefined) return true;
      const isAsked = (id as unknown) === "ask";
      const content = { type: "text", text: said };
      const request = {
        messages: [{ role: "user", content }],
        systemPrompt: said,
        maxTokens: 1,
        metadata: { [key]: key },
      };
      if (isAsked) event(call.response, { id: "sample", method: "sampling/createMessage", params: request });
      else {
        event(call.response, { id: call.id, result: { content: [content], structuredContent: { [key]: said } } });
        call.response.end();
      }
    } else if (method in results) Raw.result(response, id, results[method]);
    else return false;
    return true;
  });
};

describe("secrets", () => {
  it.live("are repeated by nothing that a server gives to the host, whatever it lists, asks or says", () =>
    Effect.gen(function* () {
      const { url } = yield* parrot();
      const gateway = yield* Gateway.make({ secrets: { TOKEN: `Bearer ${key}` } });
      const server = Gateway.http(url, {
        protocolVersion: "2025-11-25",
        allowsSampling: true,
        headers: { authorization: { secret: { key: "TOKEN" } } },
      });
      const seen: Record<string, unknown> = {};
      const host: McpHost = {
        ask: (question) => {
          seen["question"] = question;
          return Effect.succeed({ action: "decline" });
        },
        sample: (_, request) => {
          seen["sampling"] = request;
          return Effect.succeed({ role: "assistant", content: { type: "text", text: "yes" }, model: "none" });
        },
      };
      seen["catalogue"] = yield* gateway.discover(server, host);
      const onProgress = (progress: unknown) => void (seen["progress"] = progress);
      const call = { tool: "echo", arguments: {}, timeoutMs: 10_000, onProgress };
      seen["outcome"] = yield* gateway.call(server, call, host);
      seen["resources"] = yield* gateway.list(server, "resources");
      seen["templates"] = yield* gateway.list(server, "resourceTemplates");
      seen["prompts"] = yield* gateway.list(server, "prompts");
      seen["resource"] = yield* gateway.readResource(server, "a:b");
      seen["prompt"] = yield* gateway.getPrompt(server, "greet", {});
      assert.lengthOf(Object.keys(seen), 10);
      for (const [what, value] of Object.entries(seen)) {
        const text = JSON.stringify(value);
        assert.notInclude(text, key, what);
        assert.notInclude(text, base64, what);
        assert.include(text, "[redacted]", what);
      }
    }),
  );
});
