/**
 * The commands that carry runs on: `run`, `runs resume`, `runs cancel`.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { RunId } from "@cahier/domain/identity/Identity";
import { parseRunId } from "@cahier/application/run/RunReader";
import type { RunOutcome } from "@cahier/application/run/RunOutcome";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { RunHandle } from "@cahier/application/run/supervise";
import type { ProfileChoice } from "@cahier/application/profile/findProfile";
import { HostProcess } from "@cahier/ports/HostProcess";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Script from "@cahier/provider-gateway/protocols/scripted/Script";
import type { CardFault } from "@cahier/sillytavern/card/CardFault";
import * as CardFile from "@cahier/sillytavern/card/CardFile";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Result from "effect/Result";
import * as Models from "../composition/Models.ts";
import * as Runtime from "../composition/Runtime.ts";
import * as Storage from "../composition/Storage.ts";
import { showLive } from "../timeline/showLive.ts";
import { exitCodeOf } from "./exitCode.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { stoppable, stoppedEarly, unlessStopped } from "./stoppable.ts";

/** `cahier run`: starts a run on a chat and carries it on to its end. */
export const run = Effect.fn("cli.run")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const chatPath = valueOf(command, "chat");
  if (chatPath === undefined) return yield* invalid('"run" needs --chat FILE.jsonl.');
  if (valueOf(command, "message")?.trim() === "") return yield* invalid("--message needs some text.");
  if (valueOf(command, "script") !== undefined && valueOf(command, "model") !== undefined)
    return yield* invalid("Give either --script or --model.");
  const script = yield* readScript(valueOf(command, "script"));
  const binding = yield* Models.bindingOf({ model: valueOf(command, "model"), script }, process.env);
  const profile = yield* readProfile(valueOf(command, "profile"));
  const cardPath = valueOf(command, "card");
  const character =
    cardPath === undefined ? undefined : yield* CardFile.read(resolve(cardPath)).pipe(Effect.mapError(cardRefusal));
  const groupId = valueOf(command, "group-id");
  const chatId = valueOf(command, "chat-id");
  const message = valueOf(command, "message");
  const generationType = valueOf(command, "type");
  return yield* Effect.gen(function* () {
    const start = startRunFromChat({
      chat: {
        location: resolve(chatPath),
        ...(groupId === undefined ? {} : { groupId }),
        ...(chatId === undefined ? {} : { chatId }),
      },
      binding,
      profile,
      ...(generationType === undefined ? {} : { generationType }),
      ...(character === undefined ? {} : { character }),
      ...(message === undefined ? {} : { message }),
    });
    const handle = yield* unlessStopped(start);
    return handle === undefined ? yield* stoppedEarly(command) : yield* untilEnd(command, handle, 0);
  }).pipe(
    Effect.provide(
      Runtime.layer({
        directory: Storage.dataDirectory(valueOf(command, "data"), process.env),
        ...(cardPath === undefined || character === undefined || groupId !== undefined
          ? {}
          : { chat: { characterId: CardFile.characterId(cardPath), characterName: character.name } }),
      }),
    ),
    Effect.scoped,
  );
});

/** `cahier runs resume`: the same loop on the folded journal. */
export const resume = Effect.fn("cli.resume")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  return yield* Effect.gen(function* () {
    const journal = yield* RunJournal;
    const runs = yield* Runs;
    const before = yield* journal.read(runId, { limit: 1 }).pipe(Effect.orElseSucceed(() => ({ lastSeq: 0 })));
    const handle = yield* runs.resume(runId);
    return yield* untilEnd(command, handle, before.lastSeq);
  }).pipe(
    Effect.provide(Runtime.layer({ directory: Storage.dataDirectory(valueOf(command, "data"), process.env) })),
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
    Effect.provide(Runtime.layer({ directory: Storage.dataDirectory(valueOf(command, "data"), process.env) })),
    Effect.scoped,
  );
});

/** Shows the run until it has ended; a stop signal cancels it properly. */
const untilEnd = Effect.fnUntraced(function* (
  command: ParsedCommand,
  handle: RunHandle,
  afterSeq: number,
): Effect.fn.Return<number, Fatal, HostProcess | RunJournal> {
  const host = yield* HostProcess;
  const asJson = has(command, "json");
  const shown = asJson || has(command, "quiet") ? undefined : yield* Effect.forkChild(showLive(handle.runId, afterSeq));
  const outcome = yield* Effect.raceFirst(handle.outcome, Effect.andThen(host.stopRequested, handle.cancel));
  // The timeline ends with the run; what cannot be shown takes nothing from it.
  if (shown !== undefined) yield* outcome.status === "interrupted" ? Fiber.interrupt(shown) : Fiber.await(shown);
  const told = shown !== undefined && outcome.status !== "interrupted" && process.stdout.isTTY && process.stderr.isTTY;
  if (asJson) yield* Output.json(outcome);
  else if (!told) yield* conclude(handle.runId, outcome);
  return exitCodeOf(outcome.status);
});

/** Says why a run did not complete, where the timeline has not said it on the same terminal. */
const conclude = (runId: RunId, outcome: RunOutcome): Effect.Effect<void> =>
  outcome.error === undefined
    ? Effect.void
    : Output.complain(
        outcome.status === "interrupted"
          ? `${outcome.error.message} The run can be carried on: cahier runs resume ${runId}`
          : outcome.error.message,
        outcome.error.code,
      );

const readText = (path: string, code: FailureCode, what: string): Effect.Effect<string, Fatal> =>
  Effect.tryPromise({
    try: () => readFile(resolve(path), "utf8"),
    catch: (cause) => fatal(code, `The ${what} ${path} cannot be read. Check the path.`, { cause }),
  });

const readScript = Effect.fnUntraced(function* (path: string | undefined): Effect.fn.Return<string | undefined, Fatal> {
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

const readProfile = Effect.fnUntraced(function* (stated: string | undefined): Effect.fn.Return<ProfileChoice, Fatal> {
  if (stated === undefined) return {};
  if (!/[/\\]|\.json$/.test(stated)) return { id: stated };
  const text = yield* readText(stated, "agent.profile_not_found", "profile");
  return {
    document: yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) =>
        fatal(
          "agent.profile_contract_invalid",
          `The profile ${stated} is not JSON. Correct it, or leave --profile out.`,
          { cause },
        ),
    }),
  };
});

const cardCodes = {
  NotACard: "card.not_a_card",
  Damaged: "card.damaged",
  Unsupported: "card.unsupported",
  Missing: "card.not_found",
  Unreadable: "card.unreadable",
} as const satisfies Record<CardFault["reason"]["_tag"], FailureCode>;

const cardRefusal = (fault: CardFault): Fatal => fatal(cardCodes[fault.reason._tag], fault.detail, { cause: fault });
