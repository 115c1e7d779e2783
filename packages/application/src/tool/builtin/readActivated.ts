/** `worldinfo.read_activated`: the world info that was active when the run began. */
import * as WorldInfo from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";

const optionalInt = (description: string) => Schema.optionalKey(Schema.Int.annotate({ description }));

export const readActivated = defineTool({
  name: "worldinfo.read_activated",
  title: "Read world info",
  description: `Reads the world info that was active when this work began. Without entries it gives the list of them; with entries their text, up to ${WorldInfo.maxEntryChars} characters each and ${WorldInfo.maxTotalChars} together.`,
  parameters: Schema.Struct({
    entries: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          ref: Schema.String.annotate({ description: "The entry's ref from the list, such as worldinfo:Harbour#3." }),
          start_char: optionalInt("First character, from 0."),
          max_chars: optionalInt(`Characters to read, up to ${WorldInfo.maxEntryChars}.`),
        }),
      )
        .check(Schema.isMinLength(1), Schema.isMaxLength(WorldInfo.maxEntries))
        .annotate({ description: `What to read: 1 to ${WorldInfo.maxEntries} entries. Default: the list.` }),
    ),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const read = yield* admit(
      WorldInfo.read(
        yield* context.input.worldInfo,
        parameters.entries?.map(({ max_chars, ref, start_char }) => ({
          ref,
          ...(start_char === undefined ? {} : { startChar: start_char }),
          ...(max_chars === undefined ? {} : { maxChars: max_chars }),
        })),
      ),
    );
    const { entries, ...head } = read;
    return {
      _tag: "Done" as const,
      content: read.mode === "index" ? index(read.entries) : read.entries.map(whole).join("\n\n"),
      structured: { ...head, entries: entries.map((entry) => ({ ...entry })) },
      resourceRefs: entries.map(({ ref }) => ref),
    };
  }),
});

const index = (entries: ReadonlyArray<WorldInfo.IndexedEntry>): string =>
  entries.length === 0 ? "No entry of the world info was active." : entries.map(line).join("\n");

const line = ({ chars, constant, displayName, position, ref, words }: WorldInfo.IndexedEntry): string =>
  `${ref}: ${displayName} (${position}${constant ? ", always active" : ""}; ${chars} characters, ${words} words)`;

const whole = (part: WorldInfo.EntryPart): string => {
  const { chars, displayName, endChar, ref, startChar, text, totalChars, truncated, words } = part;
  const size = truncated ? `characters ${startChar}-${endChar} of ${totalChars}` : `${chars} characters`;
  return `${ref}: ${displayName} (${size}, ${words} words):\n${text}`;
};
