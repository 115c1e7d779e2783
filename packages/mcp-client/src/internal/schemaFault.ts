/**
 * Whether a JSON Schema that a server states can be used.
 *
 * Owns the rule that nothing is fetched: a schema refers to itself only. Does not own validation of arguments.
 */
import type { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { isObject, type JsonObject } from "./json.ts";

export interface SchemaFault {
  readonly kind: "remote" | "invalid";
  readonly detail: string;
}

/** Makes the check; the validator's library is loaded with the client's. */
export const checker = (Validator: typeof AjvJsonSchemaValidator) => {
  const validator = new Validator();
  return (schema: JsonObject): SchemaFault | undefined => {
    const found = partsOf(schema);
    const remote = found.references.find((reference) => isAbsolute(reference) && !isWithin(reference, found.ids));
    if (remote !== undefined) return { kind: "remote", detail: `refers to ${remote.slice(0, 200)}` };
    try {
      // A name that a schema gives itself would be remembered across the tools of a catalogue.
      (found.ids.length > 0 ? new Validator() : validator).getValidator(schema);
      return undefined;
    } catch (error) {
      return { kind: "invalid", detail: error instanceof Error ? error.message : "cannot be compiled" };
    }
  };
};

const isAbsolute = (reference: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(reference);

const isWithin = (reference: string, ids: ReadonlyArray<string>): boolean =>
  ids.includes(reference.replace(/#.*$/s, "")) || ids.includes(reference);

/** What these keywords hold are values, not schemas. */
const values = new Set(["const", "enum", "default", "examples"]);

/** All references and names in a schema, however deep. */
const partsOf = (schema: JsonObject) => {
  const references: Array<string> = [];
  const ids: Array<string> = [];
  const open: Array<unknown> = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (Array.isArray(part)) for (const item of part) if (isObject(item) || Array.isArray(item)) open.push(item);
    if (!isObject(part)) continue;
    for (const [keyword, value] of Object.entries(part)) {
      if ((keyword === "$ref" || keyword === "$dynamicRef") && typeof value === "string") references.push(value);
      if (keyword === "$id" && typeof value === "string") ids.push(value.replace(/#$/, ""));
      if (typeof value === "object" && value !== null && !values.has(keyword)) open.push(value);
    }
  }
  return { references, ids };
};
