/**
 * The format `scripted`: a model that plays the turns of a script, for tests, demonstrations and machines without a key.
 *
 * Owns the choice of the turn and its delivery. A turn is chosen by the request's position alone, so a repeated call
 * meets the same turn. Every response carries a warning that no model was called.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, type ModelFaultReason, type OnDelta } from "@cahier/ports/ModelGateway";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as reason from "../../internal/reason.ts";
import * as redact from "../../internal/redact.ts";
import * as Script from "./Script.ts";

/** The warning on every response. */
export const warning = "No model was called: this response was played from a script.";

/** A player; a script is read once per session. */
export const make = () => {
  const sessions = new Map<string, { readonly text: string; readonly script: Script.Script }>();

  const scriptOf = Effect.fnUntraced(function* (request: ModelRequest) {
    const text = request.binding.script;
    if (text === undefined) return yield* notConfigured("a scripted model needs a script and the binding has none");
    const known = sessions.get(request.sessionId);
    if (known?.text === text) return known.script;
    const decoded = Script.decode(text);
    if (Result.isFailure(decoded)) {
      return yield* notConfigured(`the script cannot be played: ${Script.explain(decoded.failure)}`);
    }
    sessions.set(request.sessionId, { text, script: decoded.success });
    return decoded.success;
  });

  const generate = Effect.fnUntraced(function* (request: ModelRequest, onDelta: OnDelta) {
    const turn = turnsOf(yield* scriptOf(request), request)?.[request.position];
    if (turn === undefined) {
      return yield* fault(
        { _tag: "ScriptExhausted", position: request.position },
        `the script has no turn ${request.position} for ${request.agent.root ? "the root agent" : `invocation ${request.agent.ordinal} of ${request.agent.profileId}`}`,
      );
    }
    if (turn.delayMs !== undefined) yield* Effect.sleep(turn.delayMs);
    const { error } = turn;
    if (error?.status !== undefined) return yield* refuse(error, error.status, yield* Clock.currentTimeMillis);
    const parts = partsOf(turn, request.position, error?.cutAfterChars);
    for (const delta of deltasOf(parts, request.stream)) onDelta(delta);
    if (error?.hang === true) return yield* Effect.never;
    const response = responseOf(parts, request, turn);
    if (error !== undefined) {
      return yield* fault({ _tag: "Network", kind: "bodyInterrupted" }, "the script cuts the response here", response);
    }
    if (parts.calls.some((call) => call.id === null || call.id === "" || call.name === "")) {
      return yield* fault({ _tag: "InvalidToolCall" }, "the script's tool call has no id or no name", response);
    }
    return response;
  });

  return { generate, closeSession: (sessionId: string) => void sessions.delete(sessionId) };
};

interface Call {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
}

/** What of a turn is delivered. */
interface Parts {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: ReadonlyArray<Call>;
  readonly isCut: boolean;
}

const turnsOf = (script: Script.Script, { agent }: ModelRequest): ReadonlyArray<Script.ScriptTurn> | undefined =>
  agent.root ? script.turns : script.agents?.[agent.profileId]?.[agent.ordinal]?.turns;

const partsOf = (turn: Script.ScriptTurn, position: number, cutAfter: number | undefined): Parts => {
  const text = turn.text ?? "";
  const calls = (turn.toolCalls ?? []).map((call, n) => ({
    id: call.id === undefined ? `call_${position}_${n}` : call.id,
    name: call.name,
    arguments: call.rawArguments ?? (call.arguments === undefined ? "{}" : JSON.stringify(call.arguments)),
  }));
  const whole = { text, reasoning: turn.reasoning ?? "", calls, isCut: cutAfter !== undefined };
  if (cutAfter === undefined) return whole;
  const characters = [...text];
  if (cutAfter < characters.length) return { ...whole, text: characters.slice(0, cutAfter).join(""), calls: [] };
  return { ...whole, calls: cutCalls(calls, cutAfter - characters.length) };
};

/** The calls up to and with the one in which the characters run out. */
const cutCalls = (calls: ReadonlyArray<Call>, characters: number): ReadonlyArray<Call> => {
  const [first, ...rest] = calls;
  if (first === undefined) return [];
  const all = [...first.arguments];
  if (characters < all.length) return [{ ...first, arguments: all.slice(0, characters).join("") }];
  return [first, ...cutCalls(rest, characters - all.length)];
};

/** Whole parts when not streaming, else pieces of a few words. */
const deltasOf = function* (parts: Parts, stream: boolean): Generator<ModelDelta> {
  const pieces = stream ? piecesOf : (text: string) => (text === "" ? [] : [text]);
  for (const text of pieces(parts.reasoning)) yield { type: "reasoning", text };
  for (const text of pieces(parts.text)) yield { type: "text", text };
  for (const [index, call] of parts.calls.entries()) {
    yield { type: "toolCallStart", index, callId: call.id === null ? null : CallId.make(call.id), name: call.name };
    for (const text of pieces(call.arguments)) yield { type: "toolCallDelta", index, text };
    if (!parts.isCut) yield { type: "toolCallEnd", index };
  }
};

/** At least two pieces for any text of two characters; no character is torn apart. */
const piecesOf = (text: string): ReadonlyArray<string> => {
  const characters = [...text];
  const size = Math.max(1, Math.min(24, Math.ceil(characters.length / 2)));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
};

const responseOf = (parts: Parts, request: ModelRequest, turn: Script.ScriptTurn): ModelResponse => {
  const message: Message = {
    role: "assistant",
    parts: [
      ...(parts.text === "" ? [] : [{ type: "text" as const, text: parts.text }]),
      ...(parts.reasoning === "" ? [] : [{ type: "reasoning" as const, text: parts.reasoning }]),
      ...parts.calls.flatMap((call) =>
        call.id === null || call.id === ""
          ? []
          : [{ type: "toolCall" as const, callId: CallId.make(call.id), name: call.name, arguments: call.arguments }],
      ),
    ],
  };
  return {
    message,
    finish: finishOf(parts),
    model: request.binding.modelId,
    ...(turn.usage === undefined || parts.isCut ? {} : { usage: turn.usage }),
    warnings: [warning],
  };
};

const finishOf = (parts: Parts): ModelResponse["finish"] => {
  if (parts.isCut) return "other";
  return parts.calls.length === 0 ? "stop" : "toolCalls";
};

const refuse = (error: Script.ScriptError, status: number, nowMs: number): ModelFault => {
  const headers = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
  const body = typeof error.body === "string" ? error.body : JSON.stringify(error.body ?? "");
  const detail = error.body === undefined ? `the script answers with status ${status}` : body;
  return fault(reason.ofStatus(status, headers, nowMs), redact.preview(detail, []));
};

const notConfigured = (detail: string): ModelFault => fault({ _tag: "NotConfigured", what: "script" }, detail);

const fault = (faultReason: ModelFaultReason, detail: string, partial?: ModelResponse): ModelFault =>
  new ModelFault({ reason: faultReason, detail, ...(partial === undefined ? {} : { partial }) });
