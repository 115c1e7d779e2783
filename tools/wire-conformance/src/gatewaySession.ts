/**
 * A session of our gateway over a WebSocket, with one tool round: what another client is compared with.
 */
import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { answer, readFile, request } from "./request.ts";
import * as routes from "./routes.ts";
import * as Secrets from "./Secrets.ts";
import type { Turn } from "./Turn.ts";

const layer = Gateway.layer().pipe(Layer.provide([Secrets.placeholders, UndiciTransport.layer()]));

/** The call that a server makes of us. */
export const call: Turn = { calls: [{ id: "call_1", name: readFile.name, raw: '{"path":"a.md"}' }] };

/** Asks, answers the call, asks again; succeeds with the text of the last answer. */
export const run = (baseUrl: string) =>
  Effect.gen(function* () {
    const gateway = yield* ModelGateway;
    const binding = { ...routes.openAiWebSocket.binding, baseUrl };
    const messages: ReadonlyArray<Message> = [Messages.text("system", "Be brief."), Messages.text("user", "Read it.")];
    const first = request({ ...routes.openAiWebSocket, binding }, { messages, tools: [readFile] });
    const called = yield* gateway.generate(first, () => undefined);
    const results = Messages.toolCallsOf(called.message).map(({ callId, name }) => answer(callId, name, "alpha"));
    const next = { ...first, messages: [...messages, called.message, ...results], position: 1 };
    const said = yield* gateway.generate(next, () => undefined);
    yield* gateway.closeSession(first.sessionId);
    return Messages.textOf(said.message);
  }).pipe(Effect.provide(layer));
