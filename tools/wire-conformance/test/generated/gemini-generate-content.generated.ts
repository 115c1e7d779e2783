/**
 * Made by `npm run corpus`: the bodies that the gateway makes for gemini-generate-content, judged by the vendor's own type.
 */
import type { GenerateContentBody } from "../support/GenerateContentBody.ts";

export const bodies = {
  text: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  whole: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  system: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "Write." }, { text: "Be kind." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  developer: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "Write." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  names: {
    contents: [
      { role: "user", parts: [{ text: "Ada: Hello." }] },
      { role: "model", parts: [{ text: "Hi." }] },
      { role: "user", parts: [{ text: "More." }] },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  resource: {
    contents: [{ role: "user", parts: [{ text: "See " }, { text: "workspace:a.md" }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  image: {
    contents: [
      {
        role: "user",
        parts: [
          { text: "What is it?" },
          {
            inlineData: {
              mimeType: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  file: {
    contents: [
      {
        role: "user",
        parts: [{ inlineData: { mimeType: "application/pdf", data: "JVBERi0xLjQKJUVPRgo=" } }, { text: "Read it." }],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  awkward: {
    contents: [
      { role: "user", parts: [{ text: 'Grüße 🙂 \\ "   \u0007' }] },
      { role: "model", parts: [{ text: "\n" }] },
      { role: "user", parts: [{ text: "And?" }] },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  reasoned: {
    contents: [
      { role: "user", parts: [{ text: "Think." }] },
      { role: "model", parts: [{ text: "So." }] },
      { role: "user", parts: [{ text: "And?" }] },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  tools: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
          {
            name: "agent_delegate",
            description: "Gives a task to another agent.",
            parameters: {
              type: "OBJECT",
              properties: {
                task: {
                  type: "OBJECT",
                  properties: {
                    title: { type: "STRING" },
                    default: { type: "STRING" },
                    const: { type: "STRING", format: "enum", enum: ["task"] },
                  },
                  required: ["title"],
                },
                mode: { type: "STRING", format: "enum", enum: ["wait", "background"] },
                budget: { type: "INTEGER", minimum: 1, nullable: true },
                labels: { type: "ARRAY", items: { type: "STRING" }, maxItems: "4" },
              },
              required: ["task"],
            },
          },
          { name: "workspace_finish", description: "Ends the work." },
        ],
      },
    ],
  },
  choiceNone: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "NONE" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  choiceRequired: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  choiceSpecific: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["workspace_read_file"] } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
          { name: "workspace_finish", description: "Ends the work." },
        ],
      },
    ],
  },
  round: {
    contents: [
      { role: "user", parts: [{ text: "Read both." }] },
      {
        role: "model",
        parts: [
          { text: "I read." },
          {
            functionCall: { name: "workspace_read_file", args: { path: "a.md", startLine: 1 } },
            thoughtSignature: "skip_thought_signature_validator",
          },
          {
            functionCall: { name: "workspace_read_file", args: { path: "b.md" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "workspace_read_file", response: { output: "alpha" } } },
          { functionResponse: { name: "workspace_read_file", response: { error: "there is no such file" } } },
          { text: "Go on." },
        ],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  emptyResult: {
    contents: [
      { role: "user", parts: [{ text: "Read." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { name: "workspace_read_file", args: { path: "a.md" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "workspace_read_file", response: { output: "" } } }] },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  brokenArguments: {
    contents: [
      { role: "user", parts: [{ text: "Read." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { name: "workspace_read_file", args: {} },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "workspace_read_file", response: { error: "invalid" } } }] },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  longCallId: {
    contents: [
      { role: "user", parts: [{ text: "Read." }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { name: "workspace_read_file", args: {} },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "workspace_read_file", response: { output: "alpha" } } }] },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  strictTools: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
          {
            name: "agent_delegate",
            description: "Gives a task to another agent.",
            parameters: {
              type: "OBJECT",
              properties: {
                task: {
                  type: "OBJECT",
                  properties: {
                    title: { type: "STRING" },
                    default: { type: "STRING" },
                    const: { type: "STRING", format: "enum", enum: ["task"] },
                  },
                  required: ["title"],
                },
                mode: { type: "STRING", format: "enum", enum: ["wait", "background"] },
                budget: { type: "INTEGER", minimum: 1, nullable: true },
                labels: { type: "ARRAY", items: { type: "STRING" }, maxItems: "4" },
              },
              required: ["task"],
            },
          },
          { name: "workspace_finish", description: "Ends the work." },
        ],
      },
    ],
  },
  strictRound: {
    contents: [
      { role: "user", parts: [{ text: "Read both." }] },
      {
        role: "model",
        parts: [
          { text: "I read." },
          {
            functionCall: { name: "workspace_read_file", args: { path: "a.md", startLine: 1 } },
            thoughtSignature: "skip_thought_signature_validator",
          },
          {
            functionCall: { name: "workspace_read_file", args: { path: "b.md" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "workspace_read_file", response: { output: "alpha" } } },
          { functionResponse: { name: "workspace_read_file", response: { error: "there is no such file" } } },
          { text: "Go on." },
        ],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  sampling: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    generationConfig: { temperature: 0.5, maxOutputTokens: 4000, stopSequences: ["END"] },
  },
  nucleus: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    generationConfig: { topP: 0.9, topK: 40 },
  },
  penalties: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    generationConfig: { frequencyPenalty: 0.5, presencePenalty: 0.25, seed: 7 },
  },
  effort: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    generationConfig: { thinkingConfig: { thinkingLevel: "HIGH", includeThoughts: true }, maxOutputTokens: 8000 },
  },
  thinkingBudget: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    generationConfig: { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true }, maxOutputTokens: 8000 },
  },
  verbosity: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  serialTools: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  parallelTools: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  cachedBriefly: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "Write." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
          { name: "workspace_finish", description: "Ends the work." },
        ],
      },
    ],
  },
  cachedInstructions: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "Write." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
  cachedTools: {
    contents: [{ role: "user", parts: [{ text: "Write a line." }] }],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
          { name: "workspace_finish", description: "Ends the work." },
        ],
      },
    ],
  },
  cachedRound: {
    contents: [
      { role: "user", parts: [{ text: "Read both." }] },
      {
        role: "model",
        parts: [
          { text: "I read." },
          {
            functionCall: { name: "workspace_read_file", args: { path: "a.md", startLine: 1 } },
            thoughtSignature: "skip_thought_signature_validator",
          },
          {
            functionCall: { name: "workspace_read_file", args: { path: "b.md" } },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "workspace_read_file", response: { output: "alpha" } } },
          { functionResponse: { name: "workspace_read_file", response: { error: "there is no such file" } } },
          { text: "Go on." },
        ],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    tools: [
      {
        functionDeclarations: [
          {
            name: "workspace_read_file",
            description: "Reads a file of the workspace.",
            parameters: {
              type: "OBJECT",
              properties: {
                path: { type: "STRING", description: "Where the file lies.", minLength: "1" },
                startLine: { type: "INTEGER", minimum: 1 },
                title: { type: "STRING" },
              },
              required: ["path"],
            },
          },
        ],
      },
    ],
  },
  native: {
    contents: [
      { role: "user", parts: [{ text: "Read it." }] },
      {
        role: "model",
        parts: [
          { text: "I must read.", thought: true },
          { text: "I read." },
          {
            functionCall: { id: "call_1", name: "workspace_read_file", args: { path: "a.md" } },
            thoughtSignature: "CtwBAVSoXO4=",
          },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "workspace_read_file", response: { output: "alpha" } } }],
      },
    ],
    safetySettings: [
      { category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" },
      { category: "HARM_CATEGORY_SEXUALLY_EXPLICIT", threshold: "OFF" },
      { category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" },
      { category: "HARM_CATEGORY_CIVIC_INTEGRITY", threshold: "OFF" },
    ],
  },
} satisfies Readonly<Record<string, GenerateContentBody>>;
