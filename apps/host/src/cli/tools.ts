/**
 * `cahier tools list`: the tools that an invocation would be given, from the same preparation that a run uses.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { PolicyDecision } from "@cahier/domain/policy/PolicyDecision";
import { effectClassOf } from "@cahier/domain/tool/ToolDescriptor";
import type { ToolBinding } from "@cahier/domain/tool/ToolSnapshot";
import * as Policies from "@cahier/application/policy/Policies";
import { findProfile } from "@cahier/application/profile/findProfile";
import { definitionsOf, prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import { Tools } from "@cahier/application/tool/Tools";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Output from "./Output.ts";
import { has, type ParsedCommand, valueOf, wordOf } from "./parse.ts";
import { lookAtTools } from "./lookAtTools.ts";
import { printable } from "./printable.ts";
import { readProfile } from "./readInput.ts";
import { table } from "./table.ts";

/** The tools of a scene and a profile under the stored policies, in the order in which the model sees them. */
export const list = Effect.fn("cli.tools.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const scene = (yield* wordOf(command, "scene", ["chat", "session"])) ?? "chat";
  const choice = yield* readProfile(valueOf(command, "profile"));
  const work = Effect.gen(function* () {
    const offered = yield* (yield* Tools).catalogue;
    const catalog = offered.tools;
    const { diagnostics, profile } = yield* findProfile(choice);
    const layers = yield* Policies.layersFor(profile);
    const prepared = prepareSnapshot({ id: "tools", catalog, scene, profile, layers });
    if (Result.isFailure(prepared)) return yield* fatal(prepared.failure.code, prepared.failure.message);
    const definitions = definitionsOf(prepared.success);
    const tools = prepared.success.bindings.map((binding, index) =>
      rowOf(binding, definitions[index]?.description ?? ""),
    );
    if (has(command, "json"))
      yield* Output.json({
        profileId: profile.id,
        scene,
        tools,
        leftOut: diagnostics,
        notOffered: offered.diagnostics,
      });
    else {
      for (const line of table(
        ["NAME", "ID", "SOURCE", "PERMISSION", "EFFECT", "DESCRIPTION"],
        tools.map((tool) => [
          tool.alias,
          printable(tool.id),
          tool.source,
          tool.permission,
          tool.effectClass,
          printable(firstSentence(tool.description)),
        ]),
        process.stdout.isTTY ? process.stdout.columns : undefined,
      ))
        yield* Output.line(line);
      for (const line of new Set([
        ...diagnostics,
        ...offered.diagnostics.map(({ code, message }) => `${message} [${code}]`),
      ]))
        yield* Output.line(printable(line));
    }
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const rowOf = ({ descriptor, modelAlias, policy }: ToolBinding, description: string) => ({
  alias: modelAlias,
  id: descriptor.id,
  source: descriptor.source,
  permission: policy === undefined ? "always" : permissionOf(policy),
  effectClass: effectClassOf(descriptor),
  title: descriptor.title,
  description,
});

/** What policy comes to, in the word that a rule would use. */
const permissionOf = ({ approval, callable }: PolicyDecision): "always" | "ask" | "deny" => {
  if (!callable) return "deny";
  return approval ? "ask" : "always";
};

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
