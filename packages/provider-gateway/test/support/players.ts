/** How the servers of each format send the turn of a law. */
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { Turn } from "@cahier/testkit/laws/ModelGatewayLaws";
import { chunk, sseBody } from "./requests.ts";

/** A stream is its opening, which ends with the text, and its ending. */
export interface Player {
  readonly whole: (turn: Turn) => string;
  readonly opening: (turn: Turn, text: string) => ReadonlyArray<string>;
  readonly ending: (turn: Turn) => ReadonlyArray<string>;
}

/** Pieces of five characters, so that a text comes in several. */
export const pieces = (text: string): ReadonlyArray<string> => {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / 5) }, (_, index) =>
    characters.slice(index * 5, (index + 1) * 5).join(""),
  );
};

const openAiChat: Player = {
  whole: (turn) =>
    withRaw({
      id: "c",
      choices: [
        {
          message: {
            role: "assistant",
            content: turn.text ?? null,
            reasoning: turn.reasoning,
            tool_calls: chatCalls(turn),
          },
          finish_reason: chatFinish(turn),
        },
      ],
      usage: chatUsage(turn),
    }),
  opening: (turn, text) => [
    ...pieces(turn.reasoning ?? "").map((piece) => sseBody(chunk({ reasoning_content: piece }))),
    ...pieces(text).map((piece) => sseBody(chunk({ content: piece }))),
  ],
  ending: (turn) => [
    ...(chatCalls(turn) ?? []).flatMap((call, index) => [
      sseBody(chunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] })),
      ...pieces(call.function.arguments).map((piece) =>
        sseBody(chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ),
    ]),
    sseBody(chunk({}, chatFinish(turn)), { choices: [], usage: chatUsage(turn) }, "[DONE]"),
  ],
};

const chatFinish = (turn: Turn): string => ((turn.toolCalls?.length ?? 0) > 0 ? "tool_calls" : "stop");

const chatUsage = ({ usage }: Turn) =>
  usage && { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens };

const chatCalls = (turn: Turn) =>
  turn.toolCalls?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.rawArguments },
  }));

/** Arguments as they stand in a body: the raw text, not what it would be written anew. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** JSON in which raw texts stand as they are. */
const withRaw = (value: unknown): string => {
  const texts: Array<string> = [];
  return JSON.stringify(value, (_, inner: unknown) =>
    inner instanceof Raw ? `raw:${texts.push(inner.text) - 1}` : inner,
  ).replaceAll(/"raw:(\d+)"/g, (_, index: string) => texts[Number(index)] ?? "null");
};

const named = (type: string, members: object = {}): string =>
  `event: ${type}\ndata: ${withRaw({ type, ...members })}\n\n`;

const anthropic: Player = {
  whole: (turn) =>
    withRaw({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-tiny",
      content: [
        ...(turn.reasoning === undefined ? [] : [{ type: "thinking", thinking: turn.reasoning, signature: "c2ln" }]),
        ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
        ...anthropicCalls(turn).map(({ block, raw }) => ({ ...block, input: new Raw(raw) })),
      ],
      stop_reason: anthropicStop(turn),
      usage: anthropicUsage(turn),
    }),
  opening: (turn, text) => [
    named("message_start", {
      message: {
        id: "msg_1",
        model: "claude-tiny",
        content: [],
        usage: { ...anthropicUsage(turn), output_tokens: 1 },
      },
    }),
    ...anthropicBlock(0, { type: "thinking", thinking: "", signature: "" }, [
      ...pieces(turn.reasoning ?? "").map((thinking) => ({ type: "thinking_delta", thinking })),
      ...(turn.reasoning === undefined ? [] : [{ type: "signature_delta", signature: "c2ln" }]),
    ]),
    ...anthropicBlock(
      1,
      { type: "text", text: "" },
      pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
    ),
  ],
  ending: (turn) => [
    ...anthropicCalls(turn).flatMap(({ block, raw }, index) =>
      anthropicBlock(
        index + 2,
        { ...block, input: {} },
        pieces(raw).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      ),
    ),
    named("message_delta", {
      delta: { stop_reason: anthropicStop(turn) },
      usage: { output_tokens: turn.usage?.outputTokens },
    }),
    named("message_stop"),
  ],
};

const anthropicBlock = (index: number, block: object, deltas: ReadonlyArray<object>): ReadonlyArray<string> =>
  deltas.length === 0
    ? []
    : [
        named("content_block_start", { index, content_block: block }),
        ...deltas.map((delta) => named("content_block_delta", { index, delta })),
        named("content_block_stop", { index }),
      ];

const anthropicStop = (turn: Turn): string => ((turn.toolCalls?.length ?? 0) > 0 ? "tool_use" : "end_turn");

const anthropicUsage = ({ usage }: Turn) =>
  usage && { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };

const anthropicCalls = (turn: Turn) =>
  (turn.toolCalls ?? []).map(({ id, name, rawArguments }) => ({
    block: { type: "tool_use", id, name },
    raw: rawArguments,
  }));

const gemini: Player = {
  whole: (turn) =>
    withRaw(geminiChunk(turn, [...geminiTexts(turn.reasoning, turn.text), ...geminiCalls(turn)], "STOP")),
  opening: (turn, text) => [
    ...pieces(turn.reasoning ?? "").map((piece) => data(geminiChunk(turn, geminiTexts(piece, undefined)))),
    ...pieces(text).map((piece) => data(geminiChunk(turn, geminiTexts(undefined, piece)))),
  ],
  ending: (turn) => [
    ...geminiCalls(turn).map((call) => data(geminiChunk(turn, [call]))),
    data(geminiChunk(turn, [{ text: "" }], "STOP")),
  ],
};

const data = (event: object): string => `data: ${withRaw(event)}\r\n\r\n`;

const geminiChunk = ({ usage }: Turn, parts: ReadonlyArray<object>, finishReason?: string) => ({
  candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
  usageMetadata: usage && { promptTokenCount: usage.inputTokens, candidatesTokenCount: usage.outputTokens },
  modelVersion: "gemini-tiny",
  responseId: "r1",
});

const geminiTexts = (thought: string | undefined, text: string | undefined) => [
  ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
  ...(text === undefined ? [] : [{ text }]),
];

const geminiCalls = (turn: Turn) =>
  (turn.toolCalls ?? []).map(({ id, name, rawArguments }, index) => ({
    functionCall: { name, args: new Raw(rawArguments), id },
    ...(index === 0 ? { thoughtSignature: "c2ln" } : {}),
  }));

const responses: Player = {
  whole: (turn) => JSON.stringify({ ...responsesHead, status: "completed", ...responsesEnd(turn) }),
  opening: (turn, text) => [
    named("response.created", { response: responsesHead }),
    ...(turn.reasoning === undefined
      ? []
      : responsesItem(
          responsesReasoning(turn.reasoning),
          0,
          { summary: [] },
          "reasoning_summary_text",
          turn.reasoning,
        )),
    ...pieces(text).map((delta) => named("response.output_text.delta", { output_index: 1, content_index: 0, delta })),
  ],
  ending: (turn) => [
    ...(turn.text === undefined
      ? []
      : [named("response.output_item.done", { output_index: 1, item: responsesMessage(turn.text) })]),
    ...responsesCalls(turn).flatMap((item, index) =>
      responsesItem(item, index + 2, { arguments: "" }, "function_call_arguments", item.arguments),
    ),
    named("response.completed", {
      response: { ...responsesHead, status: "completed", ...responsesEnd(turn), output: [] },
    }),
  ],
};

const responsesHead = { id: "resp_1", object: "response", model: "gpt-tiny", status: "in_progress", error: null };

const responsesReasoning = (text: string) => ({
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text }],
  encrypted_content: "gAAA",
});

const responsesMessage = (text: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});

const responsesCalls = (turn: Turn) =>
  (turn.toolCalls ?? []).map(({ id, name, rawArguments }) => ({
    id: `fc_${name}`,
    type: "function_call",
    call_id: id,
    name,
    arguments: rawArguments,
  }));

const responsesEnd = (turn: Turn) => ({
  output: [
    ...(turn.reasoning === undefined ? [] : [responsesReasoning(turn.reasoning)]),
    ...(turn.text === undefined ? [] : [responsesMessage(turn.text)]),
    ...responsesCalls(turn),
  ],
  usage: turn.usage && { input_tokens: turn.usage.inputTokens, output_tokens: turn.usage.outputTokens },
});

const responsesItem = (
  item: object,
  index: number,
  empty: object,
  kind: string,
  text: string,
): ReadonlyArray<string> => [
  named("response.output_item.added", { output_index: index, item: { ...item, ...empty } }),
  ...pieces(text).map((delta) => named(`response.${kind}.delta`, { output_index: index, delta })),
  named("response.output_item.done", { output_index: index, item }),
];

const interactions: Player = {
  whole: (turn) =>
    withRaw({
      ...interaction(turn, "completed"),
      steps: [
        ...(turn.reasoning === undefined ? [] : [thoughtStep(turn.reasoning)]),
        ...(turn.text === undefined ? [] : [{ type: "model_output", content: [{ type: "text", text: turn.text }] }]),
        ...callSteps(turn).map(({ raw, step }) => ({ ...step, arguments: new Raw(raw) })),
      ],
    }),
  opening: (turn, text) => [
    step("interaction.created", { interaction: interaction(turn, "in_progress") }),
    ...(turn.reasoning === undefined
      ? []
      : steps(0, { type: "thought" }, [
          { type: "thought_summary", content: { type: "text", text: turn.reasoning } },
          { type: "thought_signature", signature: "c2ln" },
        ])),
    ...steps(
      1,
      { type: "model_output" },
      pieces(text).map((piece) => ({ type: "text", text: piece })),
    ),
  ],
  ending: (turn) => [
    ...callSteps(turn).flatMap(({ raw, step: called }, index) =>
      steps(
        index + 2,
        { ...called, arguments: {} },
        pieces(raw).map((piece) => ({ type: "arguments_delta", arguments: piece })),
      ),
    ),
    step("interaction.completed", { interaction: interaction(turn, "completed") }),
    "event: done\ndata: [DONE]\n\n",
  ],
};

const step = (type: string, members: object): string =>
  `event: ${type}\ndata: ${withRaw({ ...members, event_type: type })}\n\n`;

const steps = (index: number, started: object, deltas: ReadonlyArray<object>): ReadonlyArray<string> =>
  deltas.length === 0
    ? []
    : [
        step("step.start", { index, step: started }),
        ...deltas.map((delta) => step("step.delta", { index, delta })),
        step("step.stop", { index }),
      ];

const thoughtStep = (text: string) => ({ type: "thought", summary: [{ type: "text", text }], signature: "c2ln" });

const callSteps = (turn: Turn) =>
  (turn.toolCalls ?? []).map(({ id, name, rawArguments }) => ({
    step: { type: "function_call", id, name },
    raw: rawArguments,
  }));

const interaction = ({ usage }: Turn, status: string) => ({
  id: "v1_1",
  model: "gemini-tiny",
  object: "interaction",
  status,
  usage: usage && { total_input_tokens: usage.inputTokens, total_output_tokens: usage.outputTokens },
});

const players: Partial<Record<ModelFormat, Player>> = {
  "openai-chat": openAiChat,
  "openai-responses": responses,
  "anthropic-messages": anthropic,
  "gemini-generate-content": gemini,
  "gemini-interactions": interactions,
};

export const of = (format: ModelFormat): Player => {
  const player = players[format];
  if (player === undefined) throw new Error(`nobody plays ${format}`);
  return player;
};
