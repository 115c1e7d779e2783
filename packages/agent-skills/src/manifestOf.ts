/**
 * The manifest that a front matter makes, and what is odd about it.
 *
 * Lenient: a package that tells its name and what it is for can be used, however that is written.
 */
import type { SkillManifest, SkillWarning } from "@cahier/domain/skill/Skill";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Result from "effect/Result";
import { descriptionIn } from "./internal/descriptionIn.ts";
import type { FrontMatter } from "./FrontMatter.ts";
import { keyText } from "./internal/keyText.ts";
import * as Limits from "./Limits.ts";
import { metadataOf } from "./internal/metadataOf.ts";
import { SkillFault } from "./SkillFault.ts";
import * as SkillName from "./SkillName.ts";
import { warn } from "./SkillWarningCode.ts";

/** The keys that the published format has. */
export const knownKeys = ["name", "description", "license", "compatibility", "allowed-tools", "metadata"] as const;
type KnownKey = (typeof knownKeys)[number];

export interface ReadManifest {
  readonly manifest: SkillManifest;
  readonly warnings: ReadonlyArray<SkillWarning>;
}

/**
 * `folderName` is where the package lies, if known: it stands in for a name that is missing. Fails with
 * `skill.front_matter_invalid` when there is no name or nothing that describes the Skill, with `skill.name_invalid` when no
 * name can be made of what there is.
 */
export const manifestOf = (
  front: FrontMatter,
  folderName: string | undefined,
): Result.Result<ReadManifest, SkillFault> => {
  const named = nameOf(front, folderName);
  if (Result.isFailure(named)) return Result.fail(named.failure);
  const described = descriptionOf(front);
  if (Result.isFailure(described)) return Result.fail(described.failure);
  const license = textOf(front, "license");
  const compatibility = textOf(front, "compatibility");
  const allowedTools = toolsOf(front.fields.get("allowed-tools"));
  const metadata = metadataOf(front.fields.get("metadata"));
  return Result.succeed({
    manifest: {
      name: named.success.value,
      description: described.success.value,
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      ...(allowedTools === undefined ? {} : { allowedTools }),
      ...(metadata === undefined ? {} : { metadata }),
    },
    warnings: [
      ...stateWarnings(front),
      ...named.success.warnings,
      ...described.success.warnings,
      ...(compatibility !== undefined && compatibility.length > Limits.publishedCompatibilityCharacters
        ? [
            warn(
              "compatibility_too_long",
              `The compatibility is longer than ${Limits.publishedCompatibilityCharacters} characters; other programs may refuse it.`,
            ),
          ]
        : []),
      ...ignoredValues(front, { license, compatibility, "allowed-tools": allowedTools, metadata }),
      ...unknownKeys(front),
    ],
  });
};

interface Found {
  readonly value: string;
  readonly warnings: ReadonlyArray<SkillWarning>;
}

const nameOf = (front: FrontMatter, folderName: string | undefined): Result.Result<Found, SkillFault> => {
  const written = textOf(front, "name");
  const source = written ?? folderName;
  if (source === undefined) {
    return invalid(
      "SKILL.md does not give the Skill's name. Begin it with a line ---, a line `name: my-skill`, a line `description: …` and a line ---.",
    );
  }
  const value = SkillName.isName(source) ? source : (SkillName.nearest(source) ?? SkillName.nearest(folderName ?? ""));
  if (value === undefined) {
    return Result.fail(
      new SkillFault({
        code: "skill.name_invalid",
        path: "SKILL.md",
        detail: `No name can be made of ${quote(source)}. Write a name of lower-case letters, digits and hyphens in SKILL.md, such as \`name: my-skill\`.`,
      }),
    );
  }
  return Result.succeed({
    value,
    warnings: [
      ...(written === undefined
        ? [warn("name_missing", `SKILL.md gives no name; the Skill is called ${quote(value)} after its folder.`)]
        : []),
      ...(written === undefined || written === value
        ? []
        : [warn("name_changed", `${quote(written)} cannot be a name; the Skill is called ${quote(value)}.`)]),
      ...SkillName.oddities(value, folderName),
    ],
  });
};

const descriptionOf = (front: FrontMatter): Result.Result<Found, SkillFault> => {
  const written = textOf(front, "description");
  if (written !== undefined) {
    const tooLong = [...written].length > Limits.publishedDescriptionCharacters;
    return Result.succeed({
      value: written,
      warnings: tooLong
        ? [
            warn(
              "description_too_long",
              `The description is longer than ${Limits.publishedDescriptionCharacters} characters; other programs may refuse it.`,
            ),
          ]
        : [],
    });
  }
  const value = descriptionIn(front.body);
  if (value === undefined) {
    return invalid(
      "SKILL.md neither describes the Skill nor has any text. Write a line `description: …` that says what it is for.",
    );
  }
  return Result.succeed({
    value,
    warnings: [
      warn(
        "description_missing",
        "SKILL.md gives no description; the beginning of its text is used. Write one that says when the Skill is of use.",
      ),
    ],
  });
};

const stateWarnings = (front: FrontMatter): ReadonlyArray<SkillWarning> => [
  ...(front.state === "missing"
    ? [
        warn(
          "front_matter_missing",
          "SKILL.md has no front matter. Begin it with the Skill's name and description between two lines of ---.",
        ),
      ]
    : []),
  ...(front.state === "recovered"
    ? [
        warn(
          "front_matter_unreadable",
          `The front matter of SKILL.md cannot be read whole: ${front.problem ?? "it is no YAML"}. Texts with a colon need quotation marks.`,
        ),
      ]
    : []),
  ...(front.hasTags
    ? [
        warn(
          "yaml_tags_ignored",
          "Tags in the front matter of SKILL.md are not obeyed; the values are taken as they are written.",
        ),
      ]
    : []),
];

/** A text; numbers and truth values are taken as they are written, blank texts as absent. */
const textOf = ({ fields }: FrontMatter, key: KnownKey): string | undefined => {
  const value = fields.get(key);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.toWellFormed().trim() : undefined;
};

/** The published format has a text with spaces between; commas and lists are met as well. Parentheses hold together. */
const toolsOf = (value: unknown): ReadonlyArray<string> | undefined => {
  if (typeof value === "string") return value.match(/(?:\([^()]*\)|[^\s,])+/g) ?? undefined;
  if (!Array.isArray(value)) return undefined;
  const names = value.filter((name): name is string => typeof name === "string" && name !== "");
  return names.length === 0 ? undefined : names;
};

const ignoredValues = (
  { fields }: FrontMatter,
  taken: Readonly<Partial<Record<KnownKey, unknown>>>,
): ReadonlyArray<SkillWarning> =>
  knownKeys
    .filter((key) => {
      const value = fields.get(key);
      if (value === undefined || value === null || value === "") return false;
      return key in taken ? taken[key] === undefined : typeof value === "object";
    })
    .map((key) =>
      warn(
        "value_ignored",
        `The value of ${quote(key)} in SKILL.md is not of the kind that belongs there and is passed over.`,
      ),
    );

const unknownKeys = ({ fields }: FrontMatter): ReadonlyArray<SkillWarning> => {
  const known: ReadonlySet<unknown> = new Set(knownKeys);
  const unknown = [...fields.keys()].filter((key) => !known.has(key)).map((key) => quote(keyText(key)));
  const named = [...unknown.slice(0, maxNamed), ...(unknown.length > maxNamed ? ["…"] : [])].join(", ");
  return unknown.length === 0
    ? []
    : [
        warn(
          "keys_unknown",
          `SKILL.md has keys that the format does not: ${named}. They are kept in the file and not read; \`metadata\` is the place for more.`,
        ),
      ];
};

const maxNamed = 8;

const invalid = (detail: string): Result.Result<never, SkillFault> =>
  Result.fail(new SkillFault({ code: "skill.front_matter_invalid", path: "SKILL.md", detail }));
