/**
 * Made by `npm run corpus`: the bodies that the gateway makes for gemini-interactions, judged by the vendor's own type.
 */
import type { Interactions } from "@google/genai";

export const bodies = {
  text: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  whole: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: false,
    store: false,
  },
  system: {
    system_instruction: "Be brief.",
    input: [
      { type: "user_input", content: [{ type: "text", text: "Write." }] },
      { type: "user_input", content: [{ type: "text", text: "Be kind." }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  developer: {
    system_instruction: "Be brief.",
    input: [{ type: "user_input", content: [{ type: "text", text: "Write." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  names: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Ada: Hello." }] },
      { type: "model_output", content: [{ type: "text", text: "Hi." }] },
      { type: "user_input", content: [{ type: "text", text: "More." }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  resource: {
    input: [
      {
        type: "user_input",
        content: [
          { type: "text", text: "See " },
          { type: "text", text: "workspace:a.md" },
        ],
      },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  image: {
    input: [
      {
        type: "user_input",
        content: [
          { type: "text", text: "What is it?" },
          {
            type: "image",
            mime_type: "image/png",
            data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
          },
        ],
      },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  file: {
    input: [
      {
        type: "user_input",
        content: [
          { type: "document", mime_type: "application/pdf", data: "JVBERi0xLjQKJUVPRgo=" },
          { type: "text", text: "Read it." },
        ],
      },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  awkward: {
    input: [
      { type: "user_input", content: [{ type: "text", text: 'Grüße 🙂 \\ "   \u0007' }] },
      { type: "model_output", content: [{ type: "text", text: "\n" }] },
      { type: "user_input", content: [{ type: "text", text: "And?" }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  reasoned: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Think." }] },
      { type: "model_output", content: [{ type: "text", text: "So." }] },
      { type: "user_input", content: [{ type: "text", text: "And?" }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  tools: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
      {
        type: "function",
        name: "agent_delegate",
        description: "Gives a task to another agent.",
        parameters: {
          type: "object",
          properties: {
            task: {
              type: "object",
              properties: {
                title: { type: "string" },
                default: { type: "string" },
                const: { type: "string", enum: ["task"] },
              },
              required: ["title"],
            },
            mode: { type: "string", enum: ["wait", "background"] },
            budget: { type: "integer", minimum: 1, nullable: true },
            labels: { type: "array", items: { type: "string" }, maxItems: 4 },
          },
          required: ["task"],
        },
      },
      { type: "function", name: "workspace_finish", description: "Ends the work." },
    ],
  },
  choiceNone: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "none" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  choiceRequired: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "any" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  choiceSpecific: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: { allowed_tools: { mode: "any", tools: ["workspace_read_file"] } } },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
      { type: "function", name: "workspace_finish", description: "Ends the work." },
    ],
  },
  round: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read both." }] },
      { type: "model_output", content: [{ type: "text", text: "I read." }] },
      { type: "function_call", id: "call_1", name: "workspace_read_file", arguments: { path: "a.md", startLine: 1 } },
      { type: "function_call", id: "call_2", name: "workspace_read_file", arguments: { path: "b.md" } },
      { type: "function_result", call_id: "call_1", name: "workspace_read_file", result: "alpha" },
      {
        type: "function_result",
        call_id: "call_2",
        name: "workspace_read_file",
        result: "there is no such file",
        is_error: true,
      },
      { type: "user_input", content: [{ type: "text", text: "Go on." }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  emptyResult: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read." }] },
      { type: "function_call", id: "call_1", name: "workspace_read_file", arguments: { path: "a.md" } },
      { type: "function_result", call_id: "call_1", name: "workspace_read_file", result: "" },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  brokenArguments: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read." }] },
      { type: "function_call", id: "call_1", name: "workspace_read_file", arguments: {} },
      { type: "function_result", call_id: "call_1", name: "workspace_read_file", result: "invalid", is_error: true },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  longCallId: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read." }] },
      {
        type: "function_call",
        id: "call/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        name: "workspace_read_file",
        arguments: {},
      },
      {
        type: "function_result",
        call_id: "call/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        name: "workspace_read_file",
        result: "alpha",
      },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  strictTools: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
      {
        type: "function",
        name: "agent_delegate",
        description: "Gives a task to another agent.",
        parameters: {
          type: "object",
          properties: {
            task: {
              type: "object",
              properties: {
                title: { type: "string" },
                default: { type: "string" },
                const: { type: "string", enum: ["task"] },
              },
              required: ["title"],
            },
            mode: { type: "string", enum: ["wait", "background"] },
            budget: { type: "integer", minimum: 1, nullable: true },
            labels: { type: "array", items: { type: "string" }, maxItems: 4 },
          },
          required: ["task"],
        },
      },
      { type: "function", name: "workspace_finish", description: "Ends the work." },
    ],
  },
  strictRound: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read both." }] },
      { type: "model_output", content: [{ type: "text", text: "I read." }] },
      { type: "function_call", id: "call_1", name: "workspace_read_file", arguments: { path: "a.md", startLine: 1 } },
      { type: "function_call", id: "call_2", name: "workspace_read_file", arguments: { path: "b.md" } },
      { type: "function_result", call_id: "call_1", name: "workspace_read_file", result: "alpha" },
      {
        type: "function_result",
        call_id: "call_2",
        name: "workspace_read_file",
        result: "there is no such file",
        is_error: true,
      },
      { type: "user_input", content: [{ type: "text", text: "Go on." }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  sampling: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { temperature: 0.5, max_output_tokens: 4000, stop_sequences: ["END"] },
  },
  nucleus: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  penalties: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { seed: 7 },
  },
  effort: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { thinking_level: "high", thinking_summaries: "auto", max_output_tokens: 8000 },
  },
  thinkingBudget: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { max_output_tokens: 8000 },
  },
  verbosity: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  serialTools: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  parallelTools: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  cachedBriefly: {
    system_instruction: "Be brief.",
    input: [{ type: "user_input", content: [{ type: "text", text: "Write." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
      { type: "function", name: "workspace_finish", description: "Ends the work." },
    ],
  },
  cachedInstructions: {
    system_instruction: "Be brief.",
    input: [{ type: "user_input", content: [{ type: "text", text: "Write." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
  cachedTools: {
    input: [{ type: "user_input", content: [{ type: "text", text: "Write a line." }] }],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
      { type: "function", name: "workspace_finish", description: "Ends the work." },
    ],
  },
  cachedRound: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read both." }] },
      { type: "model_output", content: [{ type: "text", text: "I read." }] },
      { type: "function_call", id: "call_1", name: "workspace_read_file", arguments: { path: "a.md", startLine: 1 } },
      { type: "function_call", id: "call_2", name: "workspace_read_file", arguments: { path: "b.md" } },
      { type: "function_result", call_id: "call_1", name: "workspace_read_file", result: "alpha" },
      {
        type: "function_result",
        call_id: "call_2",
        name: "workspace_read_file",
        result: "there is no such file",
        is_error: true,
      },
      { type: "user_input", content: [{ type: "text", text: "Go on." }] },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
    generation_config: { tool_choice: "auto" },
    tools: [
      {
        type: "function",
        name: "workspace_read_file",
        description: "Reads a file of the workspace.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where the file lies.", minLength: 1 },
            startLine: { type: "integer", minimum: 1 },
            title: { type: "string" },
          },
          required: ["path"],
        },
      },
    ],
  },
  native: {
    input: [
      { type: "user_input", content: [{ type: "text", text: "Read it." }] },
      { type: "thought", summary: [{ type: "text", text: "I must read." }], signature: "CtwBAVSoXO4=" },
      { type: "model_output", content: [{ type: "text", text: "I read." }] },
      { type: "function_call", id: "call_1", name: "workspace_read_file", arguments: { path: "a.md" } },
      { type: "function_result", call_id: "call_1", name: "workspace_read_file", result: "alpha" },
    ],
    model: "gemini-3-flash",
    stream: true,
    store: false,
  },
} satisfies Readonly<Record<string, Interactions.CreateModelInteractionParamsStreaming>>;
