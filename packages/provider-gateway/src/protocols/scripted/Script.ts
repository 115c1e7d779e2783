/**
 * The file of a scripted model, `cahier.script/1`: the turns that it plays instead of asking a model.
 *
 * Owns the format and its refusals. Does not own which turn is played when: `ScriptedModel` does. Unknown fields are
 * refused, so that a misspelt one does not silently change a script.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as SchemaIssue from "effect/SchemaIssue";

export const format = "cahier.script/1";

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0));
const Milliseconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 }));

/**
 * A call of the tool that the model sees as `name`. Without `id` it is `call_<position>_<n>`, `n` counting from 0
 * within the turn; `null` sends none, which no runtime can answer. `rawArguments` is sent as it stands.
 */
export const ScriptCall = Schema.Struct({
  id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  name: Schema.String,
  arguments: Schema.optionalKey(Schema.Json),
  rawArguments: Schema.optionalKey(Schema.String),
}).check(
  Schema.makeFilter((call) =>
    call.arguments !== undefined && call.rawArguments !== undefined
      ? "has both arguments and rawArguments; only one of them can be sent"
      : undefined,
  ),
);
export type ScriptCall = typeof ScriptCall.Type;

/**
 * How a turn fails: a status that a server answers (`retryAfter` in seconds, `body` as text or JSON; nothing else of
 * the turn is sent), a response cut after so many characters of text and then of arguments, or one that never ends
 * (after what the turn has of text).
 */
export const ScriptError = Schema.Struct({
  status: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 599 }))),
  retryAfter: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  body: Schema.optionalKey(Schema.Json),
  cutAfterChars: Schema.optionalKey(Count),
  hang: Schema.optionalKey(Schema.Literal(true)),
}).check(
  Schema.makeFilter((error) => {
    const forms = [error.status, error.cutAfterChars, error.hang].filter((form) => form !== undefined);
    if (forms.length !== 1) return "must have exactly one of status, cutAfterChars and hang";
    const hasExtra = error.retryAfter !== undefined || error.body !== undefined;
    return hasExtra && error.status === undefined ? "retryAfter and body need a status" : undefined;
  }),
);
export type ScriptError = typeof ScriptError.Type;

/** One response, or one failed attempt. */
export const ScriptTurn = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  reasoning: Schema.optionalKey(Schema.String),
  toolCalls: Schema.optionalKey(Schema.Array(ScriptCall)),
  usage: Schema.optionalKey(
    Schema.Struct({
      inputTokens: Count,
      outputTokens: Count,
      cachedTokens: Schema.optionalKey(Count),
      reasoningTokens: Schema.optionalKey(Count),
    }),
  ),
  delayMs: Schema.optionalKey(Milliseconds),
  error: Schema.optionalKey(ScriptError),
});
export type ScriptTurn = typeof ScriptTurn.Type;

/** `turns` are the root's; `agents` has, by profile id, the turns of its first, second, … invocation. */
export const Script = Schema.Struct({
  format: Schema.Literal(format),
  turns: Schema.optionalKey(Schema.Array(ScriptTurn)),
  agents: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Array(Schema.Struct({ turns: Schema.Array(ScriptTurn) }))),
  ),
}).check(
  Schema.makeFilter((script) =>
    script.turns === undefined && script.agents === undefined ? "must have turns or agents" : undefined,
  ),
);
export type Script = typeof Script.Type;

/** One thing that is wrong with a script: where (`turns[2].error`; empty for the whole file), and which rule. */
export interface ScriptProblem {
  readonly path: string;
  readonly rule: string;
}

/** Reads the text of a script file; all problems are reported, in the order of the file. */
export const decode = (text: string): Result.Result<Script, ReadonlyArray<ScriptProblem>> => {
  const parsed = parse(text);
  if (Result.isFailure(parsed)) return Result.fail([parsed.failure]);
  const decoded = decodeScript(parsed.success);
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success);
  const { issues } = formatIssue(decoded.failure.issue);
  return Result.fail(issues.map((issue) => ({ path: pathOf(issue.path ?? []), rule: issue.message })));
};

/** Problems as one line each, for a person. */
export const explain = (problems: ReadonlyArray<ScriptProblem>): string =>
  problems.map(({ path, rule }) => (path === "" ? rule : `${path}: ${rule}`)).join("\n");

const decodeScript = Schema.decodeUnknownResult(Script, { errors: "all", onExcessProperty: "error" });
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return "is no field of a script";
    return issue._tag === "MissingKey" ? "is missing" : SchemaIssue.defaultLeafHook(issue);
  },
});

const parse = (text: string): Result.Result<unknown, ScriptProblem> => {
  if (text.trim() === "") return Result.fail({ path: "", rule: "the script is empty" });
  return Result.try({
    try: (): unknown => JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text),
    catch: (error) => ({ path: "", rule: `the script is not JSON (${error instanceof Error ? error.message : "?"})` }),
  });
};

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path
    .map((step) => (typeof step === "object" ? step.key : step))
    .reduce<string>((joined, key) => {
      if (typeof key === "number") return `${joined}[${key}]`;
      return joined === "" ? String(key) : `${joined}.${String(key)}`;
    }, "");
