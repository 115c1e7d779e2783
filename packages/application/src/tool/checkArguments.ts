/**
 * Whether the arguments of a call fit the tool, and what is said when they do not.
 *
 * Owns the words: for each thing that is wrong its place, the rule, the beginning of what was given and, for a
 * misspelt name, the right one. Does not own the validator (`compileSchema`) nor the container (`ToolArguments`).
 */
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { Refusal } from "@cahier/domain/workspace/Refusal";
import * as Result from "effect/Result";
import { at, compileSchema, type JsonSchema, type SchemaError, unescape } from "./compileSchema.ts";
import { similarName } from "./similarName.ts";

export type ArgumentsRefusal = Refusal<"tool.invalid_arguments" | "tool.schema_unusable">;

/** The refusal of arguments that `schema` does not allow; `name` is what the model calls the tool. */
export const checkArguments = (schema: JsonSchema, name: string, given: JsonObject): ArgumentsRefusal | undefined => {
  const compiled = compileSchema(schema);
  if (Result.isFailure(compiled))
    return {
      code: "tool.schema_unusable",
      message: `${name} cannot be called: the schema of its arguments cannot be used. ${compiled.failure} Go on without this tool.`,
    };
  if (compiled.success.fits(given)) return undefined;
  const issues = describeErrors(schema, given, compiled.success.errors(given));
  return {
    code: "tool.invalid_arguments",
    message: `The arguments of ${name} do not fit. ${issues.length === 0 ? "Look at what it takes." : issues.join(" ")}`,
  };
};

/** A sentence for each thing that is wrong with `value`, each thing once. */
export const describeErrors = (
  schema: JsonSchema,
  value: unknown,
  errors: ReadonlyArray<SchemaError>,
): ReadonlyArray<string> => [
  ...new Set([
    ...alternatives(value, errors),
    ...errors.filter((error) => !isOfAlternative(error)).flatMap((error) => sentencesOf(schema, value, error)),
  ]),
];

/** How much of a value, and of a list, a sentence shows. */
const mostShown = 80;
const mostListed = 20;

const alternative = /^(.*?)\/(?:anyOf|oneOf)\/\d+/;

const isOfAlternative = ({ keyword, schemaPath }: SchemaError): boolean =>
  alternative.test(schemaPath) || keyword === "anyOf";

/** What a value may be instead, where it is none of several things. */
const alternatives = (value: unknown, errors: ReadonlyArray<SchemaError>): ReadonlyArray<string> => {
  const byPlace = new Map<string, { readonly place: string; readonly rules: Set<string> }>();
  for (const error of errors) {
    const union = alternative.exec(error.schemaPath)?.[1];
    if (union === undefined) continue;
    const key = `${union} ${error.instancePath}`;
    const found = byPlace.get(key) ?? { place: error.instancePath, rules: new Set<string>() };
    const rule = ruleOf(error);
    if (rule !== undefined) found.rules.add(rule);
    byPlace.set(key, found);
  }
  return [...byPlace.values()]
    .filter(({ rules }) => rules.size > 0)
    .map(({ place, rules }) => broken(value, place, [...rules].join(", or ")));
};

const sentencesOf = (schema: JsonSchema, value: unknown, error: SchemaError): ReadonlyArray<string> => {
  const { instancePath } = error;
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => `${placeOf(instancePath, name)} is missing.`);
    case "dependentRequired":
    case "dependencies":
      return error.params.dependencies.map(
        (name) =>
          `${placeOf(instancePath, name)} is missing; ${placeOf(instancePath, error.params.property)} needs it.`,
      );
    case "additionalProperties":
      return unknownNames(schema, value, error, error.params.additionalProperties);
    case "unevaluatedProperties":
      return unknownNames(schema, value, error, error.params.unevaluatedProperties.map(String));
    case "propertyNames":
      return error.params.propertyNames.map((name) => `${placeOf(instancePath, name)} is no allowed name.`);
    case "boolean":
      // A closed object reports the name beside this; everything else is a place where nothing may stand.
      return /\/(?:additionalProperties|unevaluatedProperties)$/.test(error.schemaPath)
        ? []
        : [`${placeOf(instancePath)} must be left out.`];
    case "if":
      return [];
    default:
      return [broken(value, instancePath, ruleOf(error) ?? error.message)];
  }
};

const broken = (value: unknown, place: string, rule: string): string =>
  `${placeOf(place)} ${rule}; given was ${shown(at(value, place))}.`;

/** The rule of an error as the rest of a sentence about its place. */
const ruleOf = (error: SchemaError): string | undefined => {
  switch (error.keyword) {
    case "type":
      return `must be ${[error.params.type].flat().map(typeName).join(" or ")}`;
    case "enum":
      return `must be one of ${error.params.allowedValues.slice(0, mostListed).map(shown).join(", ")}`;
    case "const":
      return `must be ${shown(error.params.allowedValue)}`;
    case "minimum":
      return `must be at least ${error.params.limit}`;
    case "maximum":
      return `must be at most ${error.params.limit}`;
    case "exclusiveMinimum":
      return `must be more than ${error.params.limit}`;
    case "exclusiveMaximum":
      return `must be less than ${error.params.limit}`;
    case "multipleOf":
      return `must be a multiple of ${error.params.multipleOf}`;
    case "minLength":
      return error.params.limit === 1 ? "must not be empty" : `must have at least ${error.params.limit} characters`;
    case "maxLength":
      return `must have at most ${error.params.limit} characters`;
    case "minItems":
      return error.params.limit === 1 ? "must not be empty" : `must have at least ${error.params.limit} items`;
    case "maxItems":
      return `must have at most ${error.params.limit} items`;
    case "uniqueItems":
      return "must not hold an item twice";
    case "minProperties":
      return `must have at least ${error.params.limit} properties`;
    case "maxProperties":
      return `must have at most ${error.params.limit} properties`;
    case "pattern":
      return `must match the pattern ${String(error.params.pattern)}`;
    case "format":
      return `must have the format ${error.params.format}`;
    case "oneOf":
      return "must fit exactly one of the allowed forms";
    case "not":
      return "is what it must not be";
    case "boolean":
      return undefined;
    case "required":
      return `must have ${error.params.requiredProperties.join(", ")}`;
    case "additionalProperties":
      return `must not have ${error.params.additionalProperties.join(", ")}`;
    default:
      return error.message;
  }
};

const typeName = (type: string): string => {
  switch (type) {
    case "integer":
      return "a whole number";
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "null":
      return "null";
    default:
      return `a ${type === "boolean" ? "true or false" : type}`;
  }
};

/** For each name that is not known the one that was meant, or else all that there are. */
const unknownNames = (
  schema: JsonSchema,
  value: unknown,
  { instancePath, schemaPath }: SchemaError,
  names: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const known = Object.keys(asRecord(asRecord(at(schema, schemaPath.slice(1)))["properties"]));
  const given = asRecord(at(value, instancePath));
  const open = known.filter((name) => !Object.hasOwn(given, name));
  return names.map((name) => {
    const place = placeOf(instancePath, name);
    const meant = similarName(name, open) ?? similarName(name, known);
    if (meant !== undefined) return `${place} is not known; did you mean ${placeOf(instancePath, meant)}?`;
    return `${place} is not known; ${known.length === 0 ? "nothing is taken here" : `there are: ${known.slice(0, mostListed).join(", ")}`}.`;
  });
};

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** A JSON pointer, and a name below it, as people write places: `messages[1].index`. */
const placeOf = (pointer: string, name?: string): string => {
  const tokens = [...pointer.split("/").slice(1).map(unescape), ...(name === undefined ? [] : [name])];
  if (tokens.length === 0) return "The whole";
  return tokens.reduce((place, token) => {
    if (/^\d+$/.test(token) && place !== "") return `${place}[${token}]`;
    const plain = /^[\p{L}\p{N}_$-]+$/u.test(token) ? token : shown(token);
    return place === "" ? plain : `${place}.${plain}`;
  }, "");
};

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= mostShown ? text : `${text.slice(0, mostShown).toWellFormed()}…`;
};
