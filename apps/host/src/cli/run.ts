/**
 * The commands that begin and end runs: `run`, `runs cancel`.
 */
import { resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { parseRunId } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat } from "@cahier/application/run/startRun";
import * as Script from "@cahier/provider-gateway/protocols/scripted/Script";
import type { CardFault } from "@cahier/sillytavern/card/CardFault";
import * as CardFile from "@cahier/sillytavern/card/CardFile";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Models from "../composition/Models.ts";
import * as Runtime from "../composition/Runtime.ts";
import { approvedPatterns } from "./approvedPatterns.ts";
import { untilEnd } from "./carryOn.ts";
import { carryOnRunsOf } from "./carryOnRunsOf.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { readProfile, readText, readWorldInfo } from "./readInput.ts";
import { stoppable, stoppedEarly, unlessStopped } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** `cahier run`: starts a run on a chat and carries it on to its end. */
export const run = Effect.fn("cli.run")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const chatPath = valueOf(command, "chat");
  if (chatPath === undefined) return yield* invalid('"run" needs --chat FILE.jsonl.');
  if (valueOf(command, "message")?.trim() === "") return yield* invalid("--message needs some text.");
  if (valueOf(command, "script") !== undefined && valueOf(command, "model") !== undefined)
    return yield* invalid("Give either --script or --model.");
  const approve = yield* approvedPatterns(command);
  const script = yield* readScript(valueOf(command, "script"));
  const binding = yield* Models.bindingOf({ model: valueOf(command, "model"), script }, process.env);
  const profile = yield* readProfile(valueOf(command, "profile"));
  const worldInfo = yield* readWorldInfo(valueOf(command, "world-info"));
  const cardPath = valueOf(command, "card");
  const character =
    cardPath === undefined ? undefined : yield* CardFile.read(resolve(cardPath)).pipe(Effect.mapError(cardRefusal));
  const groupId = valueOf(command, "group-id");
  const chatId = valueOf(command, "chat-id");
  const message = valueOf(command, "message");
  const generationType = valueOf(command, "type");
  const chat = {
    location: resolve(chatPath),
    ...(groupId === undefined ? {} : { groupId }),
    ...(chatId === undefined ? {} : { chatId }),
  };
  return yield* Effect.gen(function* () {
    yield* carryOnRunsOf(chat, { approve });
    const start = startRunFromChat({
      chat,
      binding,
      profile,
      approve,
      ...(generationType === undefined ? {} : { generationType }),
      ...(character === undefined ? {} : { character }),
      ...(message === undefined ? {} : { message }),
      ...(worldInfo === undefined ? {} : { worldInfo }),
    });
    const handle = yield* unlessStopped(start);
    return handle === undefined ? yield* stoppedEarly(command) : yield* untilEnd(command, handle, 0, { approve });
  }).pipe(
    Effect.provide(
      Runtime.layer({
        storage: storageOf(command),
        ...(cardPath === undefined || character === undefined || groupId !== undefined
          ? {}
          : { chat: { characterId: CardFile.characterId(cardPath), characterName: character.name } }),
      }),
    ),
    Effect.scoped,
  );
});

/** `cahier runs cancel`: done when the run has ended, whoever carries it on. */
export const cancel = Effect.fn("cli.cancel")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  const work = Effect.gen(function* () {
    const runs = yield* Runs;
    const outcome = yield* runs.cancel(runId);
    yield* has(command, "json") ? Output.json(outcome) : Output.line(`${runId}: ${outcome.status}`);
    return 0;
  });
  return yield* stoppable(command, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command) })),
    Effect.scoped,
  );
});

/** The script that a file holds, checked. */
export const readScript = Effect.fnUntraced(function* (
  path: string | undefined,
): Effect.fn.Return<string | undefined, Fatal> {
  if (path === undefined) return undefined;
  const text = yield* readText(path, "model.script_invalid", "script");
  const decoded = Script.decode(text);
  return Result.isSuccess(decoded)
    ? text
    : yield* fatal(
        "model.script_invalid",
        `The script ${path} cannot be played; correct it: ${Script.explain(decoded.failure).replaceAll("\n", "; ")}.`,
      );
});

const cardCodes = {
  NotACard: "card.not_a_card",
  Damaged: "card.damaged",
  Unsupported: "card.unsupported",
  Missing: "card.not_found",
  Unreadable: "card.unreadable",
} as const satisfies Record<CardFault["reason"]["_tag"], FailureCode>;

const cardRefusal = (fault: CardFault): Fatal => fatal(cardCodes[fault.reason._tag], fault.detail, { cause: fault });
