/**
 * What a model does in a law: the turns that every gateway's harness can play, in the terms of a script's turn.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Law from "../../../Law.ts";

/** How a turn goes wrong. `retryAfter` is in seconds; `cutAfterChars` counts characters of the turn's text. */
export type TurnError =
  | { readonly status: number; readonly retryAfter?: number; readonly body?: string }
  | { readonly cutAfterChars: number }
  | { readonly hang: true };

/** One turn of a model, as in the file format `cahier.script/1`. */
export interface Turn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: ReadonlyArray<{ readonly id: string; readonly name: string; readonly rawArguments: string }>;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly error?: TurnError;
}

export type Gateway = ModelGateway["Service"];

/** `open` gives a gateway; `play` gives a request to which the model behind it answers with `turn`. */
export interface Harness {
  readonly open: Effect.Effect<Gateway, unknown, Scope.Scope>;
  readonly play: (turn: Turn, options?: { readonly stream?: boolean }) => Effect.Effect<ModelRequest, unknown>;
  /** The value of the secret that the requests are made with. */
  readonly secret: string;
  /** There when the gateway's format carries reasoning: as `play`, for a turn that has some. */
  readonly reason?: (turn: Turn, options?: { readonly stream?: boolean }) => Effect.Effect<ModelRequest, unknown>;
  /** A request beyond the last turn of a scripted model, and its position. */
  readonly exhausted?: Effect.Effect<{ readonly request: ModelRequest; readonly position: number }, unknown>;
  /** How many requests the other side has received and not yet seen closed or answered. */
  readonly openRequests?: Effect.Effect<number, unknown>;
}

export const law = Law.of<Harness>();

export const text = "The tide turns \u{1f600}, and the \u2028 harbour empties.\nÄ new day.";

export const textTurn: Turn = { text, usage: { inputTokens: 11, outputTokens: 7 } };

export const calls = [
  { id: "call_law_1", name: "workspace_write_file", rawArguments: '{"path": "output/a.md","content":"x \\u00e4"}' },
  { id: "opaque id/2", name: "workspace_read_file", rawArguments: '{ "path":"output/b.md" }' },
] as const;

export const callTurn: Turn = { toolCalls: [calls[0]], usage: { inputTokens: 20, outputTokens: 9 } };
