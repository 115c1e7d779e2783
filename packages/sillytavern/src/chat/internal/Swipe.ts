/**
 * Adding a swipe to a message's line and taking one out, by edits of the line's text.
 *
 * Owns SillyTavern's rules of swipes: as many `swipe_info` as `swipes`, and the message shows `swipes[swipe_id]`. Does not
 * own which message: the caller has checked that it may be swiped.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "./json.ts";
import { isArray, isObject, isValueOnOneLine, parseObject } from "./json.ts";
import * as JsonText from "./JsonText.ts";
import type { Rollback } from "./AgentMetadata.ts";

/**
 * The line with one swipe more, which it shows. The swipe that it showed keeps what the user changed in the message since.
 * `pristine`: the chat is an untouched greeting, whose swipes hold macros that the shown text has filled in.
 */
export const add = (
  lineText: string,
  swipe: {
    readonly text: string;
    readonly at: string;
    readonly pristine: boolean;
    /** Members of the new `extra`; told how the swipe is taken out again. */
    readonly extra: (rollback: Rollback) => JsonObject;
  },
): string => {
  const ready = settle(lineText, swipe.pristine);
  const old = parseObject(ready.text) ?? {};
  const previous = { ...ready.replaced, ...differing(ready.text, ready.from) };
  const rollback: Rollback = {
    strategy: "deleteSwipe",
    swipeId: lengthOf(old["swipes"]),
    ...(JSON.stringify(previous).length > largestPrevious ? {} : { previous: { from: ready.from, ...previous } }),
  };
  const extra = extraText(ready.text, swipe.extra(rollback));
  const edits: ReadonlyArray<readonly [string, string]> = [
    ["extra", extra],
    ["send_date", JSON.stringify(swipe.at)],
    ["mes", JSON.stringify(swipe.text)],
    ["swipe_id", String(rollback.swipeId)],
    ...["gen_started", "gen_finished"].filter((key) => key in old).map((key) => [key, "null"] as const),
  ];
  const shown = edits.reduce((text, [key, value]) => JsonText.set(text, [key], value), ready.text);
  const pushed = JsonText.push(shown, ["swipes"], JSON.stringify(swipe.text));
  return JsonText.push(pushed, ["swipe_info"], `{"send_date":${JSON.stringify(swipe.at)},"extra":${extra}}`);
};

/**
 * The line without one of its swipes, of which it has at least two. Where nobody else changed swipes since it was added,
 * these are the bytes from before; else the message shows the swipe that SillyTavern would choose.
 */
export const take = (lineText: string, swipeId: number, previous: unknown): string => {
  const fields = parseObject(lineText) ?? {};
  const isNewest = lengthOf(fields["swipes"]) === swipeId + 1 && fields["swipe_id"] === swipeId;
  const restored = isNewest && isObject(previous) ? restore(lineText, swipeId, previous) : null;
  return restored ?? deleteAsSillyTavern(lineText, fields, swipeId);
};

/** Members that the message and its shown swipe have in common. */
const mirrored = ["send_date", "extra", "gen_started", "gen_finished"] as const;

/** What describes one generation and is not handed on to the next swipe; everything else is the message's own. */
const ofOneGeneration: ReadonlySet<string> = new Set([
  "api",
  "model",
  "reasoning",
  "reasoning_duration",
  "reasoning_signature",
  "reasoning_type",
  "reasoning_display_text",
  "time_to_first_token",
  "token_count",
  "display_text",
  "media",
  "media_index",
  "media_display",
  "inline_image",
  "image",
  "image_swipes",
  "video",
  "title",
  "tool_invocations",
  "cahier",
  "tauritavern",
]);

/** Beyond this size a swipe is taken out by SillyTavern's rules alone. */
const largestPrevious = 65_536;

/** The line with both arrays in order, the shown text in its swipe, and the texts that this replaced. */
const settle = (
  lineText: string,
  pristine: boolean,
): { readonly text: string; readonly from: number; readonly replaced: JsonObject } => {
  const fields = parseObject(lineText) ?? {};
  const { swipes, from } = stringsOf(lineText, fields);
  const infos = infosOf(lineText, fields, swipes.length, from);
  const isComplete = isArray(fields["swipes"]) && fields["swipes"].every((swipe) => typeof swipe === "string");
  const hasSwipes = isComplete && lengthOf(fields["swipes"]) === swipes.length;
  const hasInfos =
    lengthOf(fields["swipe_info"]) === swipes.length && infos.every((info, at) => info === infoRaw(lineText, at));
  const withSwipes = hasSwipes ? lineText : JsonText.set(lineText, ["swipes"], `[${swipes.join(",")}]`);
  const withInfos = hasInfos ? withSwipes : JsonText.set(withSwipes, ["swipe_info"], `[${infos.join(",")}]`);
  const synced = synchronise(withInfos, from, pristine);
  return {
    text: synced.text,
    from,
    replaced: {
      ...(hasSwipes ? {} : { swipes: JsonText.raw(lineText, ["swipes"]) }),
      ...(hasInfos ? {} : { swipe_info: JsonText.raw(lineText, ["swipe_info"]) }),
      ...synced.replaced,
      swipe_id: JsonText.raw(lineText, ["swipe_id"]),
    },
  };
};

/** SillyTavern writes the shown message back into its swipe before it swipes on: what the user changed is kept. */
const synchronise = (
  text: string,
  from: number,
  pristine: boolean,
): { readonly text: string; readonly replaced: JsonObject } => {
  const fields = parseObject(text) ?? {};
  const swipe = elementOf(fields["swipes"], from);
  const info = elementOf(fields["swipe_info"], from);
  const mes = JsonText.raw(text, ["mes"]);
  const extra = JsonText.raw(text, ["extra"]);
  const movesText = !pristine && mes !== null && typeof fields["mes"] === "string" && swipe !== fields["mes"];
  const movesExtra = extra !== null && !isDeepStrictEqual(isObject(info) ? info["extra"] : undefined, fields["extra"]);
  const withText = movesText ? JsonText.set(text, ["swipes", from], mes) : text;
  return {
    text: movesExtra ? JsonText.set(withText, ["swipe_info", from, "extra"], extra) : withText,
    replaced: {
      ...(movesText ? { swipe: JsonText.raw(text, ["swipes", from]) } : {}),
      ...(movesExtra ? { info: JsonText.raw(text, ["swipe_info", from]) } : {}),
    },
  };
};

/** The texts of the message that its shown swipe does not hold in the same spelling. */
const differing = (text: string, from: number): JsonObject => {
  const pairs = [
    ["mes", ["swipes", from]] as const,
    ...mirrored.map((key) => [key, ["swipe_info", from, key]] as const),
  ];
  return Object.fromEntries(
    pairs.flatMap(([key, path]) => {
      const own = JsonText.raw(text, [key]);
      return own !== null && own === JsonText.raw(text, path) ? [] : [[key, own]];
    }),
  );
};

const restore = (lineText: string, swipeId: number, previous: JsonObject): string | null => {
  const from = previous["from"];
  const texts = Object.entries(previous).filter(([key]) => key !== "from");
  const isUsable = texts.every(([, text]) => text === null || (typeof text === "string" && isValueOnOneLine(text)));
  if (typeof from !== "number" || from >= swipeId || !isUsable) return null;
  const put = (text: string, path: JsonText.Path, key: string, otherwise: string | null | undefined): string => {
    const value = key in previous ? previous[key] : otherwise;
    if (value === null) return JsonText.remove(text, path);
    return typeof value === "string" ? JsonText.set(text, path, value) : text;
  };
  const shown = ["mes", ...mirrored].reduce((text, key) => {
    if (JsonText.find(text, [key]) === null) return text;
    const path = key === "mes" ? ["swipes", from] : ["swipe_info", from, key];
    return put(text, [key], key, JsonText.raw(text, path) ?? undefined);
  }, lineText);
  const fewer = JsonText.remove(JsonText.remove(shown, ["swipes", swipeId]), ["swipe_info", swipeId]);
  const unsynced = put(put(fewer, ["swipes", from], "swipe", undefined), ["swipe_info", from], "info", undefined);
  const line = ["swipe_info", "swipes", "swipe_id"].reduce((text, key) => put(text, [key], key, undefined), unsynced);
  return parseObject(line) === null ? null : line;
};

const deleteAsSillyTavern = (lineText: string, fields: JsonObject, swipeId: number): string => {
  const fewer = JsonText.remove(JsonText.remove(lineText, ["swipes", swipeId]), ["swipe_info", swipeId]);
  const selected = shownOf(fields);
  if (selected < swipeId) return fewer;
  if (selected > swipeId) return JsonText.set(fewer, ["swipe_id"], String(selected - 1));
  const next = Math.min(swipeId, lengthOf(fields["swipes"]) - 2);
  const chosen = JsonText.set(fewer, ["swipe_id"], String(next));
  const said = JsonText.set(chosen, ["mes"], JsonText.raw(chosen, ["swipes", next]) ?? '""');
  return mirrored.reduce((text, key) => {
    const value = JsonText.raw(text, ["swipe_info", next, key]);
    if (value !== null) return JsonText.set(text, [key], value);
    return key === "extra" ? JsonText.set(text, [key], "{}") : JsonText.remove(text, [key]);
  }, said);
};

/** The new `extra`: what belongs to the message goes on, in its spelling, before the new members. */
const extraText = (text: string, added: JsonObject): string => {
  const span = JsonText.find(text, ["extra"]);
  const kept =
    span === null || text[span.start] !== "{"
      ? []
      : JsonText.members(text, span.start)
          .filter((member) => !ofOneGeneration.has(member.key) && !(member.key in added))
          .map((member) => text.slice(member.keyStart, member.end));
  const fresh = Object.entries(added).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${[...kept, ...fresh].join(",")}}`;
};

/** The JSON texts of the swipes and which one the message shows: its text becomes the last where it is none of them. */
const stringsOf = (
  text: string,
  fields: JsonObject,
): { readonly swipes: ReadonlyArray<string>; readonly from: number } => {
  const held = isArray(fields["swipes"]) ? fields["swipes"] : [];
  const swipes = held.map((swipe, at) => (typeof swipe === "string" ? rawOr(text, ["swipes", at], '""') : '""'));
  const from = shownOf(fields);
  if (from !== -1) return { swipes, from };
  const mes = typeof fields["mes"] === "string" ? rawOr(text, ["mes"], '""') : '""';
  return { swipes: [...swipes, mes], from: swipes.length };
};

/**
 * The position of the swipe that the message shows, or -1. A `swipe_id` that names no swipe is never read as the first:
 * that swipe would be written over.
 */
const shownOf = (fields: JsonObject): number => {
  const swipes = isArray(fields["swipes"]) ? fields["swipes"] : [];
  const [declared, mes] = [fields["swipe_id"], fields["mes"]];
  if (typeof declared === "number" && declared in swipes) return declared;
  return swipes.indexOf(typeof mes === "string" ? mes : "");
};

/** The JSON texts of as many `swipe_info` as there are swipes; missing ones are made from the message. */
const infosOf = (text: string, fields: JsonObject, count: number, from: number): ReadonlyArray<string> => {
  const date = rawOr(text, ["send_date"], '""');
  return Array.from({ length: count }, (_, at) => {
    if (isObject(elementOf(fields["swipe_info"], at))) return rawOr(text, ["swipe_info", at], "{}");
    return `{"send_date":${date},"extra":${at === from ? rawOr(text, ["extra"], "{}") : "{}"}}`;
  });
};

const infoRaw = (text: string, at: number): string | null => JsonText.raw(text, ["swipe_info", at]);

const rawOr = (text: string, path: JsonText.Path, otherwise: string): string => JsonText.raw(text, path) ?? otherwise;

const elementOf = (value: unknown, at: number): unknown => (isArray(value) ? value[at] : undefined);

const lengthOf = (value: unknown): number => (isArray(value) ? value.length : 0);
