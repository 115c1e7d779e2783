/**
 * A correct gateway over turns held in memory, on which the laws of ModelGateway and their mutants are proved.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Part } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, type ModelFaultReason, type OnDelta } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import type { ModelGatewayHarness, Turn } from "../src/laws/ModelGatewayLaws.ts";

const secret = "sk-turn-gateway-0123456789";

/** A harness whose requests carry the number of their turn as the model id. */
export const makeHarness = Effect.sync((): ModelGatewayHarness => {
  const turns: Array<Turn> = [];
  const open = { requests: 0 };

  const play = (turn: Turn, { stream = true }: { readonly stream?: boolean } = {}) =>
    Effect.sync((): ModelRequest => requestOf(turns.push(turn) - 1, stream));

  return {
    secret,
    play,
    reason: play,
    exhausted: Effect.sync(() => ({ request: requestOf(turns.length, true), position: turns.length })),
    openRequests: Effect.sync(() => open.requests),
    open: Effect.succeed({
      formats: ["scripted"],
      closeSession: () => Effect.void,
      generate: Effect.fnUntraced(function* (request, onDelta) {
        if (request.binding.format !== "scripted") {
          return yield* fault({ _tag: "NotConfigured", what: "format" }, "This gateway plays turns alone.");
        }
        const turn = turns[Number(request.binding.modelId)];
        if (turn === undefined) {
          return yield* fault({ _tag: "ScriptExhausted", position: turns.length }, "There is no further turn.");
        }
        open.requests += 1;
        return yield* Effect.ensuring(
          answer(turn, request.stream ? onDelta : () => undefined),
          Effect.sync(() => {
            open.requests -= 1;
          }),
        );
      }),
    }),
  };
});

const requestOf = (turn: number, stream: boolean): ModelRequest => ({
  sessionId: "run_1:inv_root",
  binding: { source: "turns", format: "scripted", modelId: `${turn}`, secret: { key: "TURN_KEY" } },
  messages: [{ role: "user", parts: [{ type: "text", text: "Go on." }] }],
  tools: [],
  toolChoice: "auto",
  parameters: {},
  stream,
  position: 0,
  agent: { profileId: "default-writer", ordinal: 0, root: true },
});

const answer = Effect.fnUntraced(function* (turn: Turn, onDelta: OnDelta) {
  yield* Effect.yieldNow;
  const { error, reasoning, text = "", toolCalls = [] } = turn;
  if (error !== undefined && "hang" in error) return yield* Effect.never;
  if (error !== undefined && "status" in error) return yield* refused(error);
  if (error !== undefined) {
    const partial = text.slice(0, error.cutAfterChars);
    onDelta({ type: "text", text: partial });
    return yield* new ModelFault({
      reason: { _tag: "Network", kind: "bodyInterrupted" },
      detail: "The stream was cut.",
      partial: response([{ type: "text", text: partial }], "other"),
    });
  }
  if (reasoning !== undefined) onDelta({ type: "reasoning", text: reasoning });
  for (const piece of text.match(/.{1,7}/gsu) ?? []) {
    onDelta({ type: "text", text: piece });
    yield* Effect.yieldNow;
  }
  for (const [index, call] of toolCalls.entries()) {
    onDelta({ type: "toolCallStart", index, callId: CallId.make(call.id), name: call.name });
    onDelta({ type: "toolCallDelta", index, text: call.rawArguments });
    onDelta({ type: "toolCallEnd", index });
  }
  const parts: ReadonlyArray<Part> = [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...toolCalls.map(
      (call) =>
        ({ type: "toolCall", callId: CallId.make(call.id), name: call.name, arguments: call.rawArguments }) as const,
    ),
  ];
  return {
    ...response(parts, toolCalls.length > 0 ? "toolCalls" : "stop"),
    ...(turn.usage ? { usage: turn.usage } : {}),
  };
});

const response = (parts: ReadonlyArray<Part>, finish: ModelResponse["finish"]): ModelResponse => ({
  message: { role: "assistant", parts },
  finish,
  model: "turns",
});

const refused = (error: { readonly status: number; readonly retryAfter?: number; readonly body?: string }) => {
  const wait = error.retryAfter === undefined ? {} : { retryAfterMs: error.retryAfter * 1000 };
  const body = (error.body ?? "").replaceAll(secret, "[redacted]").slice(0, 170);
  return fault(reasonOf(error.status, wait), `The model answered ${error.status}. ${body}`);
};

const reasonOf = (status: number, wait: { readonly retryAfterMs?: number }): ModelFaultReason => {
  if (status === 401 || status === 403) return { _tag: "Unauthorized", status };
  if (status === 429) return { _tag: "RateLimited", status, ...wait };
  if (status >= 500) return { _tag: "Transient", status, ...wait };
  return { _tag: "Rejected", status };
};

const fault = (reason: ModelFaultReason, detail: string): ModelFault => new ModelFault({ reason, detail });
