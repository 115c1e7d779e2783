/**
 * `cahier mcp list|show|discover`: which MCP servers there are, and what they offer.
 *
 * Only `discover` asks a server; secrets are named, and their values are never read out.
 */
import type { Discovery } from "@cahier/application/mcp/Discovery";
import { McpServers } from "@cahier/application/mcp/McpServers";
import type { StoredRegistration } from "@cahier/application/mcp/Registrations";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, type ParsedCommand } from "../parse.ts";
import { printable, shortened } from "../printable.ts";
import { table } from "../table.ts";
import * as describe from "./describe.ts";

/** Every registered server; one that cannot be used is named with why. */
export const list = Effect.fn("cli.mcp.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const { servers: stored, storageIssues } = yield* servers.list;
    const rows = yield* Effect.forEach(stored, ({ registration, revision }) =>
      Effect.map(servers.known(registration.id), (known) => ({ registration, revision, known })),
    );
    const unusable = storageIssues.map(({ failure, id }) => ({
      id,
      error: { code: failure.reason.code, message: failure.reason.message },
    }));
    if (has(command, "json")) {
      yield* Output.json({
        servers: rows.map(({ known, registration, revision }) => ({
          registration,
          revision,
          tools: known === undefined ? null : summaryOf(known),
        })),
        unusable,
      });
      return 0;
    }
    if (rows.length === 0 && unusable.length === 0)
      yield* Output.line("No MCP server is registered; cahier mcp add FILE.json registers one.");
    if (rows.length > 0) yield* Effect.forEach(tableOf(rows), Output.line, { discard: true });
    for (const { error, id } of unusable) yield* Output.line(printable(`${id}: ${error.message} [${error.code}]`));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** One server in full, or one of its tools, without asking it. */
export const show = Effect.fn("cli.mcp.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = "", tool] = command.positionals;
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const { registration, revision } = yield* servers.get(id);
    const known = yield* servers.known(id);
    if (tool !== undefined) {
      const found = known?.tools.find((one) => one.tool.name === tool);
      if (found === undefined)
        return yield* fatal(
          "mcp.tool_unknown",
          `${printable(registration.displayName)} is not known to have a tool ${printable(tool)}. "cahier mcp discover ${id}" shows those that it has.`,
        );
      yield* has(command, "json") ? Output.json({ id, ...found }) : lines(describe.wholeTool(found));
      return 0;
    }
    if (has(command, "json")) {
      yield* Output.json({
        registration,
        revision,
        discovery: known === undefined ? null : describe.discoveryJson(known),
      });
      return 0;
    }
    yield* lines([
      `${registration.id}: ${printable(registration.displayName)}, revision ${revision}`,
      `state     ${registration.state}`,
      ...describe.wayOf(registration),
    ]);
    if (known === undefined)
      yield* Output.line(
        `Its tools are not known yet; "cahier mcp discover ${id}" asks for them${registration.state === "paused" ? ` once it is active (cahier mcp resume ${id})` : ""}.`,
      );
    else yield* lines(offered(known));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Asks a server for its tools and keeps what it says. */
export const discover = Effect.fn("cli.mcp.discover")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const first = yield* servers.discover(id, { refresh: true });
    // Some servers have all of their tools only once they have seen who asks.
    const found = first.isStale ? yield* servers.discover(id, { refresh: true }) : first;
    if (has(command, "json")) yield* Output.json(describe.discoveryJson(found));
    else {
      yield* lines(offered(found));
      if (found.tools.length > 0 && found.tools.every(({ standing }) => standing === "off"))
        yield* Output.line(`None of them is permitted; "cahier mcp permit ${id} TOOL ask" permits one.`);
    }
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const lines = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(texts, Output.line, { discard: true });

interface Row extends StoredRegistration {
  readonly known: Discovery | undefined;
}

const tableOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  table(
    ["ID", "NAME", "STATE", "TOOLS", "REACHED BY"],
    rows.map(({ known, registration }) => [
      registration.id,
      shortened(printable(registration.displayName), 40),
      registration.state,
      describe.toolsText(registration, known),
      describe.reachedBy(registration.endpoint),
    ]),
    columns(),
  );

const columns = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);

const summaryOf = ({ discoveredAt, isStale, staleTools, tools }: Discovery) => ({
  discoveredAt,
  isStale,
  known: tools.length,
  permitted: tools.filter(({ standing }) => standing === "holds").map(({ tool }) => tool.name),
  changed: tools.filter(({ standing }) => standing === "changed").map(({ tool }) => tool.name),
  paused: tools.filter(({ standing }) => standing === "paused").map(({ tool }) => tool.name),
  gone: staleTools,
});

const offered = (found: Discovery): ReadonlyArray<string> => [
  `known     as of ${found.discoveredAt}: ${printable(`${found.peer.name} ${found.peer.version}`)}, protocol ${printable(found.protocolVersion)}`,
  ...(found.instructions === undefined ? [] : [`says      ${shortened(printable(found.instructions), 300)}`]),
  ...(found.tools.length === 0
    ? ["It offers no tools."]
    : table(describe.toolHeads, found.tools.map(describe.toolRow), columns())),
  ...describe.remarks(found),
];
