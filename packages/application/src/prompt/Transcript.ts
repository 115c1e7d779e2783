/**
 * The messages of one invocation as they are sent: the frozen prompt and what came after, each made once.
 *
 * The same message objects come back every time, so that a gateway encodes each of them once.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type Message, text } from "@cahier/domain/model/Message";
import { ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Log from "@cahier/domain/run/Log";
import type { MessageReference } from "@cahier/domain/run/RunState";
import { ToolResult, toMessage } from "@cahier/domain/tool/ToolResult";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Payloads } from "../payload/Payloads.ts";

export interface Transcript {
  /** The prompt followed by the messages that `log` refers to. The array is shared and only ever grows. */
  readonly messages: (log: Log.Log<MessageReference>) => Effect.Effect<ReadonlyArray<Message>, Fatal>;
  /** Tells the message behind a payload that was just stored. */
  readonly remember: (sha256: string, message: Message) => void;
}

const decodeResponse = Schema.decodeUnknownEffect(Schema.fromJsonString(ModelResponse));
const decodeResult = Schema.decodeUnknownEffect(Schema.fromJsonString(ToolResult));

/** A transcript that begins with `prompt`. */
export const make = (payloads: Payloads, prompt: ReadonlyArray<Message>): Transcript => {
  const made: Array<Message> = [...prompt];
  const fresh = new Map<string, Message>();

  const messages: Transcript["messages"] = (log) =>
    Effect.suspend(() => {
      const missing = Log.toArray(log, made.length - prompt.length);
      if (missing.length === 0) return Effect.succeed(made);
      return Effect.forEach(missing, (reference) =>
        Effect.map(messageOf(reference), (message) => {
          made.push(message);
        }),
      ).pipe(Effect.as(made));
    });

  const messageOf = (reference: MessageReference): Effect.Effect<Message, Fatal> => {
    const known = fresh.get(reference.payload.sha256);
    if (known !== undefined) {
      fresh.delete(reference.payload.sha256);
      return Effect.succeed(known);
    }
    return Effect.flatMap(payloads.read(reference.payload), (json) => decode(reference, json));
  };

  return {
    messages,
    remember: (sha256, message) => {
      fresh.set(sha256, message);
    },
  };
};

const decode = (reference: MessageReference, json: string): Effect.Effect<Message, Fatal> => {
  switch (reference.kind) {
    case "response":
      return decodeResponse(json).pipe(
        Effect.map((response) => response.message),
        Effect.mapError((cause) => damaged(reference, cause)),
      );
    case "result":
      return decodeResult(json).pipe(
        Effect.map(toMessage),
        Effect.mapError((cause) => damaged(reference, cause)),
      );
    case "user":
      return Effect.succeed(text("user", json));
    default:
      return reference satisfies never;
  }
};

const damaged = (reference: MessageReference, cause: unknown): Fatal =>
  fatal("journal.corrupt", `${reference.payload.path} does not have the form that it was stored in.`, { cause });
