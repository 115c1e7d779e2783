/**
 * The laws of ToolSource.
 *
 * They speak of tools of laws, which the harness puts into the source as tools get there:
 *
 * - `echo {text}` answers with the text; `json {value}` with the object `value`, as JSON or as structured data;
 * - `fail {text}` fails, and says the text;
 * - `slow {text}` answers with the text once it is released;
 * - `vanish {text}` answers with the text, and is gone for good once it has vanished.
 *
 * Each takes an object with any members. `received` is the text of each call that has reached a tool (of `json`, the JSON text of
 * its value), in their order.
 */
import { isFailureCode } from "@cahier/domain/failure/FailureCode";
import { CallId, RunId, rootInvocation } from "@cahier/domain/identity/Identity";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import * as ToolContent from "@cahier/domain/tool/ToolContent";
import { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { SourceCall, SourceCatalogue, SourceOutcome, SourceTool, ToolSource } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** The tools of laws, by what they do. */
export interface LawTools {
  readonly echo: ToolId;
  readonly json: ToolId;
  readonly fail: ToolId;
  readonly slow: ToolId;
  readonly vanish: ToolId;
}

export interface ToolSourceHarness {
  readonly open: Effect.Effect<ToolSource, unknown, Scope.Scope>;
  readonly tools: LawTools;
  readonly received: Effect.Effect<ReadonlyArray<string>>;
  /** Completes when the call of `slow` with this text has reached it. */
  readonly arrived: (text: string) => Effect.Effect<void>;
  /** Lets that call be answered. */
  readonly release: (text: string) => Effect.Effect<void>;
  /** Completes when whoever works on that call has been told that nobody waits for it. */
  readonly interrupted: (text: string) => Effect.Effect<void>;
  /** Takes `vanish` away; complete when the source knows. */
  readonly vanish: Effect.Effect<void, unknown>;
  /** Tools that take any object and give what no tool should. */
  readonly garbage?: ReadonlyArray<ToolId>;
  /** Calls of `slow` end as if whoever works on them had gone for ever, without a word. */
  readonly lose?: Effect.Effect<void, unknown>;
}

const law = Law.of<ToolSourceHarness>();

export const laws: ReadonlyArray<Law.Law<ToolSourceHarness>> = [
  law({
    id: "SRC-01",
    title: "a catalogue is the same value while nothing changes, and another one when a tool has gone",
    *check(harness) {
      const source = yield* harness.open;
      const first = yield* source.catalogue;
      yield* source.call(callOf(harness.tools.echo, { text: "a call changes no catalogue" }));
      yield* Expectation.isTrue(
        (yield* source.catalogue) === first,
        "the catalogue is another value, and nothing changed",
      );
      yield* harness.vanish;
      const second = yield* source.catalogue;
      yield* Expectation.isTrue(second !== first, "the catalogue is the same value, and a tool has gone");
      yield* Expectation.isTrue(
        toolIn(second, harness.tools.vanish) === undefined,
        "the tool that has gone is offered",
      );
      yield* Expectation.isTrue(
        toolIn(first, harness.tools.vanish) !== undefined,
        "a catalogue that was given has changed",
      );
    },
  }),
  law({
    id: "SRC-02",
    title: "a source offers its tools by ids of its provider, each once",
    *check(harness) {
      const source = yield* harness.open;
      const ids = (yield* source.catalogue).tools.map(({ descriptor }) => descriptor.id);
      yield* Expectation.same("number of ids", new Set(ids).size, ids.length);
      for (const id of ids) {
        yield* Expectation.isTrue(id.startsWith(`${source.provider}/`), `${id} is no id of ${source.provider}`);
      }
      const absent = Object.values(harness.tools).filter((id: ToolId) => !ids.includes(id));
      yield* Expectation.same("tools that are not offered", absent, []);
    },
  }),
  law({
    id: "SRC-03",
    title:
      "a tool is stated in a form that a run can keep: a valid descriptor of this source, whose arguments are an object",
    *check(harness) {
      const source = yield* harness.open;
      for (const { descriptor, scenes } of (yield* source.catalogue).tools) {
        yield* Expectation.isTrue(isDescriptor(descriptor), `${JSON.stringify(descriptor)} is no descriptor`);
        yield* Expectation.same(`source of ${descriptor.id}`, descriptor.source, source.provider);
        yield* Expectation.same(`type of the arguments of ${descriptor.id}`, descriptor.inputSchema["type"], "object");
        yield* Expectation.isTrue(scenes === undefined || scenes.length > 0, `${descriptor.id} is offered to no scene`);
      }
    },
  }),
  law({
    id: "SRC-04",
    title: "a call of a tool that has gone, or never was, is not sent",
    *check(harness) {
      const source = yield* harness.open;
      const { vanish } = harness.tools;
      yield* Expectation.same("text", textOf(yield* source.call(callOf(vanish, { text: "before" }))), "before");
      yield* harness.vanish;
      const never = ToolId.make(`${source.provider}/nobody:nothing`);
      for (const id of [vanish, never]) {
        const outcome = yield* source.call(callOf(id, { text: "after" }));
        yield* Expectation.same(`outcome of ${id}`, outcome._tag, "NotSent");
        yield* wellFormed(id, outcome);
      }
      yield* Expectation.same("received", yield* harness.received, ["before"]);
    },
  }),
  law({
    id: "SRC-05",
    title: "a text that a tool gives is the answer as it is",
    *check(harness) {
      const source = yield* harness.open;
      for (const text of texts) {
        const outcome = yield* source.call(callOf(harness.tools.echo, { text }));
        yield* wellFormed("echo", outcome);
        yield* Expectation.same("text", textOf(outcome), text);
        yield* Expectation.isTrue(isAnswer(outcome), `an answer is told as ${JSON.stringify(outcome)}`);
      }
    },
  }),
  law({
    id: "SRC-06",
    title: "JSON survives the way to a tool and back",
    *check(harness) {
      const source = yield* harness.open;
      const outcome = yield* source.call(callOf(harness.tools.json, { value }));
      yield* wellFormed("json", outcome);
      yield* Expectation.same("received", yield* harness.received, [JSON.stringify(value)]);
      yield* Expectation.same("JSON", inOrder(jsonOf(outcome)), inOrder(value));
    },
  }),
  law({
    id: "SRC-07",
    title: "a tool that fails has answered: with a code of the registry, and with what it says",
    *check(harness) {
      const source = yield* harness.open;
      const outcome = yield* source.call(callOf(harness.tools.fail, { text: "the ink is dry" }));
      yield* wellFormed("fail", outcome);
      yield* Expectation.isTrue(
        outcome._tag === "Answered" && outcome.errorCode !== undefined && textOf(outcome).includes("the ink is dry"),
        `a failure is told as ${JSON.stringify(outcome)}`,
      );
    },
  }),
  law({
    id: "SRC-08",
    title: "who interrupts a call waits for nobody, and whoever works on it is told",
    *check(harness) {
      const source = yield* harness.open;
      const fiber = yield* Effect.forkChild(source.call(callOf(harness.tools.slow, { text: "in vain" })));
      yield* Expectation.within("the call", harness.arrived("in vain"));
      yield* Expectation.within("the interruption", Fiber.interrupt(fiber));
      yield* Expectation.within("word of the interruption", harness.interrupted("in vain"));
      const next = yield* Expectation.within("the next", source.call(callOf(harness.tools.echo, { text: "next" })));
      yield* Expectation.same("text of the next call", textOf(next), "next");
    },
  }),
  law({
    id: "SRC-09",
    title: "calls at once wait for none of the others and get each their own answer",
    *check(harness) {
      const source = yield* harness.open;
      const [one, two] = yield* Effect.forEach(["one", "two"], (text) =>
        Effect.forkChild(source.call(callOf(harness.tools.slow, { text }, text))),
      );
      if (one === undefined || two === undefined) return;
      yield* Expectation.within("both calls", Effect.andThen(harness.arrived("one"), harness.arrived("two")));
      const between = yield* Expectation.within(
        "a quick call",
        source.call(callOf(harness.tools.echo, { text: "three" })),
      );
      yield* harness.release("two");
      const second = yield* Expectation.within("the second call", Fiber.join(two));
      yield* harness.release("one");
      const first = yield* Expectation.within("the first call", Fiber.join(one));
      yield* Expectation.same("texts", [first, second, between].map(textOf), ["one", "two", "three"]);
    },
  }),
  law({
    id: "SRC-10",
    title: "a call never fails, whatever its tool gives, and its outcome is one that a run can keep",
    needs: ["garbage"],
    *check(harness) {
      const source = yield* harness.open;
      for (const id of harness.garbage) yield* wellFormed(id, yield* source.call(callOf(id, {})));
      const next = yield* source.call(callOf(harness.tools.echo, { text: "next" }));
      yield* Expectation.same("text of the next call", textOf(next), "next");
    },
  }),
  law({
    id: "SRC-11",
    title: "a call reaches its tool once",
    *check(harness) {
      const source = yield* harness.open;
      yield* source.call(callOf(harness.tools.echo, { text: "good" }));
      yield* source.call(callOf(harness.tools.fail, { text: "bad" }));
      yield* Expectation.same("received", yield* harness.received, ["good", "bad"]);
    },
  }),
  law({
    id: "SRC-12",
    title: "what became of a call whose tool is lost is unknown, and it is not made again",
    needs: ["lose"],
    *check(harness) {
      const source = yield* harness.open;
      const fiber = yield* Effect.forkChild(source.call(callOf(harness.tools.slow, { text: "lost" })));
      yield* Expectation.within("the call", harness.arrived("lost"));
      yield* harness.lose;
      const outcome = yield* Expectation.within("the outcome", Fiber.join(fiber));
      yield* Expectation.same("outcome", outcome._tag, "Unknown");
      yield* wellFormed("slow", outcome);
      yield* Expectation.same("received", yield* harness.received, ["lost"]);
    },
  }),
  law({
    id: "SRC-13",
    title: "finding out what became of a call does not make it",
    *check(harness) {
      const source = yield* harness.open;
      if (source.reconcile === undefined) return;
      const reconciliation = yield* source.reconcile(callOf(harness.tools.echo, { text: "perhaps" }));
      yield* Expectation.same("received", yield* harness.received, []);
      if (reconciliation._tag === "NeverHappened") return;
      yield* wellFormed("reconcile", reconciliation);
    },
  }),
];

const callOf = (toolId: ToolId, given: JsonObject, name = "law"): SourceCall => ({
  toolId,
  arguments: given,
  runId: RunId.make(`run_${"0".repeat(32)}`),
  invocationId: rootInvocation,
  callId: CallId.make(name),
  key: `run_${"0".repeat(32)}:${name}`,
  scene: "chat",
  timeoutMs: 20_000,
  ask: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail({ code: "tool.denied", message: "A law asks no model." }),
});

const texts: ReadonlyArray<string> = [
  "a text",
  " \n two lines\twith space around them \n",
  "null",
  '{"text":"of an object"}',
  '"quoted"',
  "<b>of a page</b> & more",
  "Grüße, 你好, 👩‍🚀 and \u2028 an odd line end",
  "long ".repeat(20_000).trim(),
];

const value: JsonObject = {
  list: [1, -0.5, 1e21, true, null, [], {}],
  'odd "name"': "two\nlines",
  nested: { "": { deep: ["👩‍🚀"] } },
};

const isDescriptor = Schema.is(ToolDescriptor);

const isContent = Schema.is(Schema.Union([Schema.String, Schema.Array(ToolContent.ToolContent)]));

const isStructured = Schema.is(Schema.Record(Schema.String, Schema.Json));

/** Breaks the law unless a run can keep the outcome as it is. */
const wellFormed = (what: string, outcome: SourceOutcome) => {
  const holds =
    outcome._tag === "Answered"
      ? isContent(outcome.content) &&
        (outcome.structured === undefined || isStructured(outcome.structured)) &&
        (outcome.errorCode === undefined || isFailureCode(outcome.errorCode))
      : isFailureCode(outcome.code) && outcome.message !== "";
  return Expectation.isTrue(holds, `${what}: no run can keep ${show(outcome)}`);
};

const isAnswer = (outcome: SourceOutcome): boolean => outcome._tag === "Answered" && outcome.errorCode === undefined;

/** What a model is shown of an answer, or what the outcome is instead. */
const textOf = (outcome: SourceOutcome): string => {
  if (outcome._tag !== "Answered") return show(outcome);
  return typeof outcome.content === "string" ? outcome.content : ToolContent.render(outcome.content);
};

/** The data of an answer, wherever it stands. */
const jsonOf = (outcome: SourceOutcome): unknown => {
  if (outcome._tag !== "Answered") return show(outcome);
  return outcome.structured ?? parse(textOf(outcome));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A value whose members stand in one order, whatever order a library gives them. */
const inOrder = (given: unknown): unknown => {
  if (typeof given !== "object" || given === null) return given;
  if (Array.isArray(given)) return given.map(inOrder);
  return Object.entries(given)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, inOrder(member)]);
};

const toolIn = ({ tools }: SourceCatalogue, id: ToolId): SourceTool | undefined =>
  tools.find(({ descriptor }) => descriptor.id === id);

/** What is no JSON cannot be shown as it is. */
const show = (outcome: SourceOutcome): string => {
  try {
    return JSON.stringify(outcome);
  } catch {
    return `an outcome "${outcome._tag}" that is no JSON`;
  }
};
