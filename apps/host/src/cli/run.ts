/**
 * The commands that begin and end runs: `run`, `runs cancel`.
 */
import { resolve } from "node:path";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { parseRunId } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat } from "@cahier/application/run/startRun";
import * as Card from "@cahier/sillytavern/card/Card";
import * as CardFile from "@cahier/sillytavern/card/CardFile";
import * as Effect from "effect/Effect";
import * as Models from "../composition/Models.ts";
import * as Runtime from "../composition/Runtime.ts";
import { carryOnOptions } from "./carryOnOptions.ts";
import { askedModel } from "./askedModel.ts";
import { untilEnd } from "./carryOn.ts";
import { cardRefusal } from "./cardRefusal.ts";
import { carryOnRunsOf } from "./carryOnRunsOf.ts";
import { extensionOptions } from "./extensionOptions.ts";
import { layeredProfile, readOverrides } from "./layeredProfile.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { newRunOptions, presetRefOf } from "./promptMaterial.ts";
import { readProfile, readWorldInfo } from "./readInput.ts";
import { stoppable, stoppedEarly, unlessStopped } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";
import { withExtensions } from "./withExtensions.ts";
import { wordsOf } from "./wordsOf.ts";

/** `cahier run`: starts a run on a chat and carries it on to its end. */
export const run = Effect.fn("cli.run")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const chatPath = valueOf(command, "chat");
  if (chatPath === undefined) return yield* invalid('"run" needs --chat FILE.jsonl.');
  if (valueOf(command, "message")?.trim() === "") return yield* invalid("--message needs some text.");
  const options = yield* carryOnOptions(command);
  const extensions = yield* extensionOptions(command);
  const binding = yield* askedModel(command);
  const chosen = yield* readProfile(valueOf(command, "profile"));
  const overrides = yield* readOverrides(command);
  const worldInfo = yield* readWorldInfo(valueOf(command, "world-info"));
  const cardPath = valueOf(command, "card");
  const sheet =
    cardPath === undefined
      ? undefined
      : yield* CardFile.readSheet(resolve(cardPath)).pipe(Effect.mapError(cardRefusal));
  const character = sheet === undefined ? undefined : Card.characterOf(sheet);
  const groupId = valueOf(command, "group-id");
  const prompt = yield* newRunOptions(command, { sheet, model: binding?.modelId });
  const preset = presetRefOf(command);
  const chatId = valueOf(command, "chat-id");
  const message = valueOf(command, "message");
  const generationType = valueOf(command, "type");
  const chat = {
    location: resolve(chatPath),
    ...(groupId === undefined ? {} : { groupId }),
    ...(chatId === undefined ? {} : { chatId }),
  };
  const work = Effect.gen(function* () {
    yield* carryOnRunsOf(chat, { ...options, isAttended: has(command, "attended") });
    const profile = yield* layeredProfile(command, chosen, overrides);
    const start = startRunFromChat({
      chat,
      hostModel: Models.bindingOf({}, process.env),
      ...(binding === undefined ? {} : { binding }),
      profile,
      ...options,
      ...(generationType === undefined ? {} : { generationType }),
      ...(character === undefined ? {} : { character }),
      ...(message === undefined ? {} : { message }),
      ...(preset === undefined ? {} : { preset }),
      ...(worldInfo === undefined ? {} : { worldInfo }),
    });
    const handle = yield* unlessStopped(start);
    return handle === undefined ? yield* stoppedEarly(command) : yield* untilEnd(command, handle, 0, options);
  });
  return yield* withExtensions(command, extensions, work).pipe(
    Effect.provide(
      Runtime.layer({
        storage: storageOf(command),
        logRequests: has(command, "log-requests"),
        prompt,
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
    yield* has(command, "json") ? Output.json(outcome) : Output.line(`${runId}: ${wordsOf(outcome)}`);
    return 0;
  });
  return yield* stoppable(command, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), callsModels: false })),
    Effect.scoped,
  );
});
