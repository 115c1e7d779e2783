/**
 * Canonical requests and messages in short form.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import * as Messages from "@cahier/domain/model/Message";
import type { Message, NativePart, Part } from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { Route } from "./routes.ts";

/** A request of a route; what is not stated is the least that a request can be. */
export const request = (route: Route, changes: Partial<ModelRequest> = {}): ModelRequest => ({
  sessionId: "run_1:inv_root",
  binding: route.binding,
  messages: [Messages.text("user", "Write a line.")],
  tools: [],
  toolChoice: "auto",
  parameters: {},
  stream: true,
  position: 0,
  agent: { profileId: "default-writer", ordinal: 0, root: true },
  ...changes,
});

/** A tool call as a part. */
export const call = (id: string, name: string, raw: string): Part => ({
  type: "toolCall",
  callId: CallId.make(id),
  name,
  arguments: raw,
});

/** The message that answers a call. */
export const answer = (id: string, name: string, content: string, isError = false): Message => ({
  role: "tool",
  parts: [{ type: "toolResult", callId: CallId.make(id), name, content, isError }],
});

/** An item of a response, by its exact text. */
export const native = ({ binding }: Route, json: string): NativePart => ({
  type: "native",
  format: binding.format,
  source: binding.source,
  model: binding.modelId,
  json,
});

/** An assistant message of these parts. */
export const said = (...parts: ReadonlyArray<Part>): Message => ({ role: "assistant", parts });

/** A red dot of one pixel. */
export const image: Part = {
  type: "media",
  mimeType: "image/png",
  value:
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
};

/** A document of one line. */
export const file: Part = {
  type: "media",
  mimeType: "application/pdf",
  value: "data:application/pdf;base64,JVBERi0xLjQKJUVPRgo=",
};

/** The tool that most scenarios call. */
export const readFile: ToolDefinition = {
  name: "workspace_read_file",
  description: "Reads a file of the workspace.",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      path: { type: "string", description: "Where the file lies.", minLength: 1 },
      startLine: { type: "integer", minimum: 1 },
      title: { type: "string", title: "A property, not a keyword" },
    },
    required: ["path"],
    additionalProperties: false,
  },
};

/** A tool whose schema uses what not every wire takes. */
export const delegate: ToolDefinition = {
  name: "agent_delegate",
  description: "Gives a task to another agent.",
  inputSchema: {
    type: "object",
    properties: {
      task: { $ref: "#/$defs/task" },
      mode: { enum: ["wait", "background"], default: "wait" },
      budget: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }], examples: [3] },
      labels: { type: "array", items: { type: "string" }, maxItems: 4 },
    },
    required: ["task"],
    additionalProperties: false,
    $defs: {
      task: {
        type: "object",
        properties: { title: { type: "string" }, default: { type: "string" }, const: { const: "task" } },
        required: ["title"],
        additionalProperties: false,
      },
    },
  },
};

/** A tool without arguments. */
export const finish: ToolDefinition = {
  name: "workspace_finish",
  description: "Ends the work.",
  inputSchema: { type: "object", properties: {} },
};
