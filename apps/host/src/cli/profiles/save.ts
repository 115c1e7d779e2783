/**
 * `cahier profiles save|new`: profiles that a person writes.
 */
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { defaultWriterId } from "@cahier/domain/profile/defaultWriter";
import * as Profile from "@cahier/domain/profile/Profile";
import { ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { missingExtensionTools } from "../../profiles/missingExtensionTools.ts";
import { newProfile } from "../../profiles/newProfile.ts";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, type ParsedCommand, valueOf } from "../parse.ts";
import { printable } from "../printable.ts";
import { readProfileFile } from "../readInput.ts";
import { catalogue, issuesOf, look, put, refusal, stored } from "./store.ts";

/** Stores a profile in place of the one with its id; one that breaks a rule is refused and changes nothing. */
export const save = Effect.fn("cli.profiles.save")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [path = ""] = command.positionals;
  const input = yield* readProfileFile(path);
  const work = Effect.gen(function* () {
    const profile = yield* Effect.fromResult(Result.mapError(Profile.decode(input), (found) => refusal(found)));
    const issues = yield* issuesOf(input, profile.id);
    if (issues.length > 0) return yield* refusal(issues);
    const found = yield* look(profile.id);
    const before = found === undefined ? undefined : "_tag" in found ? yield* classifyStorage(found) : found;
    const missing = yield* admitMissing(profile, before?.value);
    const revision = yield* put(profile.id, before?.revision ?? 0, input);
    if (has(command, "json"))
      yield* Output.json({ id: profile.id, revision, ...(missing.length > 0 && { missingTools: missing }) });
    else {
      yield* Output.line(`${profile.id} is stored${before === undefined ? "" : " in place of the one before"}.`);
      for (const toolId of missing)
        yield* Output.line(printable(`No extension offers ${toolId} here now; a run does without it until one does.`));
    }
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Stores a profile that can be used as it is, to be changed later: a copy of another one, else of the built-in one. */
export const create = Effect.fn("cli.profiles.new")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const [from, displayName] = [valueOf(command, "from"), valueOf(command, "name")];
  const work = Effect.gen(function* () {
    if ((yield* look(id)) !== undefined)
      return yield* fatal("usage.invalid", `A profile ${id} is stored already. Choose another id, or change that one.`);
    const profile = newProfile(id, {
      catalogue: yield* catalogue,
      displayName,
      from: from === undefined ? undefined : yield* original(from),
    });
    const issues = yield* issuesOf(profile, id);
    if (issues.length > 0) return yield* refusal(issues);
    const revision = yield* put(id, 0, profile);
    if (has(command, "json")) yield* Output.json({ id, revision, profile });
    else
      yield* Output.line(
        `${id} is stored. cahier profiles show ${id} prints it; cahier profiles save FILE.json stores what you make of it.`,
      );
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** The tools of extensions that are missing and that the profile had before; it is refused where it selects one anew. */
const admitMissing = Effect.fnUntraced(function* (
  { tools }: Profile.Profile,
  before: unknown,
): Effect.fn.Return<ReadonlyArray<string>, Fatal, ExtensionTools> {
  const had = new Set(Result.match(Profile.decode(before), { onFailure: () => [], onSuccess: allowedBy }));
  const missing = missingExtensionTools(tools?.allow ?? [], yield* (yield* ExtensionTools).list);
  const anew = missing.find(({ toolId }) => !had.has(toolId));
  if (anew !== undefined)
    return yield* fatal(
      "extension.tool_unavailable",
      `The profile cannot be stored: no extension offers ${printable(anew.toolId)} here now (tools.allow[${anew.index}]). Store it where the extension is connected, or remove the tool.`,
    );
  return missing.map(({ toolId }) => toolId);
});

const allowedBy = ({ tools }: Profile.Profile): ReadonlyArray<string> => tools?.allow ?? [];

/** The stored profile of an id; the built-in one where none is stored under its id. */
const original = Effect.fnUntraced(function* (id: string) {
  if (id === defaultWriterId && (yield* look(id)) === undefined) return undefined;
  const { value } = yield* stored(id);
  return yield* Effect.fromResult(
    Result.mapError(Profile.decode(value), (issues) => refusal(issues, `The profile ${id} cannot be copied`)),
  );
});
