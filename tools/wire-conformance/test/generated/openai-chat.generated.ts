/**
 * Made by `npm run corpus`: the bodies that the gateway makes for openai-chat, judged by the vendor's own type.
 */
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";

export const bodies = {
  text: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  whole: { messages: [{ role: "user", content: "Write a line." }], model: "gpt-4.1-mini", stream: false },
  system: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Write." },
      { role: "system", content: "Be kind." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  developer: {
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Write." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  names: {
    messages: [
      { role: "user", content: "Hello.", name: "Ada" },
      { role: "assistant", content: "Hi." },
      { role: "user", content: "More." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
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
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  image: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  file: {
    messages: [
      {
        role: "user",
        content: [
          {
            type: "file",
            file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQKJUVPRgo=" },
          },
          { type: "text", text: "Read it." },
        ],
      },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  awkward: {
    messages: [
      { role: "user", content: 'Grüße 🙂 \\ "   \u0007' },
      { role: "assistant", content: "\n" },
      { role: "user", content: "And?" },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  reasoned: {
    messages: [
      { role: "user", content: "Think." },
      { role: "assistant", content: "So." },
      { role: "user", content: "And?" },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  tools: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
          name: "workspace_finish",
          description: "Ends the work.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
  },
  choiceNone: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "none",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  choiceRequired: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "required",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  choiceSpecific: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: { type: "function", function: { name: "workspace_read_file" } },
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
          name: "workspace_finish",
          description: "Ends the work.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
  },
  round: {
    messages: [
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: "I read.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "workspace_read_file", arguments: '{"path":"a.md","startLine":1}' },
          },
          { id: "call_2", type: "function", function: { name: "workspace_read_file", arguments: '{"path":"b.md"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "alpha" },
      { role: "tool", tool_call_id: "call_2", content: "Error: there is no such file" },
      { role: "user", content: "Go on." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  emptyResult: {
    messages: [
      { role: "user", content: "Read." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "workspace_read_file", arguments: '{"path":"a.md"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "" },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  brokenArguments: {
    messages: [
      { role: "user", content: "Read." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "workspace_read_file", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "Error: invalid" },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  longCallId: {
    messages: [
      { role: "user", content: "Read." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_7e993801bee9e9907eaa4382bba7d045",
            type: "function",
            function: { name: "workspace_read_file", arguments: "{}" },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_7e993801bee9e9907eaa4382bba7d045", content: "alpha" },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  strictTools: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
          name: "workspace_finish",
          description: "Ends the work.",
          parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
          strict: true,
        },
      },
    ],
  },
  strictRound: {
    messages: [
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: "I read.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "workspace_read_file", arguments: '{"path":"a.md","startLine":1}' },
          },
          { id: "call_2", type: "function", function: { name: "workspace_read_file", arguments: '{"path":"b.md"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "alpha" },
      { role: "tool", tool_call_id: "call_2", content: "Error: there is no such file" },
      { role: "user", content: "Go on." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  sampling: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    stop: ["END"],
    max_completion_tokens: 4000,
  },
  nucleus: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    top_p: 0.9,
  },
  penalties: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    frequency_penalty: 0.5,
    presence_penalty: 0.25,
    seed: 7,
  },
  effort: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: "high",
    max_completion_tokens: 8000,
  },
  thinkingBudget: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 8000,
  },
  verbosity: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    verbosity: "low",
  },
  serialTools: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    parallel_tool_calls: false,
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  parallelTools: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    parallel_tool_calls: true,
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  cachedBriefly: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Write." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
          name: "workspace_finish",
          description: "Ends the work.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
  },
  cachedInstructions: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Write." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
  cachedTools: {
    messages: [{ role: "user", content: "Write a line." }],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
      {
        type: "function",
        function: {
          name: "workspace_finish",
          description: "Ends the work.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
  },
  cachedRound: {
    messages: [
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: "I read.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "workspace_read_file", arguments: '{"path":"a.md","startLine":1}' },
          },
          { id: "call_2", type: "function", function: { name: "workspace_read_file", arguments: '{"path":"b.md"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "alpha" },
      { role: "tool", tool_call_id: "call_2", content: "Error: there is no such file" },
      { role: "user", content: "Go on." },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
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
        },
      },
    ],
  },
  native: {
    messages: [
      { role: "user", content: "Read it." },
      {
        role: "assistant",
        content: "I read.",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "workspace_read_file", arguments: '{"path":"a.md"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "alpha" },
    ],
    model: "gpt-4.1-mini",
    stream: true,
    stream_options: { include_usage: true },
  },
} satisfies Readonly<Record<string, ChatCompletionCreateParams>>;
