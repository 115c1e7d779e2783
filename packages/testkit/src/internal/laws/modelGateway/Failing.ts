/**
 * Laws of failures: one fault, with its reason, without a secret.
 */
import * as Message from "@cahier/domain/model/Message";
import type { ModelDelta } from "@cahier/domain/model/ModelResponse";
import type { ModelFault, ModelFaultReason } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as Expectation from "../../../Expectation.ts";
import { type Harness, law, text, textTurn, type Turn } from "./Scenario.ts";

export const laws = [
  ...(
    [
      ["MDL-20", "a refused key is the fault Unauthorized", { status: 401 }, { _tag: "Unauthorized", status: 401 }],
      ["MDL-21", "a refused request is the fault Rejected", { status: 400 }, { _tag: "Rejected", status: 400 }],
      [
        "MDL-22",
        "too many requests are the fault RateLimited, with the wait that the server asked for",
        { status: 429, retryAfter: 2 },
        { _tag: "RateLimited", status: 429, retryAfterMs: 2000 },
      ],
      ["MDL-23", "a server in trouble is the fault Transient", { status: 503 }, { _tag: "Transient", status: 503 }],
    ] satisfies ReadonlyArray<readonly [string, string, Turn["error"], ModelFaultReason]>
  ).map(([id, title, error, reason]) =>
    law({
      id,
      title,
      *check(harness) {
        for (const stream of [true, false]) {
          const { deltas, fault } = yield* fail(harness, { error }, stream);
          yield* Expectation.same("reason", sorted(fault.reason), sorted(reason));
          yield* Expectation.same("deltas", deltas, []);
          yield* Expectation.isTrue(fault.detail.length > 0, "the fault has no detail");
        }
      },
    }),
  ),
  law({
    id: "MDL-24",
    title: "a stream that is cut is a fault, with what had arrived and never as a whole answer",
    *check(harness) {
      const { deltas, fault } = yield* fail(harness, { text, error: { cutAfterChars: 20 } }, true);
      yield* Expectation.isTrue(
        fault.reason._tag === "Network" || fault.reason._tag === "InvalidResponse",
        `a cut stream is ${fault.reason._tag}`,
      );
      const seen = deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join("");
      yield* Expectation.isTrue(seen.length > 0 && text.startsWith(seen), "the deltas are no beginning of the text");
      const partial = fault.partial === undefined ? null : Message.textOf(fault.partial.message);
      yield* Expectation.same("partial text", partial, seen);
    },
  }),
  law({
    id: "MDL-25",
    title: "no failure shows the secret, not even when the server repeats it",
    *check(harness) {
      const body = `{"error":{"message":"Incorrect API key provided: ${harness.secret}"}}`;
      for (const status of [400, 401, 403, 429, 500]) {
        for (const stream of [true, false]) {
          const { fault } = yield* fail(harness, { error: { status, body } }, stream);
          const shown = [String(fault), JSON.stringify(fault), fault.message, fault.detail, fault.endpoint ?? ""];
          yield* Expectation.isTrue(
            shown.every((one) => !one.includes(harness.secret)),
            `the fault of status ${status} shows the secret`,
          );
        }
      }
    },
  }),
  law({
    id: "MDL-26",
    title: "a failure shows at most 512 bytes of what the server said",
    *check(harness) {
      const { fault } = yield* fail(harness, { error: { status: 500, body: "\u2591".repeat(4000) } }, false);
      const shown = fault.detail.split("\u2591").length - 1;
      yield* Expectation.isTrue(shown * 3 <= 512, `the detail shows ${shown * 3} bytes of the body`);
    },
  }),
  law({
    id: "MDL-27",
    title: "a format that the gateway does not speak is not configured",
    *check(harness) {
      const gateway = yield* harness.open;
      const request = yield* harness.play(textTurn);
      const all = ["openai-chat", "openai-responses", "anthropic-messages", "gemini-interactions", "scripted"] as const;
      for (const format of all.filter((one) => !gateway.formats.includes(one))) {
        const fault = yield* Expectation.failsWith(
          format,
          gateway.generate({ ...request, binding: { ...request.binding, format } }, () => undefined),
          "ModelFault",
        );
        yield* Expectation.same("reason", sorted(fault.reason), sorted({ _tag: "NotConfigured", what: "format" }));
      }
    },
  }),
  law({
    id: "MDL-28",
    title: "a scripted model that is asked beyond its last turn says so, with the position",
    needs: ["exhausted"],
    *check(harness) {
      const gateway = yield* harness.open;
      const { position, request } = yield* harness.exhausted;
      const fault = yield* Expectation.failsWith(
        "generate",
        gateway.generate(request, () => undefined),
        "ModelFault",
      );
      yield* Expectation.same("reason", sorted(fault.reason), sorted({ _tag: "ScriptExhausted", position }));
    },
  }),
];

/** The fault of a turn that fails, and the deltas before it. */
const fail = Effect.fnUntraced(function* (harness: Harness, turn: Turn, stream: boolean) {
  const gateway = yield* harness.open;
  const request = yield* harness.play(turn, { stream });
  const deltas: Array<ModelDelta> = [];
  const fault: ModelFault = yield* Expectation.within(
    "generate",
    Expectation.failsWith(
      "generate",
      gateway.generate(request, (delta) => void deltas.push(delta)),
      "ModelFault",
    ),
  );
  return { deltas, fault };
});

const sorted = (reason: ModelFaultReason): unknown =>
  Object.entries(reason).toSorted(([one], [other]) => (one < other ? -1 : 1));
