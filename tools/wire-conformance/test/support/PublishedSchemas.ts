/**
 * The vendors' published request schemas, where they are at hand, as validators.
 *
 * Owns what is loosened (each thing is data, and a test shows from recorded requests that it is needed) and how unknown
 * fields are refused. The schemas lie outside the repository, or nowhere.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import * as Ajv2020 from "ajv/dist/2020.js";

const fixtures = process.env["CAHIER_FIXTURES"] ?? resolve(import.meta.dirname, "../../../../../shared/fixtures");

/** Whether the schemas and the recorded requests that prove the loosening are there. */
export const arePresent =
  existsSync(resolve(fixtures, "specs/openai.json.gz")) &&
  existsSync(resolve(fixtures, "providers/recordings.jsonl.gz"));

/** What a title says where they are not. */
export const absence = arePresent ? "" : " (no published schemas here: set CAHIER_FIXTURES)";

type Json = Readonly<Record<string, unknown>>;

interface Published {
  readonly file: string;
  readonly root: string;
  /** The name under which recordings of the format stand, and the addresses at which the vendor itself answers. */
  readonly proto: string;
  readonly at: RegExp;
  readonly loosened: Loosening;
}

/** What real servers take although the published schema refuses it. */
export interface Loosening {
  /** Of several alternatives more than one may fit. */
  readonly oneOfIsAnyOf?: boolean;
  /** Members that may be missing, by the schema. */
  readonly notRequired?: Readonly<Record<string, ReadonlyArray<string>>>;
  /** Members that are not published, by the schema. */
  readonly unpublished?: Readonly<Record<string, Json>>;
  /** Names of types may be in lower case, and null stands for an absent value. */
  readonly lowerCaseAndNull?: boolean;
}

const openAiItems: NonNullable<Loosening["notRequired"]> = {
  FunctionTool: ["strict", "parameters"],
  OutputTextContent: ["annotations", "logprobs"],
  OutputMessage: ["id", "status", "type"],
  InputImageContent: ["detail"],
  ReasoningItem: ["id", "summary"],
};

export const published: Readonly<Record<string, Published>> = {
  "openai-chat": {
    file: "openai",
    root: "#/components/schemas/CreateChatCompletionRequest",
    proto: "chat",
    at: /^https:\/\/api\.openai\.com\//,
    loosened: {},
  },
  "openai-responses": {
    file: "openai",
    root: "#/components/schemas/CreateResponse",
    proto: "responses",
    at: /^https:\/\/api\.openai\.com\//,
    loosened: { oneOfIsAnyOf: true, notRequired: openAiItems },
  },
  "anthropic-messages": {
    file: "anthropic",
    root: "#/components/schemas/CreateMessageParams",
    proto: "anthropic",
    at: /^https:\/\/api\.anthropic\.com\/v1\/messages$/,
    loosened: {},
  },
  "gemini-generate-content": {
    file: "gemini",
    root: "#/components/schemas/GenerateContentRequest",
    proto: "gemini",
    at: /^(?:https:\/\/generativelanguage\.googleapis\.com)?\/v1beta\//,
    // The model stands in the path.
    loosened: { lowerCaseAndNull: true, notRequired: { GenerateContentRequest: ["model"] } },
  },
  "gemini-interactions": {
    file: "interactions-CreateModelInteraction",
    root: "#/definitions/CreateModelInteraction",
    proto: "interactions",
    at: /^(?:https:\/\/generativelanguage\.googleapis\.com)?\/v1beta\//,
    // The types of Google's own client have both.
    loosened: { unpublished: { GenerationConfig: { temperature: { type: "number" } } } },
  },
};

/** Says what is wrong with a value; nothing where it fits. */
export type Validate = (value: unknown) => ReadonlyArray<string>;

/**
 * A validator of the schema at `pointer`, by default the whole request. `closed` refuses unknown fields `everywhere`, or
 * only at the `root`.
 */
export const validator = (
  format: string,
  options: { readonly closed: "everywhere" | "root"; readonly pointer?: string; readonly loosened?: Loosening },
): Validate => {
  const { file, loosened, root } = of(format);
  const document = read(file);
  const made = new Transformation(document, options.loosened ?? loosened, options.closed === "everywhere").of(document);
  const ajv = new Ajv2020.Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false });
  ajv.addSchema(made, file);
  const check = ajv.compile({ $ref: `${file}${options.pointer ?? root}`, unevaluatedProperties: false });
  return (value) =>
    check(value)
      ? []
      : (check.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message ?? "?"} ${JSON.stringify(params)}`,
        );
};

/** Requests that the vendor's own servers took, as recorded. */
export const acceptedRequests = (format: string): ReadonlyArray<unknown> => {
  const known = accepted.get(format);
  if (known !== undefined) return known;
  const { at, proto } = of(format);
  const made = gunzipSync(readFileSync(resolve(fixtures, "providers/recordings.jsonl.gz")))
    .toString("utf8")
    .split("\n")
    .filter((line) => line.includes(`"proto": "${proto}"`) || line.includes(`"proto":"${proto}"`))
    .map((line) => JSON.parse(line) as { proto: string; url: string; status: number; req: string })
    .filter((recording) => recording.proto === proto && recording.status === 200 && at.test(recording.url))
    .flatMap(({ req }) => {
      const parsed = parse(req);
      return parsed === undefined ? [] : [parsed];
    });
  accepted.set(format, made);
  return made;
};

const accepted = new Map<string, ReadonlyArray<unknown>>();

const of = (format: string): Published => {
  const found = published[format];
  if (found === undefined) throw new Error(`${format} has no published schema`);
  return found;
};

const read = (file: string): Json =>
  JSON.parse(gunzipSync(readFileSync(resolve(fixtures, `specs/${file}.json.gz`))).toString("utf8")) as Json;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Keywords that say nothing about a value, or say it otherwise than JSON Schema does. */
const unread = new Set(["$schema", "deprecated", "discriminator", "example", "nullable"]);

/** A copy of a document of schemas with the loosening and the closing in it. */
class Transformation {
  readonly #document: Json;
  readonly #loosened: Loosening;
  readonly #closes: boolean;

  constructor(document: Json, loosened: Loosening, closes: boolean) {
    this.#document = document;
    this.#loosened = loosened;
    this.#closes = closes;
  }

  of(document: Json): Json {
    const named = (schemas: unknown): Json =>
      Object.fromEntries(
        Object.entries(isJson(schemas) ? schemas : {}).map(([name, schema]) => [
          name,
          this.#schema(schema, false, name),
        ]),
      );
    const components = document["components"];
    return isJson(components)
      ? { components: { schemas: named(components["schemas"]) } }
      : { definitions: named(document["definitions"]) };
  }

  /** `isUse`: the schema says all that there is about a value, so whatever it does not name is unknown. */
  #schema(schema: unknown, isUse: boolean, name?: string): unknown {
    if (!isJson(schema)) return schema;
    const made: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (unread.has(keyword)) continue;
      if (keyword === "properties" && isJson(value))
        made[keyword] = this.#members({ ...value, ...this.#unpublished(name) });
      else if (keyword === "oneOf" && this.#loosened.oneOfIsAnyOf === true) made["anyOf"] = this.#variants(value);
      else if (keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf") made[keyword] = this.#variants(value);
      else if (keyword === "items" || keyword === "additionalProperties") made[keyword] = this.#schema(value, true);
      else if (keyword === "required") made[keyword] = this.#required(value, name);
      else if (keyword === "enum" && this.#loosened.lowerCaseAndNull === true) made[keyword] = bothCases(value);
      else made[keyword] = value;
    }
    const closed = isUse && this.#closes && this.#isRecord(schema) ? { ...made, unevaluatedProperties: false } : made;
    const mayBeNull = schema["nullable"] === true || (isUse && this.#loosened.lowerCaseAndNull === true);
    return mayBeNull ? { anyOf: [closed, { type: "null" }] } : closed;
  }

  #members(properties: Json): Json {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.#schema(schema, true)]));
  }

  #unpublished(name: string | undefined): Json {
    return (name === undefined ? undefined : this.#loosened.unpublished?.[name]) ?? {};
  }

  #variants(value: unknown): unknown {
    return Array.isArray(value) ? value.map((variant) => this.#schema(variant, false)) : value;
  }

  #required(value: unknown, name: string | undefined): unknown {
    const free = (name === undefined ? undefined : this.#loosened.notRequired?.[name]) ?? [];
    return Array.isArray(value) ? value.filter((member) => !free.includes(member as string)) : value;
  }

  /** Whether a schema names the members of an object and leaves no room for others. */
  #isRecord(schema: Json, depth = 0): boolean {
    const parts = this.#parts(schema);
    return depth < 8 && parts.some((part) => isJson(part["properties"])) && !parts.some(isFree);
  }

  /** The schema and all that apply to the same value, references followed. */
  #parts(schema: Json, depth = 0): ReadonlyArray<Json> {
    if (depth > 8) return [];
    const variants = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
      const value = schema[keyword];
      return Array.isArray(value) ? value.filter(isJson) : [];
    });
    const target = typeof schema["$ref"] === "string" ? this.#resolve(schema["$ref"]) : undefined;
    return [
      schema,
      ...[...variants, ...(target === undefined ? [] : [target])].flatMap((part) => this.#parts(part, depth + 1)),
    ];
  }

  #resolve(reference: string): Json | undefined {
    const found = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((value, step) => (isJson(value) ? value[step] : undefined), this.#document);
    return isJson(found) ? found : undefined;
  }
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** An object of which nothing is said. */
const isFree = (schema: Json): boolean =>
  schema["type"] === "object" &&
  ["properties", "allOf", "anyOf", "oneOf", "$ref"].every((keyword) => schema[keyword] === undefined);

const bothCases = (value: unknown): unknown =>
  Array.isArray(value)
    ? [
        ...new Set(
          (value as ReadonlyArray<unknown>).flatMap((one) =>
            typeof one === "string" ? [one, one.toLowerCase()] : [one],
          ),
        ),
      ]
    : value;
