/**
 * Checks an unknown value against a schema and reports everything that is wrong, each with its path.
 *
 * Unknown fields are refused. Lives apart so that a profile and its frozen form are read by the same rule.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";

/** One thing that is wrong with the shape of a value. */
export interface ShapeIssue {
  readonly path: ReadonlyArray<string | number>;
  readonly message: string;
}

/** A check that is compiled once. The schema must decode without effects. */
export const validator = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
): ((input: unknown) => Result.Result<S["Type"], ReadonlyArray<ShapeIssue>>) => {
  const { validate } = Schema.toStandardSchemaV1(schema, {
    parseOptions: { errors: "all", onExcessProperty: "error" },
  })["~standard"];
  return (input) => {
    const validated = validate(input);
    if (validated instanceof Promise) return Result.fail([{ path: [], message: "cannot be checked at once" }]);
    if (validated.issues === undefined) return Result.succeed(validated.value);
    return Result.fail(
      validated.issues.map((found) => ({ path: (found.path ?? []).map(keyOf), message: found.message })),
    );
  };
};

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
};
