/**
 * `cahier skills move|remove`: Skills taken to another scope, or away.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Skills from "@cahier/application/skill/Skills";
import * as Effect from "effect/Effect";
import { writeScope, writeSource } from "../../skills/scopeText.ts";
import { look } from "../look.ts";
import * as Output from "../Output.ts";
import { has, invalid, type ParsedCommand } from "../parse.ts";
import { printable } from "../printable.ts";
import { onConflict, scopeOrGlobal, statedScope, statedSource } from "./options.ts";
import { briefOf } from "./plain.ts";

/** Takes a Skill from one scope to another, with what it came from. */
export const move = Effect.fn("cli.skills.move")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [name = ""] = command.positionals;
  const to = yield* statedScope(command, "to");
  if (to === undefined) return yield* invalid('"skills move" needs --to SCOPE.');
  const from = yield* scopeOrGlobal(command);
  const decision = yield* onConflict(command);
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    const { action, skill } = yield* store.move(name, from, to, decision);
    if (has(command, "json"))
      yield* Output.json({ name, from: writeScope(from), to: writeScope(to), action, hash: skill.hash });
    else
      yield* Output.line(
        printable(
          action === "skipped"
            ? `${name} stays in ${writeScope(from)}: another one is installed in ${writeScope(to)}.`
            : `${name} is installed in ${writeScope(to)}${action === "replaced" ? " in place of the one before" : ""}.`,
        ),
      );
    return 0;
  });
  return yield* look(command, work);
});

/** Removes one Skill, or with --source every one that nobody else has brought. Runs that have it keep it. */
export const remove = Effect.fn("cli.skills.remove")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [name] = command.positionals;
  const source = yield* statedSource(command);
  if ((name === undefined) === (source === undefined))
    return yield* invalid('"skills remove" takes either NAME or --source SOURCE.');
  if (source !== undefined && (yield* statedScope(command)) !== undefined)
    return yield* invalid("--source is looked for in every scope: leave --scope out.");
  return source === undefined ? yield* removeOne(command, name ?? "") : yield* removeSource(command, source);
});

const removeOne = Effect.fnUntraced(function* (command: ParsedCommand, name: string) {
  const scope = yield* scopeOrGlobal(command);
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    yield* store.remove(scope, name);
    yield* has(command, "json")
      ? Output.json({ removed: [{ name, scope: writeScope(scope) }] })
      : Output.line(printable(`${name} is removed from ${writeScope(scope)}.`));
    return 0;
  });
  return yield* look(command, work);
});

/** Exit code 3 where it is not known of every entry whether the source brought it. */
const removeSource = Effect.fnUntraced(function* (
  command: ParsedCommand,
  source: Parameters<Skills.Skills["removeSource"]>[0],
) {
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    const done = yield* store.removeSource(source);
    const [removed, kept] = [done.removed.map(briefOf), done.kept.map(briefOf)];
    const damaged = done.damaged.map(({ failure, id }) => ({
      id,
      error: { code: failure.reason.code, message: failure.message },
    }));
    if (has(command, "json")) yield* Output.json({ source: writeSource(source), removed, kept, damaged });
    else {
      for (const skill of removed) yield* Output.line(printable(`${skill.name} is removed from ${skill.scope}.`));
      for (const skill of kept)
        yield* Output.line(printable(`${skill.name} stays in ${skill.scope}: ${skill.sources.join(", ")} has it too.`));
      if (removed.length + kept.length === 0)
        yield* Output.line(printable(`No Skill came from ${writeSource(source)}.`));
      for (const { error } of damaged) yield* Output.complain(error.message, error.code);
    }
    return damaged.length === 0 ? 0 : 3;
  });
  return yield* look(command, work);
});
