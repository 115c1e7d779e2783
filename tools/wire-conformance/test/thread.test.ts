import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { Transport } from "@cahier/provider-gateway/transport/Transport";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { answer, readFile, request } from "../src/request.ts";
import * as routes from "../src/routes.ts";
import * as Secrets from "../src/Secrets.ts";
import type { Turn } from "../src/Turn.ts";
import * as WrittenTransport from "../src/written/WrittenTransport.ts";
import { writers } from "../src/written/writers.ts";

const hops = [
  routes.openAiChat,
  routes.anthropicMessages,
  routes.geminiGenerateContent,
  routes.openAiResponses,
  routes.anthropicMessages,
];

const turnOf = (place: number): Turn => ({
  reasoning: `Thought ${place}.`,
  text: `Text ${place}.`,
  calls: [{ id: `call_${place}`, name: readFile.name, raw: `{ "path": "${place}.md", "startLine": 1${place}.0 }` }],
});

interface Hop {
  readonly body: string;
  readonly warnings: ReadonlyArray<string>;
  readonly answer: Message;
}

/** One call of a hop, at the gateway's own interface; what it sends is kept. */
const ask = Effect.fnUntraced(function* (route: routes.Route, place: number, messages: ReadonlyArray<Message>) {
  const writer = writers[route.name];
  if (writer === undefined) return yield* Effect.die(new Error(`nobody writes ${route.name}`));
  const server = WrittenTransport.make(writer, [turnOf(place)], true);
  const bodies: Array<string> = [];
  const watched = Transport.of({
    send: (asked, reader) => {
      bodies.push(new TextDecoder().decode(asked.body));
      return server.send(asked, reader);
    },
  });
  const layer = Gateway.layer().pipe(Layer.provide([Secrets.placeholders, Layer.succeed(Transport)(watched)]));
  const response = yield* Effect.gen(function* () {
    const gateway = yield* ModelGateway;
    const asked = request(route, { sessionId: `run_${place}:inv_root`, messages, tools: [readFile], position: place });
    return yield* gateway.generate(asked, () => undefined);
  }).pipe(Effect.provide(layer));
  const hop: Hop = { body: bodies[0] ?? "", warnings: response.warnings ?? [], answer: response.message };
  return hop;
});

const thread = Effect.gen(function* () {
  const messages: Array<Message> = [Messages.text("system", "Be kind."), Messages.text("user", "Begin.")];
  const made: Array<Hop> = [];
  for (const [place, route] of hops.entries()) {
    const hop = yield* ask(route, place, [...messages]);
    made.push(hop);
    messages.push(
      hop.answer,
      ...Messages.toolCallsOf(hop.answer).map(({ callId, name }) => answer(callId, name, `result ${place}`)),
      Messages.text("user", `Go on after ${place}.`),
    );
  }
  return made;
});

const lost = (to = "") => `The model's earlier reasoning was not sent to ${to}.`;
const stays = (from = "", to = "") => `The model's earlier reasoning stays with ${from} and was not sent to ${to}.`;

describe("a thread that goes from openai-chat over anthropic, gemini and responses back to anthropic", () => {
  it.effect("reports at each hop what was not carried", () =>
    Effect.gen(function* () {
      const reports = (yield* thread).map(({ warnings }) => warnings);
      const [chat, anthropic, gemini, responses] = hops.map(({ name }) => name);
      assert.deepStrictEqual(reports, [
        [],
        [lost(anthropic)],
        [
          lost(gemini),
          stays(anthropic, gemini),
          "The schema of the tool workspace_read_file was not sent as it is: additionalProperties is left out (at /).",
        ],
        [lost(responses), stays(anthropic, responses), stays(gemini, responses)],
        [lost(anthropic), stays(gemini, anthropic), stays(responses, anthropic)],
      ]);
      assert.strictEqual(chat, "openai-chat");
    }),
  );

  it.effect("gives the blocks of the first anthropic turn back on return, byte for byte and as one run of blocks", () =>
    Effect.gen(function* () {
      const made = yield* thread;
      const blocks = (made[1]?.answer.parts ?? []).flatMap((part) => (part.type === "native" ? [part.json] : []));
      assert.lengthOf(blocks, 3);
      assert.include(blocks[2], '"input":{ "path": "1.md", "startLine": 11.0 }');
      assert.include(made[4]?.body, blocks.join(","));
      for (const place of [0, 2, 3]) assert.notInclude(made[4]?.body, `Thought ${place}.`);
    }),
  );

  it.effect("takes every text, call and result along", () =>
    Effect.gen(function* () {
      for (const [place, { body }] of (yield* thread).entries()) {
        for (let earlier = 0; earlier < place; earlier += 1) {
          for (const said of [`Text ${earlier}.`, `result ${earlier}`, `${earlier}.md`, `Go on after ${earlier}.`]) {
            assert.include(body, said, `hop ${place}`);
          }
        }
      }
    }),
  );
});
