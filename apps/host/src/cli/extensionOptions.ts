/**
 * What a command line says about extensions that connect to it: the door that it opens, and the tools that it waits for.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { originOf } from "../extensions/origins.ts";
import { invalid, numberOf, type ParsedCommand, valueOf, valuesOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { quoted } from "./storageOf.ts";

/** `token` is undefined where one is to be made. */
export interface ExtensionOptions {
  readonly port: number;
  readonly origins: ReadonlyArray<string>;
  readonly token: Redacted.Redacted | undefined;
  readonly waitFor: ReadonlyArray<ToolId>;
  readonly waitSeconds: number;
}

/** The variable that the token of the bridge is taken from. */
export const tokenVariable = "CAHIER_EXTENSION_TOKEN";

/** What is asked for, or undefined where no extension is to connect. */
export const extensionOptions = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<ExtensionOptions | undefined, Fatal> {
  const port = yield* numberOf(command, "extensions", 0, 65_535);
  if (port === undefined) {
    const alone = ["extension-origin", "wait-for", "wait-seconds"].find((name) => command.options[name] !== undefined);
    if (alone === undefined) return undefined;
    return yield* invalid(`--${alone} needs --extensions, which lets extensions connect.`);
  }
  const origins = yield* Effect.forEach(valuesOf(command, "extension-origin"), namedOrigin);
  const waitFor = yield* Effect.forEach(valuesOf(command, "wait-for"), namedTool);
  const waitSeconds = (yield* numberOf(command, "wait-seconds", 1, 3_600)) ?? 30;
  const token = yield* statedToken(process.env[tokenVariable] ?? "");
  return { port, origins, token, waitFor: [...new Set(waitFor)], waitSeconds };
});

/** The words that let the same extensions connect to another command, and make it wait for the same tools. */
export const extensionWords = (command: ParsedCommand): ReadonlyArray<string> => {
  const port = valueOf(command, "extensions");
  if (port === undefined) return [];
  const repeated = ["extension-origin", "wait-for"].flatMap((name) =>
    valuesOf(command, name).flatMap((value) => [`--${name}`, quoted(value)]),
  );
  return ["--extensions", ...(port === "0" ? [] : [port]), ...repeated];
};

const namedOrigin = (stated: string): Effect.Effect<string, Fatal> => {
  const origin = originOf(stated);
  return origin === undefined
    ? Effect.fail(
        invalid(
          `--extension-origin takes where a page is from, such as http://localhost:8000; "${printable(stated)}" is none.`,
        ),
      )
    : Effect.succeed(origin);
};

const namedTool = (stated: string): Effect.Effect<ToolId, Fatal> =>
  /^extension\/[A-Za-z0-9._-]{1,128}:\S/.test(stated)
    ? Effect.succeed(ToolId.make(stated))
    : Effect.fail(
        invalid(`--wait-for takes the id of a tool, such as extension/bell:ring; "${printable(stated)}" is none.`),
      );

/** Whoever knows it can give tools to runs, so it must not be guessed. The refusal does not repeat it. */
const statedToken = (stated: string): Effect.Effect<Redacted.Redacted | undefined, Fatal> => {
  if (stated === "") return Effect.undefined;
  return stated.length >= 16 && stated.length <= 512
    ? Effect.succeed(Redacted.make(stated))
    : Effect.fail(invalid(`${tokenVariable} must have 16 to 512 characters. Without it a token is made.`));
};
