/** What tools give, in words for people and models. */
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import type { RunDetail, RunDiff, RunEntry, RunLine } from "../OfferedRun.ts";

/** One line a run. */
export const ofRuns = (runs: ReadonlyArray<RunEntry>, hasMore: boolean): string =>
  runs.length === 0
    ? "There are no runs."
    : [...runs.map(lineOf), ...(hasMore ? ["There may be more: go on with nextCursor."] : [])].join("\n");

/** A run with all that is known of it, one line each. */
export const ofRun = (run: RunDetail): string =>
  [
    lineOf(run),
    ...run.invocations.map(
      (one) =>
        `agent ${one.invocationId}: ${one.status}, ${one.rounds} rounds, ${one.toolCalls} calls, ${one.inputTokens} tokens in, ${one.outputTokens} out${one.model === undefined ? "" : `, ${one.model}`}`,
    ),
    ...run.files.map(({ bytes, path }) => `file ${path}: ${bytes} bytes`),
    ...run.committed.map(
      (one) => `published as message ${one.messageIndex}: ${one.path}, ${one.characters} characters`,
    ),
    ...run.checkpoints.map(
      ({ checkpointId, label, seq }) =>
        `checkpoint ${checkpointId} at event ${seq}${label === undefined ? "" : `: ${label}`}`,
    ),
    ...run.waitingFor.map((call) =>
      [
        `waits for a decision about call ${call.callId} of ${call.invocationId}: ${call.toolId} ${call.argumentsSummary}`,
        ...call.sideEffects,
        call.reason,
      ].join("\n  "),
    ),
  ].join("\n");

export const ofEvents = (events: ReadonlyArray<RunLine>, hasMore: boolean): string => {
  const last = events.at(-1);
  if (last === undefined) return "There are no events after that.";
  return [
    ...events.map(({ at, seq, text }) => `${seq}  ${at}  ${text}`),
    ...(hasMore ? [`There are more: go on with afterSeq ${last.seq}.`] : []),
  ].join("\n");
};

/** `tools` are a page of so many. */
export const ofTools = (tools: ReadonlyArray<ToolDescriptor>, total: number): string =>
  [
    `${tools.length} of ${total} tools`,
    ...tools.map(({ description, id, permission }) => `${id} (${permission}): ${description}`),
  ].join("\n");

/** The diffs below each other. */
export const ofDiff = ({ files, isCut }: RunDiff & { readonly isCut: boolean }): string =>
  files.length === 0
    ? "No file differs."
    : files.map(({ diff }) => diff).join("") +
      (isCut ? "\nThis is not all: ask for fewer paths or more characters." : "");

/** A part of a text that splits no character. */
export const part = (text: string, from: number, maxCharacters: number) => {
  const offset = whole(text, Math.min(from, text.length));
  const wanted = whole(text, Math.min(offset + maxCharacters, text.length));
  // One character may be longer than what was asked for; a part that is empty would never come to the end.
  const end = wanted > offset || offset === text.length ? wanted : offset + 2;
  return { text: text.slice(offset, end), offset, nextOffset: end < text.length ? end : undefined };
};

/** The same diffs, of so many characters together. */
export const shortened = (found: RunDiff, maxCharacters: number): RunDiff & { readonly isCut: boolean } => {
  const left = { characters: maxCharacters };
  const files = found.files.map((file) => {
    const diff = file.diff.slice(0, whole(file.diff, Math.max(0, Math.min(left.characters, file.diff.length))));
    left.characters -= file.diff.length;
    return { ...file, diff };
  });
  const isCut = left.characters < 0;
  return { ...found, files, isCut };
};

const lineOf = (run: RunEntry): string =>
  [
    run.runId,
    run.createdAt,
    run.standing === "ended" || run.standing === "running" ? run.status : run.standing,
    run.chat === "" ? "(never admitted)" : run.chat,
    `${run.commitCount} published`,
    ...(run.error === undefined ? [] : [`${run.error.message} [${run.error.code}]`]),
  ].join("  ");

/** The index itself, or the one before it where it lies inside a character. */
const whole = (text: string, index: number): number => {
  const code = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  const isInside = code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
  return isInside ? index - 1 : index;
};
