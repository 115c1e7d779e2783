/**
 * Made by `npm run corpus`: the bodies that the gateway makes for anthropic-messages, judged by the vendor's own type.
 */
import type { MessagesBody } from "../support/MessagesBody.ts";

export const bodies = {
  text: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  whole: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 21333,
    stream: false,
  },
  system: {
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Write." },
          { type: "text", text: "Be kind." },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  developer: {
    system: [{ type: "text", text: "Be brief." }],
    messages: [{ role: "user", content: [{ type: "text", text: "Write." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  names: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Ada: Hello." }] },
      { role: "assistant", content: [{ type: "text", text: "Hi." }] },
      { role: "user", content: [{ type: "text", text: "More." }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  resource: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "See " },
          { type: "text", text: "workspace:a.md" },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  image: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  file: {
    messages: [
      {
        role: "user",
        content: [
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQKJUVPRgo=" } },
          { type: "text", text: "Read it." },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  awkward: {
    messages: [
      { role: "user", content: [{ type: "text", text: 'Grüße 🙂 \\ "   \u0007' }] },
      { role: "assistant", content: [{ type: "text", text: "​" }] },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  reasoned: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Think." }] },
      { role: "assistant", content: [{ type: "text", text: "So." }] },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  tools: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
      {
        name: "agent_delegate",
        description: "Gives a task to another agent.",
        input_schema: {
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
      },
      { name: "workspace_finish", description: "Ends the work.", input_schema: { type: "object", properties: {} } },
    ],
  },
  choiceNone: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "none" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  choiceRequired: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "any" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  choiceSpecific: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "tool", name: "workspace_read_file" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
      { name: "workspace_finish", description: "Ends the work.", input_schema: { type: "object", properties: {} } },
    ],
  },
  round: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I read." },
          { type: "tool_use", id: "call_1", name: "workspace_read_file", input: { path: "a.md", startLine: 1 } },
          { type: "tool_use", id: "call_2", name: "workspace_read_file", input: { path: "b.md" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "alpha" },
          { type: "tool_result", tool_use_id: "call_2", content: "there is no such file", is_error: true },
          { type: "text", text: "Go on." },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  emptyResult: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Read." }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1", name: "workspace_read_file", input: { path: "a.md" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1" }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  brokenArguments: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Read." }] },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "workspace_read_file", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "invalid", is_error: true }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  longCallId: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Read." }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_7e993801bee9e9907eaa4382bba7d045", name: "workspace_read_file", input: {} },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "call_7e993801bee9e9907eaa4382bba7d045", content: "alpha" }],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  strictTools: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
      {
        name: "agent_delegate",
        description: "Gives a task to another agent.",
        input_schema: {
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
      },
      { name: "workspace_finish", description: "Ends the work.", input_schema: { type: "object", properties: {} } },
    ],
  },
  strictRound: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I read." },
          { type: "tool_use", id: "call_1", name: "workspace_read_file", input: { path: "a.md", startLine: 1 } },
          { type: "tool_use", id: "call_2", name: "workspace_read_file", input: { path: "b.md" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "alpha" },
          { type: "tool_result", tool_use_id: "call_2", content: "there is no such file", is_error: true },
          { type: "text", text: "Go on." },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  sampling: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 4000,
    stream: true,
    temperature: 0.5,
    stop_sequences: ["END"],
  },
  nucleus: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    top_p: 0.9,
    top_k: 40,
  },
  penalties: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  effort: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 8000,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 4000 },
  },
  thinkingBudget: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 8000,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 2048 },
  },
  verbosity: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  serialTools: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  parallelTools: {
    messages: [{ role: "user", content: [{ type: "text", text: "Write a line." }] }],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
    ],
  },
  cachedBriefly: {
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "5m" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Write.", cache_control: { type: "ephemeral", ttl: "5m" } }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
      { name: "workspace_finish", description: "Ends the work.", input_schema: { type: "object", properties: {} } },
    ],
  },
  cachedInstructions: {
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Write.", cache_control: { type: "ephemeral", ttl: "1h" } }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
  cachedTools: {
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "Write a line.", cache_control: { type: "ephemeral", ttl: "1h" } }],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
      {
        name: "workspace_finish",
        description: "Ends the work.",
        input_schema: { type: "object", properties: {} },
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
    ],
  },
  cachedRound: {
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "Read both.", cache_control: { type: "ephemeral", ttl: "1h" } }],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I read." },
          { type: "tool_use", id: "call_1", name: "workspace_read_file", input: { path: "a.md", startLine: 1 } },
          { type: "tool_use", id: "call_2", name: "workspace_read_file", input: { path: "b.md" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "alpha" },
          { type: "tool_result", tool_use_id: "call_2", content: "there is no such file", is_error: true },
          { type: "text", text: "Go on.", cache_control: { type: "ephemeral", ttl: "1h" } },
        ],
      },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
    tool_choice: { type: "auto" },
    tools: [
      {
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        input_schema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string", title: "A property, not a keyword" },
          },
          required: ["path"],
          additionalProperties: false,
        },
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
    ],
  },
  native: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Read it." }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I must read.", signature: "EqoBCkgIARABGAIiQL2UoU0b1OHYi+==" },
          { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
          { type: "text", text: "I read." },
          { type: "tool_use", id: "call_1", name: "workspace_read_file", input: { path: "a.md" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "alpha" }] },
    ],
    model: "claude-sonnet-4-5",
    max_tokens: 32000,
    stream: true,
  },
} satisfies Readonly<Record<string, MessagesBody>>;
