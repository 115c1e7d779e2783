/**
 * Where a commit stands in a chat file: a line, and inside it the message itself, one of its swipes, or both.
 */
import * as AgentMetadata from "./AgentMetadata.ts";
import type { ChatFile } from "../ChatFile.ts";
import * as ChatLines from "./ChatLines.ts";
import type * as JsonText from "./JsonText.ts";
import { isArray, isObject, type JsonObject, parseObject } from "./json.ts";

/** `shown`: the message shows the commit's text now. `swipe`: the position of its swipe, or null. */
export interface Place {
  readonly line: ChatLines.LineSpan;
  readonly index: number;
  readonly lineText: string;
  readonly fields: JsonObject;
  readonly shown: boolean;
  readonly swipe: number | null;
  /** The run's first commit, which names the message for all later ones. */
  readonly messageId: string;
}

/** The place of a commit, or null. Only lines that contain the id are parsed, the last first. */
export const find = (file: ChatFile, commitId: string): Place | null => {
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length);
  let before = bytes.length;
  while (before > 0) {
    const at = bytes.lastIndexOf(commitId, before - 1);
    const index = at === -1 ? -1 : file.lines.findLastIndex((line) => line.start <= at);
    const line = file.lines[index];
    if (line === undefined) return null;
    const found = inLine(file, line, index, commitId);
    if (found !== null) return found;
    before = line.start;
  }
  return null;
};

/** The `extra` objects that hold the commit's metadata. */
export const extras = (place: Place): ReadonlyArray<JsonText.Path> => [
  ...(place.shown ? [["extra"]] : []),
  ...(place.swipe === null ? [] : [["swipe_info", place.swipe, "extra"]]),
];

/** The commit's metadata. */
export const agent = (place: Place): JsonObject => {
  const swipe = place.swipe === null ? null : infoExtras(place.fields)[place.swipe];
  return AgentMetadata.of(place.shown ? place.fields["extra"] : swipe) ?? {};
};

/** The commit's text as it stands now. */
export const text = (place: Place): string => {
  const swipes = place.fields["swipes"];
  const swipe = place.swipe !== null && isArray(swipes) ? swipes[place.swipe] : undefined;
  const found = place.shown ? place.fields["mes"] : swipe;
  return typeof found === "string" ? found : "";
};

const inLine = (file: ChatFile, line: ChatLines.LineSpan, index: number, commitId: string): Place | null => {
  const lineText = ChatLines.exactText(file.bytes, line);
  const fields = lineText === null ? null : parseObject(lineText);
  if (lineText === null || fields === null) return null;
  const own = AgentMetadata.commitIds(fields["extra"]);
  const infos = infoExtras(fields).map(AgentMetadata.commitIds);
  const swipe = infos.findIndex((ids) => ids.includes(commitId));
  const shown = own.includes(commitId);
  if (!shown && swipe === -1) return null;
  const ids = shown ? own : (infos[swipe] ?? []);
  return {
    line,
    index,
    lineText,
    fields,
    shown,
    swipe: swipe === -1 ? null : swipe,
    messageId: ids[0] ?? commitId,
  };
};

const infoExtras = (fields: JsonObject): ReadonlyArray<unknown> => {
  const infos = fields["swipe_info"];
  return isArray(infos) ? infos.map((info) => (isObject(info) ? info["extra"] : null)) : [];
};
