/**
 * What the published format says of a package that is given to others.
 *
 * Import is lenient, export is strict: a package that breaks the format is written as it is, and its author hears of it.
 */
import { skillFile, type SkillPackage, type SkillWarning } from "@cahier/domain/skill/Skill";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Result from "effect/Result";
import * as FrontMatter from "./FrontMatter.ts";
import { keyText } from "./internal/keyText.ts";
import { manifestOf } from "./manifestOf.ts";
import { warn } from "./SkillWarningCode.ts";
import { textOf } from "./internal/textOf.ts";

/** Every rule of the format that the package breaks, when it lies in a folder of its name. Empty for one that keeps them all. */
export const check = ({ files, manifest }: Pick<SkillPackage, "files" | "manifest">): ReadonlyArray<SkillWarning> => {
  const bytes = files.find(({ path }) => path === skillFile)?.bytes ?? new Uint8Array();
  const front = FrontMatter.parse(textOf(bytes) ?? "");
  const read = manifestOf(front, manifest.name);
  return [
    ...(Result.isSuccess(read) ? read.success.warnings : [warn("front_matter_missing", read.failure.detail)]),
    ...metadataWarnings(front.fields.get("metadata")),
    ...(Array.isArray(front.fields.get("allowed-tools"))
      ? [
          warn(
            "allowed_tools_listed",
            "`allowed-tools` is a list; the format has one text with spaces between the names.",
          ),
        ]
      : []),
  ];
};

const metadataWarnings = (metadata: unknown): ReadonlyArray<SkillWarning> => {
  if (!(metadata instanceof Map)) return [];
  const odd = [...metadata].filter(([, value]) => typeof value !== "string").map(([key]) => quote(keyText(key)));
  return odd.length === 0
    ? []
    : [
        warn(
          "metadata_not_text",
          `Values in \`metadata\` that are no text: ${odd.slice(0, maxNamed).join(", ")}. Put them in quotation marks.`,
        ),
      ];
};

const maxNamed = 8;
