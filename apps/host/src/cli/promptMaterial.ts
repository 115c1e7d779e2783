/**
 * What `run` is given to make prompts of as SillyTavern does: a preset, lorebooks, settings and a persona.
 *
 * Owns reading the files and refusing the command line for one that cannot be used. Does not own what they mean.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as ChatFile from "@cahier/sillytavern/chat/ChatFile";
import type { CardSheet } from "@cahier/sillytavern/material/CardSheet";
import * as ChatRecord from "@cahier/sillytavern/material/ChatRecord";
import type { MaterialFault } from "@cahier/sillytavern/material/MaterialFault";
import * as MaterialFile from "@cahier/sillytavern/material/MaterialFile";
import type { Options } from "@cahier/sillytavern/SillyTavernPromptAssembler";
import * as Effect from "effect/Effect";
import { invalid, type ParsedCommand, valueOf, valuesOf } from "./parse.ts";

/** What the command knows beside its files: the chat, the card, and the name of the model where it states one. */
export interface Surroundings {
  readonly chatPath: string;
  readonly isGroup: boolean;
  readonly sheet: CardSheet | undefined;
  readonly model: string | undefined;
}

/** The options of the assembler; undefined without `--preset`, which the other options need. */
export const readMaterial = Effect.fn("cli.readMaterial")(function* (
  command: ParsedCommand,
  { chatPath, isGroup, model, sheet }: Surroundings,
): Effect.fn.Return<Options | undefined, Fatal> {
  const presetPath = valueOf(command, "preset");
  const settingsPath = valueOf(command, "settings");
  const persona = valueOf(command, "persona");
  const bookPaths = valuesOf(command, "lorebook");
  if (presetPath === undefined) {
    const lonely = [
      ...(bookPaths.length === 0 ? [] : ["--lorebook"]),
      ...(settingsPath === undefined ? [] : ["--settings"]),
      ...(persona === undefined ? [] : ["--persona"]),
    ];
    return lonely.length === 0 ? undefined : yield* invalid(`Give --preset FILE with ${lonely.join(" and ")}.`);
  }
  const preset = yield* given("preset", presetPath, MaterialFile.readPreset);
  const lorebooks = yield* Effect.forEach(bookPaths, (path) => given("lorebook", path, MaterialFile.readLorebook));
  const settings =
    settingsPath === undefined ? undefined : yield* given("settings", settingsPath, MaterialFile.readSettings);
  return {
    material: {
      preset,
      lorebooks,
      metadata: yield* metadataOf(chatPath, isGroup),
      ...(settings === undefined ? {} : { settings }),
      ...(persona === undefined ? {} : { persona }),
      ...(sheet === undefined ? {} : { sheet }),
      ...(model === undefined ? {} : { model }),
    },
    zoneMinutes: -new Date().getTimezoneOffset(),
  };
});

const given = <A>(
  option: string,
  path: string,
  read: (path: string) => Effect.Effect<A, MaterialFault>,
): Effect.Effect<A, Fatal> =>
  Effect.mapError(read(resolve(path)), (cause) =>
    fatal("usage.invalid", `--${option} ${path} cannot be used. ${cause.detail}`, { cause }),
  );

/** What the chat's header says. Of a chat that cannot be read it is that of a new one: the start of the run says why. */
const metadataOf = (path: string, group: boolean): Effect.Effect<ChatRecord.ChatMetadata> =>
  Effect.tryPromise(() => readFile(path)).pipe(
    Effect.flatMap((bytes) => ChatFile.open(bytes, { group })),
    Effect.map((file) => ChatRecord.metadata(ChatFile.metadata(file))),
    Effect.orElseSucceed(() => ChatRecord.metadata({})),
  );
