/**
 * MCP servers as a source of tools.
 *
 * Owns that a run sees what is known and permitted, and that a call is sent only while it still is. Never asks a server what it
 * offers: people do. Does not own the gate, the record or the length of results.
 */
import { serverOf } from "@cahier/domain/mcp/McpRegistration";
import { type McpCall, McpGateway, type McpOutcome } from "@cahier/ports/McpGateway";
import type { SourceCall, SourceCatalogue, SourceOutcome, ToolSource } from "@cahier/ports/ToolSource";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { cutText } from "../payload/cutText.ts";
import { absenceOf } from "./absence.ts";
import { sourceOutcome } from "./answerOf.ts";
import * as CallHost from "./callHost.ts";
import { McpServers, type PermittedTool } from "./McpServers.ts";
import { annotationsOf, offerOf, partsOf, takesObject } from "./offer.ts";
import type { ServerView, View } from "./Views.ts";

/** The source over the process's servers. */
export const make: Effect.Effect<ToolSource, never, McpServers | McpGateway> = Effect.gen(function* () {
  const servers = yield* McpServers;
  const gateway = yield* McpGateway;
  const catalogueOf = rememberingCatalogues();

  const permitted = Effect.fnUntraced(function* (toolId: string) {
    const { name, registrationId } = partsOf(toolId);
    const found = yield* servers.permitted(registrationId, name);
    return found !== undefined && takesObject(found.tool) ? found : undefined;
  });

  const send = (call: SourceCall, { registration, tool }: PermittedTool, host: CallHost.CallHost, timeoutMs: number) =>
    gateway.call(
      serverOf(registration),
      { tool: tool.name, arguments: call.arguments, timeoutMs, ...progressOf(call) },
      { ...host.host, listChanged: servers.listChanged },
    );

  return {
    provider: "mcp",
    catalogue: Effect.map(servers.view, catalogueOf),
    call: Effect.fnUntraced(function* (call) {
      const found = yield* permitted(call.toolId);
      if (found === undefined) return unavailable;
      if (!mayBeSent(found, call)) return unasked;
      const begun = yield* Clock.currentTimeMillis;
      const host = CallHost.make(call, found.registration.allowsSampling);
      const outcome = yield* send(call, found, host, call.timeoutMs);
      const answered = { server: found.registration.displayName, key: call.key };
      const left = call.timeoutMs - ((yield* Clock.currentTimeMillis) - begun - host.waitedMs());
      if (!isRepeatable(found, outcome) || left <= 0) return sourceOutcome(answered, outcome);
      const again = yield* permitted(call.toolId);
      if (again === undefined || !mayBeSent(again, call)) return sourceOutcome(answered, outcome);
      return secondOutcome(outcome, yield* send(call, again, host, left), answered);
    }),
  };
});

/** How much a server's own words of progress may be, in bytes of UTF-8. */
const progressBytes = 2048;

/** What is no number says nothing; of a call that nobody watches the server is not asked to say anything. */
const progressOf = ({ onProgress }: SourceCall): Pick<McpCall, "onProgress"> =>
  onProgress === undefined
    ? {}
    : {
        onProgress: ({ done, message, total }) => {
          if (!Number.isFinite(done)) return;
          onProgress({
            done,
            ...(total !== undefined && Number.isFinite(total) ? { total } : {}),
            ...(message === undefined ? {} : { message: cutText(message, progressBytes) }),
          });
        },
      };

/** A permission may have become one that asks since the run was given the tool. */
const mayBeSent = ({ permission }: PermittedTool, { approved }: SourceCall): boolean =>
  permission === "allow" || approved === true;

/**
 * A connection that broke says nothing of a call that may be made twice without harm; that is its server's word, which its user has
 * permitted. A call whose time is over, or that was given up, is not made again.
 */
const isRepeatable = ({ tool }: PermittedTool, outcome: McpOutcome): boolean => {
  const { idempotent, readOnly } = annotationsOf(tool);
  return (
    outcome._tag === "Unknown" &&
    (idempotent || readOnly) &&
    outcome.code !== "mcp.call_timeout" &&
    outcome.code !== "mcp.call_cancelled"
  );
};

/** That the second attempt was not sent does not say what became of the first. */
const secondOutcome = (
  first: McpOutcome,
  second: McpOutcome,
  answered: Parameters<typeof sourceOutcome>[0],
): SourceOutcome => sourceOutcome(answered, second._tag === "NotSent" ? first : second);

const unavailable: SourceOutcome = {
  _tag: "NotSent",
  code: "mcp.call_tool_unavailable",
  message: `It is not offered any more: its server is paused or removed, it is not permitted, or it is another one than was permitted. Go on without this tool.`,
};

const unasked: SourceOutcome = {
  _tag: "NotSent",
  code: "mcp.call_tool_unavailable",
  message: `A person is to be asked before it since this run began, and nobody was asked about this call. Go on without this tool; a run that begins from now on asks.`,
};

/** Catalogues of views: a server that has not changed is not looked through again, and of one view there is one catalogue. */
const rememberingCatalogues = (): ((view: View) => SourceCatalogue) => {
  const offers = new WeakMap<ServerView, SourceCatalogue>();
  const catalogues = new WeakMap<View, SourceCatalogue>();
  const offer = (server: ServerView): SourceCatalogue => {
    const made = offers.get(server) ?? offerOf(server);
    offers.set(server, made);
    return made;
  };
  return (view) => {
    const made = catalogues.get(view) ?? joined(view, view.servers.map(offer));
    catalogues.set(view, made);
    return made;
  };
};

const joined = (view: View, offers: ReadonlyArray<SourceCatalogue>): SourceCatalogue => ({
  tools: offers.flatMap(({ tools }) => tools),
  diagnostics: [
    ...offers.flatMap(({ diagnostics }) => diagnostics),
    ...view.storageIssues.map((issue) => ({ code: issue.failure.reason.code, message: issue.failure.message })),
    ...(view.failure === undefined ? [] : [{ code: view.failure.reason.code, message: view.failure.message }]),
  ],
  whyAbsent: (toolId) => absenceOf(view, toolId),
});
