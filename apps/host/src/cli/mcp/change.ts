/**
 * `cahier mcp add|permit|resume|pause|remove`: what a user decides about MCP servers.
 *
 * Owns that a program is shown, in full, before it may be started. A program to start comes from the file that the user names
 * and from nowhere else.
 */
import { McpServers } from "@cahier/application/mcp/McpServers";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { McpRegistration } from "@cahier/domain/mcp/McpRegistration";
import type { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as McpGrants from "../../process/McpGrants.ts";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "../parse.ts";
import { printable } from "../printable.ts";
import { readMcpServer } from "../readInput.ts";
import { unlessStopped } from "../stoppable.ts";
import * as TypedLines from "../TypedLines.ts";
import * as describe from "./describe.ts";

/** Registers a server, or changes one; one that is wrong is refused and changes nothing. */
export const add = Effect.fn("cli.mcp.add")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [path = ""] = command.positionals;
  const replaced = valueOf(command, "replace");
  const input = yield* readMcpServer(path);
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const stored = yield* replaced === undefined ? servers.create(input) : servers.update(replaced, input);
    if (has(command, "json")) {
      yield* Output.json(stored);
      return 0;
    }
    const { registration } = stored;
    const { displayName, id, state } = registration;
    yield* lines([
      `${printable(displayName)} is ${replaced === undefined ? "registered as" : "changed:"} ${id}.`,
      ...describe.wayOf(registration),
      ...(state === "paused" ? [`It is paused. "cahier mcp resume ${id}" activates it.`] : []),
    ]);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Permits a tool as it is known now, or takes the permission back. */
export const permit = Effect.fn("cli.mcp.permit")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = "", tool = "", stated = ""] = command.positionals;
  const discoveredAt = valueOf(command, "as-of");
  const permission = (["off", "ask", "allow"] as const).find((one) => one === stated);
  if (permission === undefined) return yield* invalid(`A tool is permitted by one of off, ask, allow.`);
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const { registration, revision } = yield* servers.setPermission(
      id,
      tool,
      permission,
      discoveredAt === undefined ? {} : { discoveredAt },
    );
    const permitted = (yield* servers.known(id))?.tools.find((one) => one.tool.name === tool);
    if (has(command, "json")) {
      yield* Output.json({ id, tool, toolId: describe.idText(id, tool), permission, revision });
      return 0;
    }
    yield* lines([
      ...(permission === "off" || permitted === undefined ? [] : describe.wholeTool(permitted)),
      `${printable(tool)} of ${printable(registration.displayName)}: ${meanings[permission]}.`,
      ...(permission === "off" ? [] : [`In the tools.allow of a profile it is called ${describe.idText(id, tool)}.`]),
      ...(permission !== "off" && registration.state === "paused"
        ? [`The server is paused; "cahier mcp resume ${id}" activates it.`]
        : []),
    ]);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const meanings = {
  off: "no run may call it",
  ask: "a call waits until a person allows it",
  allow: "a call runs at once, unless a policy says something else",
} as const;

/** Activates a server. Where a program is to be started, it is shown and the user is asked. */
export const resume = Effect.fn("cli.mcp.resume")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const { registration } = yield* servers.get(id);
    if (!has(command, "json"))
      yield* lines([`${id}: ${printable(registration.displayName)}`, ...describe.wayOf(registration)]);
    const isAgreed = registration.state === "active" ? true : yield* agreed(registration, command);
    if (isAgreed === undefined) return 130;
    if (!isAgreed) {
      yield* Output.line("It stays paused.");
      return 0;
    }
    const after = yield* servers.setState(id, "active", { seen: registration });
    if (has(command, "json")) yield* Output.json(after);
    else yield* Output.line(`It is active. "cahier mcp discover ${id}" asks it for its tools.`);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Pauses a server. */
export const pause = Effect.fn("cli.mcp.pause")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const stored = yield* (yield* McpServers).setState(id, "paused");
    if (has(command, "json")) yield* Output.json(stored);
    else
      yield* Output.line(
        `${printable(stored.registration.displayName)} is paused: it is called no more. A call that another process is making goes on to its end, and ends there.`,
      );
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Removes a server and what is known of it. */
export const remove = Effect.fn("cli.mcp.remove")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    yield* (yield* McpServers).remove(id);
    // What was granted for it is of no use any more. One that cannot be removed keeps the registration from nothing.
    const { forget } = McpGrants.make(McpGrants.folderOf(process.env));
    yield* forget(id).pipe(Effect.catch((fault) => Effect.logWarning(fault.detail)));
    yield* has(command, "json") ? Output.json({ removed: id }) : Output.line(`${printable(id)} is removed.`);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const lines = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(texts, Output.line, { discard: true });

/** Whether the user wants the program to be started; undefined when they leave without an answer. */
const agreed = Effect.fnUntraced(function* (
  registration: McpRegistration,
  command: ParsedCommand,
): Effect.fn.Return<boolean | undefined, Fatal, HostProcess> {
  if (registration.endpoint.transport === "http" || has(command, "yes")) return true;
  if (has(command, "json") || !process.stdin.isTTY || !process.stdout.isTTY)
    return yield* invalid(
      `An active server of this kind starts a program with your rights: ${describe.reachedBy(registration.endpoint)}. If that is what you want, say --yes.`,
    );
  yield* Output.line("Active, it starts this program with your rights whenever it is asked for something.");
  return yield* unlessStopped(Effect.scoped(Effect.flatMap(TypedLines.make, ask)));
});

const ask = Effect.fnUntraced(function* (typed: TypedLines.TypedLines): Effect.fn.Return<boolean | undefined> {
  for (;;) {
    yield* Output.raw("  Activate it?  [y]es  [n]o: ");
    const line = yield* typed.nextLine;
    if (line === undefined) return undefined;
    const answer = line.trim().toLowerCase();
    if (answer === "y" || answer === "yes") return true;
    if (answer === "n" || answer === "no") return false;
  }
});
