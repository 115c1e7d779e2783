/**
 * Requests that use everything a canonical request can say, by name: what is held to the vendors' types and schemas.
 *
 * Owns the choice of cases. Does not own what becomes of them on a wire.
 */
import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { answer, call, delegate, file, finish, image, native, readFile, request, said } from "./request.ts";
import type { Route } from "./routes.ts";

/** `strictTools`: the gateway is one that has vendors hold their models to the schemas of tools. */
export interface Case {
  readonly name: string;
  readonly request: ModelRequest;
  readonly strictTools: boolean;
}

/** The cases of a route. Each is a session of its own. */
export const of = (route: Route): ReadonlyArray<Case> =>
  Object.entries({
    ...plain,
    ...withTools,
    ...strict,
    ...parameters,
    ...cached(route),
    native: { messages: nativeLoop(route) },
  }).map(([name, changes]): Case => ({
    name,
    request: request(route, { sessionId: `run_${name}:inv_root`, ...changes }),
    strictTools: name in strict,
  }));

type Changes = Partial<ModelRequest>;

const user = (text: string): Message => Messages.text("user", text);

const plain: Readonly<Record<string, Changes>> = {
  text: { messages: [user("Write a line.")] },
  whole: { stream: false },
  system: { messages: [Messages.text("system", "Be brief."), user("Write."), Messages.text("system", "Be kind.")] },
  developer: { messages: [Messages.text("developer", "Be brief."), user("Write.")] },
  names: { messages: [Messages.text("user", "Hello.", "Ada"), said({ type: "text", text: "Hi." }), user("More.")] },
  resource: {
    messages: [
      {
        role: "user",
        parts: [
          { type: "text", text: "See " },
          { type: "resourceRef", uri: "workspace:a.md" },
        ],
      },
    ],
  },
  image: { messages: [{ role: "user", parts: [{ type: "text", text: "What is it?" }, image] }] },
  file: { messages: [{ role: "user", parts: [file, { type: "text", text: "Read it." }] }] },
  awkward: { messages: [user('Grüße 🙂 \\ " \u2028 \u0007'), said({ type: "text", text: "\n" }), user("And?")] },
  reasoned: {
    messages: [
      user("Think."),
      said({ type: "reasoning", text: "I thought." }, { type: "text", text: "So." }),
      user("And?"),
    ],
  },
};

const round: ReadonlyArray<Message> = [
  user("Read both."),
  said(
    { type: "text", text: "I read." },
    call("call_1", readFile.name, '{"path":"a.md","startLine":1}'),
    call("call_2", readFile.name, '{"path":"b.md"}'),
  ),
  answer("call_1", readFile.name, "alpha"),
  answer("call_2", readFile.name, "there is no such file", true),
  user("Go on."),
];

const withTools: Readonly<Record<string, Changes>> = {
  tools: { tools: [readFile, delegate, finish] },
  choiceNone: { tools: [readFile], toolChoice: "none" },
  choiceRequired: { tools: [readFile], toolChoice: "required" },
  choiceSpecific: { tools: [readFile, finish], toolChoice: { specific: readFile.name } },
  round: { messages: round, tools: [readFile] },
  emptyResult: {
    messages: [
      user("Read."),
      said(call("call_1", readFile.name, '{"path":"a.md"}')),
      answer("call_1", readFile.name, ""),
    ],
    tools: [readFile],
  },
  brokenArguments: {
    messages: [
      user("Read."),
      said(call("call_1", readFile.name, '{"path":')),
      answer("call_1", readFile.name, "invalid", true),
    ],
    tools: [readFile],
  },
  longCallId: {
    messages: [
      user("Read."),
      said(call(`call/${"x".repeat(90)}`, readFile.name, "{}")),
      answer(`call/${"x".repeat(90)}`, readFile.name, "alpha"),
    ],
    tools: [readFile],
  },
};

/** A tool with an optional argument, a call of it, and one that has no strict form. */
const strict: Readonly<Record<string, Changes>> = {
  strictTools: { tools: [readFile, delegate, finish] },
  strictRound: { messages: round, tools: [readFile] },
};

/** A prompt that is to be kept: with instructions and tools, with either, and grown by a round. */
const cached = ({ binding }: Route): Readonly<Record<string, Changes>> => {
  const instructed = [Messages.text("system", "Be brief."), user("Write.")];
  const [briefly, long] = [
    { ...binding, promptCacheTtl: "5m" },
    { ...binding, promptCacheTtl: "1h" },
  ] as const;
  return {
    cachedBriefly: { binding: briefly, messages: instructed, tools: [readFile, finish] },
    cachedInstructions: { binding: long, messages: instructed },
    cachedTools: { binding: long, tools: [readFile, finish] },
    cachedRound: { binding: long, messages: round, tools: [readFile] },
  };
};

const parameters: Readonly<Record<string, Changes>> = {
  sampling: { parameters: { temperature: 0.5, maxOutputTokens: 4000, stop: ["END"] } },
  nucleus: { parameters: { topP: 0.9, topK: 40 } },
  penalties: { parameters: { frequencyPenalty: 0.5, presencePenalty: 0.25, seed: 7 } },
  effort: { parameters: { reasoning: { effort: "high" }, maxOutputTokens: 8000 } },
  thinkingBudget: { parameters: { reasoning: { budgetTokens: 2048 }, maxOutputTokens: 8000 } },
  verbosity: { parameters: { verbosity: "low" } },
  serialTools: { tools: [readFile], parameters: { parallelToolCalls: false } },
  parallelTools: { tools: [readFile], parameters: { parallelToolCalls: true } },
};

/** A tool round in which the model's turn goes back as the items in which it came. */
const nativeLoop = (route: Route): ReadonlyArray<Message> => {
  const items = natives[route.binding.format] ?? [];
  return [
    user("Read it."),
    said(
      { type: "text", text: "I read." },
      { type: "reasoning", text: "I must read." },
      ...items.map((json) => native(route, json)),
      call("call_1", readFile.name, '{"path":"a.md"}'),
    ),
    answer("call_1", readFile.name, "alpha"),
  ];
};

const natives: Readonly<Record<string, ReadonlyArray<string>>> = {
  "openai-responses": [
    '{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"I must read."}],"encrypted_content":"gAAAAB"}',
    '{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I read.","annotations":[]}]}',
    '{"id":"fc_1","type":"function_call","call_id":"call_1","name":"workspace_read_file","arguments":"{\\"path\\":\\"a.md\\"}","status":"completed"}',
  ],
  "anthropic-messages": [
    '{"type":"thinking","thinking":"I must read.","signature":"EqoBCkgIARABGAIiQL2UoU0b1OHYi+=="}',
    '{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix"}',
    '{"type":"text","text":"I read."}',
    '{"type":"tool_use","id":"call_1","name":"workspace_read_file","input":{"path":"a.md"}}',
  ],
  "gemini-generate-content": [
    '{"text":"I must read.","thought":true}',
    '{"text":"I read."}',
    '{"functionCall":{"id":"call_1","name":"workspace_read_file","args":{"path":"a.md"}},"thoughtSignature":"CtwBAVSoXO4="}',
  ],
  "gemini-interactions": [
    '{"type":"thought","summary":[{"type":"text","text":"I must read."}],"signature":"CtwBAVSoXO4="}',
    '{"type":"model_output","content":[{"type":"text","text":"I read."}]}',
    '{"type":"function_call","id":"call_1","name":"workspace_read_file","arguments":{"path":"a.md"}}',
  ],
};
