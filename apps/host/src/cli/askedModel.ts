/**
 * The model that a command line asks for: a script, a model of a stored connection, or one of the environment.
 */
import type { AskedModel } from "@cahier/application/connection/chooseModel";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Script from "@cahier/provider-gateway/protocols/scripted/Script";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Models from "../composition/Models.ts";
import { invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { readText } from "./readInput.ts";

/** What --script, --connection and --model say; undefined when none of them is given. */
export const askedModel = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<AskedModel | undefined, Fatal> {
  const model = valueOf(command, "model");
  const connection = valueOf(command, "connection");
  const path = valueOf(command, "script");
  if (path !== undefined && connection !== undefined) return yield* invalid("Give either --script or --connection.");
  if (path !== undefined && model !== undefined) return yield* invalid("Give either --script or --model.");
  if (connection !== undefined) {
    if (model === undefined || model.trim() === "") return yield* invalid("--connection needs --model NAME.");
    return { connection, modelId: model };
  }
  if (path === undefined && model === undefined) return undefined;
  return yield* Models.bindingOf({ model, script: yield* readScript(path) }, process.env);
});

/** The script that a file holds, checked. */
const readScript = Effect.fnUntraced(function* (path: string | undefined): Effect.fn.Return<string | undefined, Fatal> {
  if (path === undefined) return undefined;
  const text = yield* readText(path, "model.script_invalid", "script");
  const decoded = Script.decode(text);
  return Result.isSuccess(decoded)
    ? text
    : yield* fatal(
        "model.script_invalid",
        `The script ${path} cannot be played; correct it: ${Script.explain(decoded.failure).replaceAll("\n", "; ")}.`,
      );
});
