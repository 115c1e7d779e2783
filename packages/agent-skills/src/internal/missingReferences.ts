/**
 * Links in `SKILL.md` to files that the package does not have.
 */
import * as Result from "effect/Result";

/** The targets of relative Markdown links in `body` that are no file or folder among `paths`, each once, as written. */
export const missingReferences = (body: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const present = new Set(paths.flatMap((path) => [path, ...foldersOf(path)]));
  const targets = [...withoutCode(body).matchAll(link)].flatMap(([, target]) => (target === undefined ? [] : [target]));
  return [...new Set(targets)].filter((target) => isRelative(target) && !present.has(pathOf(target)));
};

/** From the end of a link's text on: what stands before does not matter, and looking for it would cost. */
const link = /\]\(\s*<?([^()\s<>]{1,500})/g;

const withoutCode = (text: string): string => text.replaceAll(/^(```|~~~)[^]*?^\1/gm, "").replaceAll(/`[^`\n]*`/g, "");

const isRelative = (target: string): boolean => !/^(?:[a-z][a-z0-9+.-]*:|[#/])/i.test(target) && !target.includes("{");

const pathOf = (target: string): string => {
  const path = target.replace(/[#?].*$/, "");
  const decoded = Result.getOrElse(
    Result.try(() => decodeURIComponent(path)),
    () => path,
  );
  return decoded
    .normalize("NFC")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "");
};

const foldersOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, segments) => segments.slice(0, index + 1).join("/"));
