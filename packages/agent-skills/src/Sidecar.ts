/**
 * The sidecar `agents/tauritavern.json`, version 1.
 *
 * Strict, unlike the front matter: it is written for one program by its own rules, so that a field it does not have is a
 * mistake that its author wants to hear of.
 */
import { type PackageFile, SkillSidecar } from "@cahier/domain/skill/Skill";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as SchemaIssue from "effect/SchemaIssue";
import * as Limits from "./Limits.ts";
import { SkillFault } from "./SkillFault.ts";
import { textOf } from "./internal/textOf.ts";

/** Where in a package it lies. */
export const sidecarFile = "agents/tauritavern.json";

/** The sidecar among `files`; `undefined` where there is none. Fails with `skill.sidecar_invalid`. */
export const read = (files: ReadonlyArray<PackageFile>): Result.Result<SkillSidecar | undefined, SkillFault> => {
  const file = files.find(({ path }) => path === sidecarFile);
  if (file === undefined) return Result.succeed(undefined);
  if (file.bytes.length > Limits.maxSidecarBytes) return invalid(`it is longer than ${Limits.maxSidecarBytes} bytes`);
  const text = textOf(file.bytes);
  if (text === undefined) return invalid("it is not UTF-8");
  const value = Result.try({ try: (): unknown => JSON.parse(text), catch: (cause) => cause });
  if (Result.isFailure(value)) return invalid("it is not JSON", value.failure);
  const decoded = decode(value.success);
  if (Result.isFailure(decoded)) return invalid(problemsOf(decoded.failure), decoded.failure);
  const { version: _, ...sidecar } = decoded.success;
  return Result.succeed(sidecar);
};

const decode = Schema.decodeUnknownResult(Schema.Struct({ version: Schema.Literal(1), ...SkillSidecar.fields }), {
  errors: "all",
  onExcessProperty: "error",
});

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return "is no field of it";
    return issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue);
  },
});

const problemsOf = ({ issue }: Schema.SchemaError): string =>
  format(issue)
    .issues.slice(0, maxProblems)
    .map(({ message, path = [] }) =>
      [path.map((step) => String(typeof step === "object" ? step.key : step)).join("."), message].join(" ").trim(),
    )
    .join("; ");

const maxProblems = 5;

const invalid = (problem: string, cause?: unknown): Result.Result<never, SkillFault> =>
  Result.fail(
    new SkillFault({
      code: "skill.sidecar_invalid",
      path: sidecarFile,
      detail: `${sidecarFile} cannot be used: ${problem}. Correct the file or remove it.`,
      ...(cause === undefined ? {} : { cause }),
    }),
  );
