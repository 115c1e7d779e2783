/**
 * The MCP servers that a user has registered: what they offer, what is permitted of it, and reaching them.
 *
 * Owns the use cases of people: registering, looking, permitting, trying. One instance a process, for it keeps in memory what
 * it knows. Does not own the wire (`McpGateway`) nor how runs use tools (`mcpSource`). A server that is paused is never reached.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { isFailureCode } from "@cahier/domain/failure/FailureCode";
import * as McpCatalogue from "@cahier/domain/mcp/McpCatalogue";
import * as McpRegistration from "@cahier/domain/mcp/McpRegistration";
import { definitionOf, type McpToolStated } from "@cahier/domain/mcp/McpToolDefinition";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { quote } from "@cahier/domain/workspace/Refusal";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { type McpFault, McpGateway, type McpOutcome } from "@cahier/ports/McpGateway";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Schema from "effect/Schema";
import { Identifiers } from "../identity/Identifiers.ts";
import * as Catalogues from "./Catalogues.ts";
import { type Discovery, discoveryOf } from "./Discovery.ts";
import { keepDiscovery } from "./keepDiscovery.ts";
import * as Registrations from "./Registrations.ts";
import { reachedOtherwise, settingsOf, withoutPermission } from "./registrationChanges.ts";
import { standingOf } from "./standing.ts";
import * as Views from "./Views.ts";

/** A tool that may be called now. */
export interface PermittedTool {
  readonly registration: McpRegistration.McpRegistration;
  readonly tool: McpToolStated;
  readonly permission: "ask" | "allow";
}

export class McpServers extends Context.Service<
  McpServers,
  {
    /** All registrations; one that cannot be read is told beside the others and hides none of them. */
    readonly list: Effect.Effect<Registrations.Listed, Fatal>;
    readonly get: (id: string) => Effect.Effect<Registrations.StoredRegistration, Fatal>;
    /**
     * Registers a server under a new id, always paused. `input` (parsed JSON) has `displayName` and `endpoint`, and may have
     * `protocolVersion` and `allowsSampling`; anything else is refused.
     */
    readonly create: (input: unknown) => Effect.Effect<Registrations.StoredRegistration, Fatal>;
    /**
     * Replaces those of the same fields that `input` has; only a user's word does. Where the server is reached otherwise then, what
     * is known of it is dropped, it is paused, and every permission waits to be given again.
     */
    readonly update: (id: string, input: unknown) => Effect.Effect<Registrations.StoredRegistration, Fatal>;
    /**
     * Of a server that is paused none of the tools is offered or called any more, by any process; what this one has open with it ends.
     * With `seen` it is refused when the server is another one by now than its user has looked at (`mcp.registration_changed`).
     */
    readonly setState: (
      id: string,
      state: "active" | "paused",
      options?: { readonly seen?: McpRegistration.McpRegistration },
    ) => Effect.Effect<Registrations.StoredRegistration, Fatal>;
    /** Removes a registration, readable or not, and what is known of the server. Secrets stay where they are. */
    readonly remove: (id: string) => Effect.Effect<void, Fatal>;
    /**
     * What the server offers: from memory, else from the storage, else by asking it. It is asked, too, with `refresh` and when it has
     * said that its tools are others. What it says is kept; where that fails a diagnostic `mcp.catalog_persistence_failed` tells it.
     */
    readonly discover: (id: string, options?: { readonly refresh?: boolean }) => Effect.Effect<Discovery, Fatal>;
    /** What is known without asking the server; undefined for nothing. */
    readonly known: (id: string) => Effect.Effect<Discovery | undefined, Fatal>;
    /**
     * Permits a tool as it is known now, or takes the permission back. A tool that is not known cannot be permitted
     * (`mcp.tool_unknown`). With `discoveredAt` it is refused when what is known by now is another discovery than the one that its
     * user has looked at (`mcp.catalogue_changed`).
     */
    readonly setPermission: (
      id: string,
      nativeName: string,
      permission: "off" | "ask" | "allow",
      options?: { readonly discoveredAt?: string },
    ) => Effect.Effect<Registrations.StoredRegistration, Fatal>;
    /** Calls a tool for its user, permitted or not. Nothing of it is recorded. `timeoutMs` is a minute unless stated. */
    readonly testCall: (
      id: string,
      nativeName: string,
      given: JsonObject,
      options?: { readonly timeoutMs?: number },
    ) => Effect.Effect<McpOutcome, Fatal>;
    /** One list of the server, as it stands on the wire. */
    readonly entries: (
      id: string,
      list: "resources" | "resourceTemplates" | "prompts",
    ) => Effect.Effect<ReadonlyArray<Schema.Json>, Fatal>;
    readonly readResource: (id: string, uri: string) => Effect.Effect<Schema.Json, Fatal>;
    readonly getPrompt: (
      id: string,
      name: string,
      given: Readonly<Record<string, string>>,
    ) => Effect.Effect<Schema.Json, Fatal>;
    /** Ends the session and the process of a server; the next request opens another. */
    readonly close: (id: string) => Effect.Effect<void>;
    /** All servers with what is known of them. The same value for as long as nothing has changed, in any process. Never fails. */
    readonly view: Effect.Effect<Views.View>;
    /** A tool that is permitted, read anew from the storage; undefined where it is not, or not as it was permitted. */
    readonly permitted: (id: string, nativeName: string) => Effect.Effect<PermittedTool | undefined>;
    /** A server has said that a list of its is another now. */
    readonly listChanged: (id: string, list: "tools" | "resources" | "prompts") => void;
  }
>()("@cahier/application/mcp/McpServers") {}

/** Makes the servers of a storage. */
export const make = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const gateway = yield* McpGateway;
  const identifiers = yield* Identifiers;
  const registrations = Registrations.make(documents);
  const catalogues = Catalogues.make(documents);

  const listChanged = (id: string, list: "tools" | "resources" | "prompts"): void => {
    if (list === "tools") catalogues.markStale(id);
  };

  const active = Effect.fnUntraced(function* (id: string) {
    const { registration } = yield* registrations.get(id);
    if (registration.state === "paused") return yield* paused(registration);
    return registration;
  });

  const known = Effect.fnUntraced(function* (registration: McpRegistration.McpRegistration) {
    const from = catalogues.isInMemory(registration) ? "memory" : "storage";
    const found = yield* catalogues.find(registration);
    return found === undefined ? undefined : discoveryOf(registration, found, from);
  });

  const ask = Effect.fnUntraced(function* (registration: McpRegistration.McpRegistration) {
    const { id } = registration;
    const changes = catalogues.changesOf(id);
    const stated = yield* gateway
      .discover(McpRegistration.serverOf(registration), { listChanged })
      .pipe(Effect.mapError((fault) => unreached(registration, fault)));
    const catalogue: McpCatalogue.McpCatalogue = {
      kind: McpCatalogue.catalogueKind,
      schemaVersion: McpCatalogue.catalogueSchemaVersion,
      discoveredAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
      reachedBy: McpCatalogue.wayOf(registration),
      ...stated,
    };
    const kept = yield* keepDiscovery(registrations, catalogues, registration, catalogue, identifiers.next());
    const found = {
      catalogue,
      isStale: catalogues.changesOf(id) !== changes,
      ...(kept.notKept === undefined ? {} : { notKept: kept.notKept }),
    };
    catalogues.remember(kept.registration, found);
    return discoveryOf(kept.registration, found, "network");
  });

  const request = <A>(
    id: string,
    make: (server: ReturnType<typeof McpRegistration.serverOf>) => Effect.Effect<A, McpFault>,
  ): Effect.Effect<A, Fatal> =>
    Effect.flatMap(active(id), (registration) =>
      Effect.mapError(make(McpRegistration.serverOf(registration)), (fault) => unreached(registration, fault)),
    );

  return McpServers.of({
    list: registrations.list,
    get: registrations.get,
    create: Effect.fn("McpServers.create")(function* (input) {
      const stated = yield* settingsOf(input, "The server cannot be registered");
      return yield* registrations.insert(
        yield* Registrations.checkedAs("The server cannot be registered", {
          ...stated,
          kind: McpRegistration.registrationKind,
          schemaVersion: McpRegistration.registrationSchemaVersion,
          id: asUuid(identifiers.next()),
        }),
      );
    }),
    update: Effect.fn("McpServers.update")(function* (id, input) {
      const stated = yield* settingsOf(input, "The server cannot be registered so");
      const { after, before } = yield* registrations.change(id, (present) =>
        Effect.map(
          Registrations.checkedAs("The server cannot be registered so", { ...present, ...stated }),
          (changed) => (McpCatalogue.isSameWay(changed, present) ? changed : reachedOtherwise(changed)),
        ),
      );
      if (!McpCatalogue.isSameWay(after.registration, before.registration)) yield* catalogues.forget(id);
      yield* gateway.close(id);
      return after;
    }),
    setState: Effect.fn("McpServers.setState")(function* (id, state, options) {
      const { after } = yield* registrations.change(id, (present) =>
        options?.seen === undefined || isAsSeen(present, options.seen)
          ? Effect.succeed(present.state === state ? present : { ...present, state })
          : Effect.fail(changedMeanwhile(id)),
      );
      if (state === "paused") yield* gateway.close(id);
      return after;
    }),
    remove: Effect.fn("McpServers.remove")(function* (id) {
      yield* registrations.remove(id);
      yield* catalogues.forget(id);
      yield* gateway.close(id);
    }),
    discover: Effect.fn("McpServers.discover")(function* (id, options) {
      const { registration } = yield* registrations.get(id);
      const found = options?.refresh === true ? undefined : yield* known(registration);
      if (found !== undefined && (!found.isStale || registration.state === "paused")) return found;
      if (registration.state === "paused") return yield* paused(registration);
      return yield* ask(registration);
    }),
    known: Effect.fn("McpServers.known")(function* (id) {
      const { registration } = yield* registrations.get(id);
      return yield* known(registration);
    }),
    setPermission: Effect.fn("McpServers.setPermission")(function* (id, nativeName, permission, options) {
      const { after } = yield* registrations.change(id, (present) =>
        permission === "off"
          ? Effect.succeed(withoutPermission(present, nativeName))
          : Effect.map(toolOf(catalogues, present, nativeName, options?.discoveredAt), (tool) => ({
              ...present,
              toolPermissions: {
                ...present.toolPermissions,
                [nativeName]: { permission, definition: definitionOf(tool) },
              },
            })),
      );
      return after;
    }),
    testCall: Effect.fn("McpServers.testCall")(function* (id, nativeName, given, options) {
      const registration = yield* active(id);
      return yield* gateway.call(
        McpRegistration.serverOf(registration),
        { tool: nativeName, arguments: given, timeoutMs: options?.timeoutMs ?? testCallMs },
        { listChanged },
      );
    }),
    entries: Effect.fn("McpServers.entries")((id, list) => request(id, (server) => gateway.list(server, list))),
    readResource: Effect.fn("McpServers.readResource")((id, uri) =>
      request(id, (server) => gateway.readResource(server, uri)),
    ),
    getPrompt: Effect.fn("McpServers.getPrompt")((id, name, given) =>
      request(id, (server) => gateway.getPrompt(server, name, given)),
    ),
    close: gateway.close,
    view: Views.make(registrations, catalogues),
    permitted: Effect.fnUntraced(function* (id, nativeName) {
      const stored = yield* registrations.get(id).pipe(Effect.catch(() => Effect.undefined));
      if (stored === undefined || stored.registration.state === "paused") return undefined;
      const { registration } = stored;
      const found = yield* catalogues.find(registration);
      const tool = found?.catalogue.tools.find(({ name }) => name === nativeName);
      if (tool === undefined) return undefined;
      const { permission, standing } = standingOf(registration, tool);
      return standing === "holds" && permission !== "off" ? { registration, tool, permission } : undefined;
    }),
    listChanged,
  });
});

/** The servers as a layer; one a process. */
export const layer: Layer.Layer<McpServers, never, DocumentStore | McpGateway> = Layer.effect(McpServers, make);

const isAsSeen = (present: McpRegistration.McpRegistration, seen: McpRegistration.McpRegistration): boolean =>
  McpCatalogue.isSameWay(present, seen) && present.allowsSampling === seen.allowsSampling;

const changedMeanwhile = (id: string): Fatal =>
  fatal(
    "mcp.registration_changed",
    `The server ${id} was changed while you looked at it, so it stays as it was. Look at it again with "cahier mcp resume ${id}".`,
  );

/** How long a call for a user may take unless stated, in milliseconds. */
const testCallMs = 60_000;

const toolOf = Effect.fnUntraced(function* (
  catalogues: Catalogues.Catalogues,
  registration: McpRegistration.McpRegistration,
  name: string,
  discoveredAt: string | undefined,
): Effect.fn.Return<McpToolStated, Fatal> {
  const found = yield* catalogues.find(registration);
  if (found !== undefined && discoveredAt !== undefined && found.catalogue.discoveredAt !== discoveredAt)
    return yield* fatal(
      "mcp.catalogue_changed",
      `${quote(registration.displayName)} was asked again since. Look at its tools as they are known now, and permit them then.`,
    );
  const tool = found?.catalogue.tools.find((candidate) => candidate.name === name);
  if (tool !== undefined) return tool;
  const { displayName, id } = registration;
  return yield* fatal(
    "mcp.tool_unknown",
    `${quote(displayName)} is not known to have a tool ${quote(name)}. "cahier mcp discover ${id}" shows those that it has.`,
  );
});

const paused = ({ displayName, id }: McpRegistration.McpRegistration): Effect.Effect<never, Fatal> =>
  Effect.fail(
    fatal(
      "mcp.server_paused",
      `${quote(displayName)} is paused, so it is not asked for anything. Look at how it is reached with "cahier mcp list", and activate ${id}.`,
    ),
  );

const unreached = ({ displayName }: McpRegistration.McpRegistration, fault: McpFault): Fatal =>
  fatal(
    isFailureCode(fault.code) ? fault.code : "mcp.request_failed",
    `The MCP server ${quote(displayName)} did not give what it was asked for: ${fault.detail}.`,
    { cause: fault },
  );

const asUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
