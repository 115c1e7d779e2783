/**
 * A `SKILL.md` that was fetched from its address.
 *
 * Owns what is accepted. Fetching is the host's, which also knows what addresses may be asked.
 */
import { skillFile } from "@cahier/domain/skill/Skill";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Limits from "./Limits.ts";
import { SkillFault } from "./SkillFault.ts";
import * as SkillReader from "./SkillReader.ts";
import { textOf } from "./internal/textOf.ts";

/**
 * The package of one file that `bytes` are. Its front matter has to give a name: there is no folder to take one from. Fails with
 * `skill.too_large`, `skill.front_matter_invalid` and `skill.name_invalid`.
 */
export const accept = Effect.fn("SkillDownload.accept")(function* (bytes: Uint8Array, url: string) {
  if (bytes.length > Limits.maxSkillFileBytes) {
    return yield* SkillReader.tooLarge(SkillReader.reasons.skillFile, skillFile);
  }
  if (isWebPage(bytes)) {
    return yield* new SkillFault({
      code: "skill.front_matter_invalid",
      path: skillFile,
      detail: `${quote(withoutSecrets(url))} is a web page. Give the address of the plain ${skillFile}, often called Raw.`,
    });
  }
  return yield* SkillReader.read([{ path: skillFile, bytes }]);
});

const isWebPage = (bytes: Uint8Array): boolean => {
  const text = textOf(bytes.subarray(0, 64).filter((byte) => byte < 0x80)) ?? "";
  return /^\s*<(?:!doctype\s|html[\s>])/i.test(text);
};

/** Parameters and credentials of an address may be secrets. */
const withoutSecrets = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? url.replace(/[?#].*$/, "") : `${parsed.origin}${parsed.pathname}`;
};
