/**
 * Skills and profiles that a preset or a card carries with it, for whoever decides whether to install them.
 *
 * Owns where they stand: in the file's `extensions` (a card's `data.extensions`), under `cahier` or `tauritavern`, as
 * `skills: {version: 1, items}` and `agentProfiles: {version: 1, items: [{profile}]}`. A Skill is either its files
 * (`bundleFormat: "inline-files-v1"`) or a zip archive in base64 (`"ttskill-archive-base64-v1"`). Installs nothing and checks no
 * package; a profile is as `ProfileFile.read` takes it. What is only recommended by name is not embedded.
 */
import type { PackageFile } from "@cahier/domain/skill/Skill";
import * as Effect from "effect/Effect";
import * as Card from "../card/Card.ts";
import { isArray, isObject, type JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";

/** `name` is what the file calls it, for people; empty where it does not say. */
export type EmbeddedSkill =
  | { readonly form: "files"; readonly name: string; readonly files: ReadonlyArray<PackageFile> }
  | { readonly form: "archive"; readonly name: string; readonly bytes: Uint8Array };

/** Something that is meant to be embedded and cannot be read. `path` is below `extensions`. */
export interface EmbeddedProblem {
  readonly path: string;
  readonly note: string;
}

/** In the order of the file, those under `cahier` first. `profiles` are parsed JSON of any shape. */
export interface Embedded {
  readonly skills: ReadonlyArray<EmbeddedSkill>;
  readonly profiles: ReadonlyArray<unknown>;
  readonly problems: ReadonlyArray<EmbeddedProblem>;
}

/** What a preset file's parsed JSON carries; nothing where it is no object. */
export const ofPreset = (file: unknown): Embedded => within(isObject(file) ? file : {});

/** What a card carries. Fails as `Card.read` does. */
export const ofCard = Effect.fnUntraced(function* (bytes: Uint8Array) {
  return within(yield* Card.readData(bytes));
});

const owners = ["cahier", "tauritavern"];

const within = (file: JsonObject): Embedded => {
  const found = owners.map((owner) => {
    const own = fields.object(fields.object(file, "extensions"), owner);
    const skills = itemsOf(own["skills"], `${owner}.skills`, skillOf);
    const profiles = itemsOf(own["agentProfiles"], `${owner}.agentProfiles`, profileOf);
    return { skills: skills.found, profiles: profiles.found, problems: [...skills.problems, ...profiles.problems] };
  });
  return {
    skills: found.flatMap(({ skills }) => skills),
    profiles: found.flatMap(({ profiles }) => profiles),
    problems: found.flatMap(({ problems }) => problems),
  };
};

/** A string is what is wrong with the item. */
type Reader<Item extends object> = (item: JsonObject) => { readonly item: Item } | string;

const itemsOf = <Item extends object>(section: unknown, path: string, readItem: Reader<Item>) => {
  if (section === undefined || section === null) return { found: [], problems: [] };
  const items = isObject(section) && section["version"] === 1 ? section["items"] : undefined;
  if (!isArray(items)) return { found: [], problems: [{ path, note: "It is not the version 1 of such a list." }] };
  const found: Array<Item> = [];
  const problems: Array<EmbeddedProblem> = [];
  items.forEach((given, index) => {
    const outcome = isObject(given) ? readItem(given) : "It is no object.";
    if (typeof outcome === "string") problems.push({ path: `${path}.items[${index}]`, note: outcome });
    else found.push(outcome.item);
  });
  return { found, problems };
};

const profileOf: Reader<object> = ({ profile }) => (isObject(profile) ? { item: profile } : "It has no profile.");

const skillOf: Reader<EmbeddedSkill> = (given) => {
  const name = fields.text(given, "skillName") || fields.text(fields.object(given, "source"), "label");
  switch (given["bundleFormat"]) {
    case "inline-files-v1": {
      const files = isArray(given["files"]) ? given["files"].map(fileOf) : [];
      const read = files.filter((file) => file !== null);
      return read.length === 0 || read.length < files.length
        ? "A file in it has no path and text, or is not in UTF-8 or base64."
        : { item: { form: "files", name, files: read } };
    }
    case "ttskill-archive-base64-v1": {
      const bytes = fromBase64(given["contentBase64"]);
      return bytes === null ? "Its archive is not base64." : { item: { form: "archive", name, bytes } };
    }
    default:
      return "Its files are in no form that is known.";
  }
};

const fileOf = (file: unknown): PackageFile | null => {
  if (!isObject(file) || typeof file["path"] !== "string" || typeof file["content"] !== "string") return null;
  const path = file["path"];
  const content = file["content"];
  const encoding = fields.text(file, "encoding", "utf8").toLowerCase();
  if (encoding === "utf8" || encoding === "utf-8") return { path, bytes: new TextEncoder().encode(content) };
  const bytes = encoding === "base64" ? fromBase64(content) : null;
  return bytes === null ? null : { path, bytes };
};

const fromBase64 = (text: unknown): Uint8Array | null => {
  if (typeof text !== "string") return null;
  const packed = text.replace(/\s/g, "");
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(packed) ? new Uint8Array(Buffer.from(packed, "base64")) : null;
};
