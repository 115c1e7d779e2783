/**
 * Made by `npm run corpus`: the bodies that the gateway makes for openai-responses, judged by the vendor's own type.
 */
import type { ResponseCreateParams } from "openai/resources/responses/responses";

export const bodies = {
  text: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  whole: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: false,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  system: {
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Write." }] },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  developer: {
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Write." }] },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  names: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Ada: Hello." }] },
      { type: "message", role: "assistant", content: "Hi." },
      { type: "message", role: "user", content: [{ type: "input_text", text: "More." }] },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  resource: {
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "See " },
          { type: "input_text", text: "workspace:a.md" },
        ],
      },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  image: {
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "What is it?" },
          {
            type: "input_image",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
            detail: "auto",
          },
        ],
      },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  file: {
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_file", filename: "file.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQKJUVPRgo=" },
          { type: "input_text", text: "Read it." },
        ],
      },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  awkward: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: 'Grüße 🙂 \\ "   \u0007' }] },
      { type: "message", role: "assistant", content: "\n" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "And?" }] },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  reasoned: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Think." }] },
      { type: "message", role: "assistant", content: "So." },
      { type: "message", role: "user", content: [{ type: "input_text", text: "And?" }] },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  tools: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
      {
        type: "function",
        name: "agent_delegate",
        description: "Gives a task to another agent.",
        parameters: {
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
        strict: false,
      },
      {
        type: "function",
        name: "workspace_finish",
        description: "Ends the work.",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
    ],
  },
  choiceNone: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "none",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  choiceRequired: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "required",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  choiceSpecific: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: { type: "function", name: "workspace_read_file" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
      {
        type: "function",
        name: "workspace_finish",
        description: "Ends the work.",
        parameters: { type: "object", properties: {} },
        strict: false,
      },
    ],
  },
  round: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read both." }] },
      { type: "message", role: "assistant", content: "I read." },
      {
        type: "function_call",
        call_id: "call_1",
        name: "workspace_read_file",
        arguments: '{"path":"a.md","startLine":1}',
      },
      { type: "function_call", call_id: "call_2", name: "workspace_read_file", arguments: '{"path":"b.md"}' },
      { type: "function_call_output", call_id: "call_1", output: "alpha" },
      { type: "function_call_output", call_id: "call_2", output: "Error: there is no such file" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  emptyResult: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read." }] },
      { type: "function_call", call_id: "call_1", name: "workspace_read_file", arguments: '{"path":"a.md"}' },
      { type: "function_call_output", call_id: "call_1", output: "" },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  brokenArguments: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read." }] },
      { type: "function_call", call_id: "call_1", name: "workspace_read_file", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "Error: invalid" },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  longCallId: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read." }] },
      {
        type: "function_call",
        call_id: "call_7e993801bee9e9907eaa4382bba7d045",
        name: "workspace_read_file",
        arguments: "{}",
      },
      { type: "function_call_output", call_id: "call_7e993801bee9e9907eaa4382bba7d045", output: "alpha" },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  sampling: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: 4000,
  },
  nucleus: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  penalties: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  effort: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: 8000,
  },
  thinkingBudget: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: 8000,
  },
  verbosity: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
  serialTools: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  parallelTools: {
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Write a line." }] }],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
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
        strict: false,
      },
    ],
  },
  native: {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Read it." }] },
      {
        id: "rs_1",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "I must read." }],
        encrypted_content: "gAAAAB",
      },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "I read.", annotations: [] }],
      },
      {
        id: "fc_1",
        type: "function_call",
        call_id: "call_1",
        name: "workspace_read_file",
        arguments: '{"path":"a.md"}',
        status: "completed",
      },
      { type: "function_call_output", call_id: "call_1", output: "alpha" },
    ],
    model: "gpt-5-mini",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
  },
} satisfies Readonly<Record<string, ResponseCreateParams>>;
