/**
 * `cahier chats forget` and `cahier states prune`: removing what is kept of chats.
 */
import { resolve } from "node:path";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { StableChatId } from "@cahier/domain/identity/Identity";
import { chatRefusal } from "@cahier/application/failure/classifyChat";
import { pruneStates } from "@cahier/application/persist/pruneStates";
import { type ForgottenChat, forgetChats } from "@cahier/application/retention/forgetChats";
import { ChatHost } from "@cahier/ports/ChatHost";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import * as Host from "../composition/Host.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf, valuesOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** Forgets the chats of the files and of the stated ids, all or none. */
export const forget = Effect.fn("cli.forget")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const files = command.positionals;
  const groupId = valueOf(command, "group-id");
  const gone = [
    ...(yield* statedIds(command, "chat-id", "character")),
    ...(yield* statedIds(command, "group-chat-id", "group")),
  ];
  if (files.length + gone.length === 0)
    return yield* invalid('"chats forget" needs FILE, --chat-id or --group-chat-id.');
  if (groupId !== undefined && files.length !== 1) return yield* invalid("--group-id goes with one FILE.");
  return yield* withChats(
    command,
    Effect.gen(function* () {
      const chats = yield* Effect.forEach(files, (file) => chatOf(file, groupId));
      const done = yield* forgetChats([...chats, ...gone]);
      if (has(command, "json")) yield* Output.json(done);
      else
        yield* Output.line(
          `${done.workspaceIds.length} chats are forgotten: ${done.runIds.length} runs and ${done.stateIds.length} states are removed. The chats themselves are as they were.`,
        );
      return 0;
    }),
  );
});

/** Removes states that nothing leads to. */
export const prune = Effect.fn("cli.prune")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [file = "", ...states] = command.positionals;
  return yield* withChats(
    command,
    Effect.gen(function* () {
      const { absent, kept, removed, workspaceId } = yield* pruneStates({ location: resolve(file) }, states);
      if (has(command, "json")) yield* Output.json({ workspaceId, removed, kept, absent });
      else {
        for (const state of removed) yield* Output.line(`${printable(state)}: removed`);
        for (const state of absent) yield* Output.line(`${printable(state)}: no state of this chat`);
        for (const state of kept) yield* Output.line(`${printable(state)}: kept, the chat or a run leads to it`);
      }
      return 0;
    }),
  );
});

const chatOf = Effect.fnUntraced(function* (file: string, groupId: string | undefined) {
  const chatHost = yield* ChatHost;
  const { ref, stableChatId } = yield* chatHost
    .freeze({ location: resolve(file), ...(groupId === undefined ? {} : { groupId }) }, "normal")
    .pipe(Effect.mapError(chatRefusal));
  return { kind: ref.kind, stableChatId } satisfies ForgottenChat;
});

const isStableChatId = Schema.is(StableChatId);

const statedIds = (command: ParsedCommand, option: string, kind: ForgottenChat["kind"]) =>
  Effect.forEach(valuesOf(command, option), (id) =>
    isStableChatId(id)
      ? Effect.succeed<ForgottenChat>({ kind, stableChatId: id })
      : Effect.fail(invalid(`--${option} takes the stable id of a chat.`)),
  );

const withChats = <R>(command: ParsedCommand, work: Effect.Effect<number, Fatal, R>) =>
  stoppable(command, work).pipe(
    Effect.provide(Layer.merge(SillyTavernChatHost.layer(), Host.layer(storageOf(command)))),
    Effect.scoped,
  );
