/**
 * The messages of one invocation as they are sent: the frozen prompt and what came after, each made once.
 *
 * The same message objects come back every time, so that a gateway encodes each of them once. What is sent is proven to
 * pair every call with exactly one result; each message is looked at once.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Pairing from "@cahier/domain/model/pairing";
import { type Message, text } from "@cahier/domain/model/Message";
import type { Payload } from "@cahier/domain/payload/Payload";
import * as Log from "@cahier/domain/run/Log";
import type { MessageReference } from "@cahier/domain/run/RunState";
import { ToolResult, toMessage } from "@cahier/domain/tool/ToolResult";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type { Payloads } from "../payload/Payloads.ts";
import { readResponse } from "../payload/readResponse.ts";

export interface Transcript {
  /**
   * The prompt followed by the messages that `log` refers to. The array is shared and only ever grows. A call without
   * exactly one result is `model.unpaired_tool_call`.
   */
  readonly messages: (log: Log.Log<MessageReference>) => Effect.Effect<ReadonlyArray<Message>, Fatal>;
  /** Tells the message behind a payload that was just stored. */
  readonly remember: (sha256: string, message: Message) => void;
}

const decodeResult = Schema.decodeUnknownEffect(Schema.fromJsonString(ToolResult));

/** A transcript that begins with `prompt`. */
export const make = (payloads: Payloads, prompt: ReadonlyArray<Message>): Transcript => {
  const sent: Array<Message> = [...prompt];
  const fresh = new Map<string, Message>();
  let open: Pairing.OpenCalls = [];
  let followed = prompt.length;

  const messages: Transcript["messages"] = (log) =>
    Effect.suspend(() => {
      takeFresh(Log.toArray(log, sent.length - prompt.length));
      const missing = Log.toArray(log, sent.length - prompt.length);
      if (missing.length === 0) return paired();
      return Effect.forEach(missing, (reference) =>
        Effect.map(messageOf(reference), (message) => {
          sent.push(message);
        }),
      ).pipe(Effect.andThen(Effect.suspend(paired)));
    });

  /** What is sent, once every call in it has its result. */
  const paired = (): Effect.Effect<ReadonlyArray<Message>, Fatal> => {
    for (; followed < sent.length; followed += 1) {
      const message = sent[followed];
      const after = message === undefined ? Result.succeed(open) : Pairing.follow(open, message);
      if (Result.isFailure(after)) return Effect.fail(unpaired(after.failure));
      open = after.success;
    }
    const closed = Pairing.requireClosed(open);
    return Result.isFailure(closed) ? Effect.fail(unpaired(closed.failure)) : Effect.succeed(sent);
  };

  /** Sends on what was just made, up to the first message that has to be read. */
  const takeFresh = (references: ReadonlyArray<MessageReference>): void => {
    for (const { payload } of references) {
      const known = fresh.get(payload.sha256);
      if (known === undefined) return;
      fresh.delete(payload.sha256);
      sent.push(known);
    }
  };

  const made = (reference: MessageReference): Effect.Effect<Message, Fatal> => {
    switch (reference.kind) {
      case "response":
        return Effect.map(readResponse(payloads, reference.payload), (response) => response.message);
      case "result":
        return Effect.map(readResult(payloads, reference.payload), toMessage);
      case "user":
        return Effect.map(payloads.read(reference.payload), (content) => text("user", content));
      default:
        return reference satisfies never;
    }
  };

  const messageOf = (reference: MessageReference): Effect.Effect<Message, Fatal> => {
    const known = fresh.get(reference.payload.sha256);
    if (known !== undefined) {
      fresh.delete(reference.payload.sha256);
      return Effect.succeed(known);
    }
    return made(reference);
  };

  return {
    messages,
    remember: (sha256, message) => {
      fresh.set(sha256, message);
    },
  };
};

const unpaired = (what: string): Fatal =>
  fatal("model.unpaired_tool_call", `The journal holds no conversation that a model takes. ${what}`);

const readResult = Effect.fnUntraced(function* (
  payloads: Payloads,
  payload: Payload,
): Effect.fn.Return<ToolResult, Fatal> {
  return yield* decodeResult(yield* payloads.read(payload)).pipe(
    Effect.mapError((cause) =>
      fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause }),
    ),
  );
});
