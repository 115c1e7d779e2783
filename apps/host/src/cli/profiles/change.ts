/**
 * `cahier profiles delete|repair|retarget`: changes to profiles that are stored.
 */
import { profilesCollection } from "@cahier/application/profile/findProfile";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import { wanted } from "../../profiles/Diagnosis.ts";
import { type Repair, repairAll } from "../../profiles/repairProfile.ts";
import { readRetargeting, requireTarget, retargeted, type Retargeting } from "../../profiles/retargetPresets.ts";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, invalid, type ParsedCommand } from "../parse.ts";
import { presetLookup } from "../presetFolder.ts";
import { printable } from "../printable.ts";
import { connectionState, presetState } from "./diagnose.ts";
import { all, look, notFound, put, stored } from "./store.ts";

/** Removes a profile, readable or not. Runs that have it keep it: it is frozen with them. */
export const remove = Effect.fn("cli.profiles.delete")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const documents = yield* DocumentStore;
    if ((yield* look(id)) === undefined) return yield* notFound(id);
    yield* documents.remove(profilesCollection, id).pipe(Effect.mapError(classifyStorage));
    yield* has(command, "json") ? Output.json({ deleted: id }) : Output.line(`${id} is deleted.`);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Does the repairs that are asked for and are of use; tells of each. Gives 4 when none was. */
export const repair = Effect.fn("cli.profiles.repair")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const asked: ReadonlyArray<Repair> = [
    ...(has(command, "normalize-identity") ? (["normalizeIdentity"] as const) : []),
    ...(has(command, "require-configuration") ? (["requireConfiguration"] as const) : []),
  ];
  if (asked.length === 0)
    return yield* invalid('"profiles repair" needs --normalize-identity, --require-configuration or both.');
  const work = Effect.gen(function* () {
    const { revision, value } = yield* stored(id);
    const { connection } = wanted(value);
    const state = connection === undefined ? undefined : yield* connectionState(connection);
    const { outcomes, value: after } = repairAll(asked, id, value, state);
    if (outcomes.every(({ reason }) => reason !== null))
      return yield* fatal(
        "usage.invalid",
        `There is nothing to repair in ${id}: ${outcomes.map(({ reason }) => reason).join(" ")}`,
      );
    const afterRevision = yield* put(id, revision, after);
    const repairs = outcomes.map((each) => ({ ...each, done: each.reason === null }));
    if (has(command, "json")) yield* Output.json({ id, revision: afterRevision, repairs });
    else for (const each of repairs) yield* Output.line(printable(`${id}: ${each.reason ?? deeds[each.repair]}`));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const deeds: { readonly [Each in Repair]: string } = {
  normalizeIdentity: "it has the id that it is kept under.",
  requireConfiguration: "its connection is taken out; choose a model before it is used.",
};

/**
 * Names a preset's new name in every profile that names the old one, one profile after the other: asked again after a failure
 * it does the rest.
 */
export const retarget = Effect.fn("cli.profiles.retarget")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [from = "", to = ""] = command.positionals;
  const presets = yield* presetLookup(command);
  const asked = readRetargeting(from, to);
  if ("code" in asked) return yield* fatal(asked.code, asked.message);
  const missing = requireTarget(asked, yield* presetState(presets, asked.to));
  if (missing !== undefined) return yield* fatal(missing.code, missing.message);
  const work = Effect.gen(function* () {
    const profileIds = yield* retargetAll(asked);
    if (has(command, "json")) yield* Output.json({ updated: profileIds.length, profileIds });
    else if (profileIds.length === 0) yield* Output.line(printable(`No profile names ${from}.`));
    else for (const id of profileIds) yield* Output.line(printable(`${id} names ${to}.`));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const retargetAll = Effect.fnUntraced(function* (asked: Retargeting) {
  const { documents } = yield* all();
  const changed = documents.flatMap(({ id, revision, value }) => {
    const after = retargeted(value, asked);
    return after === undefined ? [] : [{ id, revision, after }];
  });
  yield* Effect.forEach(changed, ({ after, id, revision }) => put(id, revision, after), { discard: true });
  return changed.map(({ id }) => id);
});
