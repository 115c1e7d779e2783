/** The tools that look at runs: which there are, how one stands, what happened in it, and waiting for it. */
import { RunId } from "@cahier/domain/identity/Identity";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import { type Offer, OfferFault } from "../../Offer.ts";
import { RunDetail, RunEntry, RunLine } from "../../OfferedRun.ts";
import * as Cursor from "../Cursor.ts";
import { limits } from "../limits.ts";
import * as words from "../words.ts";
import * as ServedTool from "./ServedTool.ts";

/** A run, as arguments name it. */
export const runIdArgument = RunId.annotate({ description: "The run, as list_runs names it" });

/** A whole number in a range, with what it is if it is not given. */
export const numberArgument = (minimum: number, maximum: number, description: string) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description }));

export const make = ({ runs }: Offer): ReadonlyArray<ServedTool.ServedTool> => [
  ServedTool.make({
    name: "list_runs",
    title: "List runs",
    description: `The runs of this Cahier host, newest first: one run is one generation, in which an agent writes the next message of a chat in a workspace of its own. Each is named by its runId.`,
    effects: ServedTool.reads,
    input: Schema.Struct({
      limit: numberArgument(1, limits.mostPageRuns, `Most runs to list (default ${limits.pageRuns})`),
      cursor: Schema.optionalKey(Schema.String.annotate({ description: "nextCursor of the page before" })),
    }),
    output: Schema.Struct({ runs: Schema.Array(RunEntry), nextCursor: Schema.optionalKey(Schema.String) }),
    run: Effect.fn("McpServer.list_runs")(function* ({ cursor, limit = limits.pageRuns }) {
      const before = cursor === undefined ? undefined : Cursor.decode(cursor);
      if (before !== undefined && Option.isNone(before)) return yield* unknownCursor;
      const found = yield* runs.list({ limit, ...(before === undefined ? {} : { before: before.value }) });
      const next = Cursor.after(found, limit);
      return {
        text: words.ofRuns(found, next !== undefined),
        structured: { runs: found, ...(next === undefined ? {} : { nextCursor: next }) },
      };
    }),
  }),
  ServedTool.make({
    name: "show_run",
    title: "Show a run",
    description:
      "How a run stands: its agents and what they used, its files, what it published to the chat, its checkpoints, and the calls that wait for a decision.",
    effects: ServedTool.reads,
    input: Schema.Struct({ runId: runIdArgument }),
    output: RunDetail,
    run: Effect.fn("McpServer.show_run")(function* ({ runId }) {
      const run = yield* runs.show(runId);
      return { text: words.ofRun(run), structured: run };
    }),
  }),
  ServedTool.make({
    name: "read_run_events",
    title: "Read the events of a run",
    description:
      "What happened in a run, one line an event, oldest first. Goes on with afterSeq: the number of the last event that was read.",
    effects: ServedTool.reads,
    input: Schema.Struct({
      runId: runIdArgument,
      afterSeq: numberArgument(0, Number.MAX_SAFE_INTEGER, "Only events after this number (default 0: from the first)"),
      limit: numberArgument(1, limits.mostPageEvents, `Most events to read (default ${limits.pageEvents})`),
    }),
    output: Schema.Struct({ runId: Schema.String, events: Schema.Array(RunLine), hasMore: Schema.Boolean }),
    run: Effect.fn("McpServer.read_run_events")(function* ({ runId, afterSeq = 0, limit = limits.pageEvents }) {
      const found = yield* runs.events(runId, { afterSeq, limit: limit + 1 });
      const events = found.slice(0, limit);
      const hasMore = found.length > limit;
      return { text: words.ofEvents(events, hasMore), structured: { runId, events, hasMore } };
    }),
  }),
  ServedTool.make({
    name: "wait_for_run",
    title: "Wait for a run",
    description:
      "Waits until a run has ended or waits for a decision, or until the time is over, and tells how it stands then. What happens meanwhile is told as progress.",
    effects: ServedTool.reads,
    input: Schema.Struct({
      runId: runIdArgument,
      timeoutSeconds: numberArgument(1, limits.mostWaitSeconds, `How long to wait (default ${limits.waitSeconds})`),
    }),
    output: Schema.Struct({ run: RunDetail, timedOut: Schema.Boolean }),
    run: Effect.fn("McpServer.wait_for_run")(function* ({ runId, timeoutSeconds = limits.waitSeconds }, { progress }) {
      const { lastSeq } = yield* runs.show(runId);
      const waited = yield* runs.follow(runId, lastSeq).pipe(
        Stream.runForEach(({ seq, text }) => progress(seq - lastSeq, text)),
        Effect.timeoutOption(timeoutSeconds * 1000),
      );
      const run = yield* runs.show(runId);
      const timedOut = Option.isNone(waited);
      const text = words.ofRun(run);
      return {
        text: timedOut ? `After ${timeoutSeconds} s the run still goes on.\n${text}` : text,
        structured: { run, timedOut },
      };
    }),
  }),
];

const unknownCursor = new OfferFault({
  kind: "refused",
  message: "This cursor is not one that list_runs gave. Begin again without one.",
});
