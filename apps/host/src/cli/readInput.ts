/**
 * Files that the user names on the command line, read and checked before anything begins.
 *
 * Each that cannot be used is refused with the code of what it should be and a sentence of what to do.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as wholeText } from "node:stream/consumers";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import * as ActivatedWorldInfo from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import type { ProfileChoice } from "@cahier/application/profile/findProfile";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";

/** The text of a file, without a byte order mark. `what` names it to people: "script". */
export const readText = (path: string, code: FailureCode, what: string): Effect.Effect<string, Fatal> =>
  Effect.tryPromise({
    try: async () => (await readFile(resolve(path), "utf8")).replace(/^\ufeff/, ""),
    catch: (cause) => fatal(code, `The ${what} ${path} cannot be read. Check the path.`, { cause }),
  });

/** A profile by what `--profile` says: a path or a name that ends with `.json` is a file, anything else an id. */
export const readProfile = Effect.fnUntraced(function* (
  stated: string | undefined,
): Effect.fn.Return<ProfileChoice, Fatal> {
  if (stated === undefined) return {};
  if (!/[/\\]|\.json$/.test(stated)) return { id: stated };
  const text = yield* readText(stated, "agent.profile_not_found", "profile");
  return {
    document: yield* parsed(
      text,
      "agent.profile_contract_invalid",
      `The profile ${stated} is not JSON. Correct it, or leave --profile out.`,
    ),
  };
});

/** The activated world info of a file. */
export const readWorldInfo = Effect.fnUntraced(function* (
  path: string | undefined,
): Effect.fn.Return<ActivatedWorldInfo.ActivatedWorldInfo | undefined, Fatal> {
  if (path === undefined) return undefined;
  const code = "agent.invalid_worldinfo_activation_snapshot";
  const input = yield* parsed(
    yield* readText(path, code, "world info"),
    code,
    `The world info ${path} is not JSON. Correct it, or leave --world-info out.`,
  );
  const decoded = ActivatedWorldInfo.decode(input);
  if (Result.isSuccess(decoded)) return decoded.success;
  if (isLorebook(input))
    return yield* fatal(
      code,
      `${path} is a lorebook, and --world-info takes the entries that were active: {"timestampMs", "trigger", "entries": [...]}. The README shows one.`,
    );
  return yield* fatal(
    decoded.failure.code,
    `The world info ${path} cannot be used; correct it: ${decoded.failure.message.replaceAll(/\s*\n\s*/g, "; ")}.`,
  );
});

/** A lorebook keeps its entries by number, or in a list of entries with keys. */
const isLorebook = (input: unknown): boolean => {
  if (typeof input !== "object" || input === null || !("entries" in input)) return false;
  const { entries } = input;
  return (typeof entries === "object" && !Array.isArray(entries)) || (Array.isArray(entries) && !("trigger" in input));
};

/** The parsed JSON of a policy file, or of standard input for `-`. */
export const readPolicy = (path: string): Effect.Effect<unknown, Fatal> =>
  readDocument(path, "policy.contract_invalid", "policy");

/** The parsed JSON of a connection's file, or of standard input for `-`. */
export const readConnection = (path: string): Effect.Effect<unknown, Fatal> =>
  readDocument(path, "llm_connection.contract_invalid", "connection");

/** The parsed JSON of an MCP server's file, or of standard input for `-`. */
export const readMcpServer = (path: string): Effect.Effect<unknown, Fatal> =>
  readDocument(path, "mcp.registration_contract_invalid", "server");

/** The parsed JSON of a profile's file, or of standard input for `-`. */
export const readProfileFile = (path: string): Effect.Effect<unknown, Fatal> =>
  readDocument(path, "agent.profile_contract_invalid", "profile");

const readDocument = Effect.fnUntraced(function* (
  path: string,
  code: FailureCode,
  what: string,
): Effect.fn.Return<unknown, Fatal> {
  const text = path === "-" ? yield* standardInput(code, what) : yield* readText(path, code, what);
  return yield* parsed(
    text,
    code,
    `The ${what} ${path === "-" ? "on standard input" : path} is not JSON. Correct it; nothing was changed.`,
  );
});

const standardInput = (code: FailureCode, what: string): Effect.Effect<string, Fatal> =>
  Effect.tryPromise({
    try: () => wholeText(process.stdin),
    catch: (cause) => fatal(code, `The ${what} on standard input cannot be read.`, { cause }),
  });

const parsed = (text: string, code: FailureCode, message: string): Effect.Effect<unknown, Fatal> =>
  Effect.try({ try: (): unknown => JSON.parse(text), catch: (cause) => fatal(code, message, { cause }) });
