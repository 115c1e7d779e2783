/**
 * The model gateway: finds the route of a binding, keeps what each session has encoded, makes the call, and turns
 * whatever goes wrong into one named fault. No response, delta or partial response repeats a secret that it was given.
 *
 * Does not own retries, budgets or the meaning of faults for a run. Every format other than `scripted` goes through a
 * `Transport`, or through a `SocketTransport` where the binding asks for that.
 */
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, type ModelFaultReason, ModelGateway, type OnDelta } from "@cahier/ports/ModelGateway";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import { Echoes } from "./internal/Echoes.ts";
import type { Patience, Way } from "./internal/Exchange.ts";
import * as httpExchange from "./internal/httpExchange.ts";
import * as judgement from "./internal/judge.ts";
import * as providerState from "./internal/providerState.ts";
import { recorded } from "./internal/recorded.ts";
import { Recorder } from "./internal/Recorder.ts";
import * as redact from "./internal/redact.ts";
import { endpointOf, routeOf } from "./internal/route.ts";
import { secretOf } from "./internal/secretOf.ts";
import { Sessions } from "./internal/Sessions.ts";
import * as socketExchange from "./internal/socketExchange.ts";
import * as ScriptedModel from "./protocols/scripted/ScriptedModel.ts";
import { sources as ownSources } from "./providers/sources.ts";
import { RequestLog } from "./RequestLog.ts";
import type { Protocol, Source } from "./Route.ts";
import { SocketTransport } from "./transport/SocketTransport.ts";
import { Transport } from "./transport/Transport.ts";

/**
 * `sources` replaces the built-in ones. A response that is not streamed may take `firstByteMs` twice over. `openMs` bounds
 * the opening of a WebSocket. `strictTools`: vendors that can hold a model to the schemas of tools are asked to.
 */
export interface Options {
  readonly sources?: ReadonlyArray<Source>;
  readonly openMs?: number;
  readonly strictTools?: boolean;
  readonly firstByteMs?: number;
  readonly idleMs?: number;
}

/**
 * Makes the gateway from the secrets and the transport in context. Bindings that ask for a WebSocket also need a
 * `SocketTransport` there; without one they are not configured.
 */
export const make = Effect.fnUntraced(function* (options?: Options) {
  const echoes = new Echoes();
  const secrets = echoes.remembering(yield* SecretStore);
  const transport = yield* Transport;
  const sockets = yield* Effect.serviceOption(SocketTransport);
  const ownLog = yield* RequestLog;
  const sources = (options?.sources ?? ownSources).map((source) =>
    options?.strictTools === true && source.strictProtocols !== undefined
      ? { ...source, protocols: source.strictProtocols }
      : source,
  );
  const patience: Patience = {
    openMs: options?.openMs ?? 15_000,
    firstByteMs: options?.firstByteMs ?? 300_000,
    idleMs: options?.idleMs ?? 300_000,
  };
  const overHttp = httpExchange.make(transport, patience);
  const overSocket = socketExchange.make(sockets, patience);
  const sessions = new Sessions();
  const scripted = ScriptedModel.make();

  /** A binding is frozen for an invocation, so its route and URL are found once. */
  const targets = new WeakMap<ModelBinding, Target>();
  const targetOf = Effect.fnUntraced(function* (request: ModelRequest) {
    const known = targets.get(request.binding);
    if (known !== undefined && known.path === known.protocol.path(request)) return known;
    const { source, protocol } = yield* routeOf(sources, request.binding);
    const url = yield* endpointOf(source, request, protocol);
    const target: Target = { source, protocol, url, path: protocol.path(request) };
    targets.set(request.binding, target);
    return target;
  });

  const call = Effect.fnUntraced(function* (request: ModelRequest, onDelta: OnDelta) {
    const { source, protocol, url } = yield* targetOf(request);
    const secret = yield* secretOf(secrets, source, request.binding);
    const session = sessions.take(request, protocol);
    const hidden = () => [...(secret === undefined ? [] : [Redacted.value(secret)]), ...longValues(url)];
    const faulty = (faultReason: ModelFaultReason, detail: string, partial?: ModelFault["partial"]) =>
      new ModelFault({
        reason: faultReason,
        detail: redact.preview(detail, hidden()),
        endpoint: redact.endpoint(url),
        ...(partial === undefined ? {} : { partial }),
      });
    const auth = secret === undefined ? {} : source.auth(secret, protocol.format);
    const log = (yield* RequestLog) ?? ownLog;
    const recorder =
      log === undefined
        ? undefined
        : new Recorder(
            request,
            yield* Clock.currentTimeMillis,
            redact.endpoint(url),
            hidden(),
            Object.keys(auth).map((name) => name.toLowerCase()),
          );
    const way: Way = { url, auth, observer: recorder };
    const exchange = request.binding.transport === "websocket" ? overSocket : overHttp;
    const made = exchange(session, request, recorder?.following(onDelta) ?? onDelta, way).pipe(
      Effect.mapError((refusal) => {
        if (refusal._tag === "ModelFault") return refusal;
        sessions.forget(request.sessionId);
        return faulty(...judgement.refused(refusal));
      }),
      Effect.flatMap(({ ended, hasHead, lost, partial, warnings }) => {
        if (Result.isSuccess(ended)) return Effect.succeed(finished(request, ended.success, warnings));
        const { failure } = ended;
        if (lost?.kind === "address")
          return Effect.fail(faulty({ _tag: "NotConfigured", what: "endpoint" }, lost.detail));
        if (lost !== undefined && (!hasHead || failure.problem._tag === "interrupted")) {
          return Effect.fail(faulty({ _tag: "Network", kind: lost.kind }, lost.detail, partial));
        }
        return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const { reason: faultReason, detail } = judgement.judge(failure, nowMs, hidden());
          return Effect.fail(faulty(faultReason, detail, partial));
        });
      }),
      Effect.ensuring(Effect.sync(() => sessions.release(request.sessionId, session))),
    );
    return yield* recorder === undefined || log === undefined ? made : recorded(made, recorder, log);
  });

  return echoes.without({
    generate: Effect.fnUntraced(function* (request: ModelRequest, onDelta: OnDelta) {
      const made = request.binding.format === "scripted" ? scripted.generate : call;
      return yield* made(request, onDelta).pipe(
        Effect.withSpan(
          "ModelGateway.generate",
          {
            attributes: {
              "gen_ai.operation.name": "chat",
              "gen_ai.provider.name": request.binding.source,
              "gen_ai.request.model": request.binding.modelId,
              "cahier.model.format": request.binding.format,
              "cahier.model.session": request.sessionId,
            },
          },
          // A stack costs more than the rest of the span, and every call has the same one.
          { captureStackTrace: false },
        ),
      );
    }),
    closeSession: (sessionId) =>
      Effect.sync(() => {
        sessions.forget(sessionId);
        scripted.closeSession(sessionId);
      }),
    formats: [...new Set<ModelFormat>(sources.flatMap((source) => source.protocols.map(formatOf))), "scripted"],
  });
});

/** The gateway as a layer. */
export const layer = (options?: Options): Layer.Layer<ModelGateway, never, SecretStore | Transport> =>
  Layer.effect(ModelGateway, make(options));

interface Target {
  readonly source: Source;
  readonly protocol: Protocol;
  readonly url: URL;
  readonly path: string;
}

const formatOf = (protocol: Protocol): ModelFormat => protocol.format;

/** A response with where its session stands, and with what its request could not carry. */
const finished = (request: ModelRequest, response: ModelResponse, warnings: ReadonlyArray<string>): ModelResponse => {
  const state = providerState.after(request, response);
  return {
    ...response,
    ...(warnings.length === 0 ? {} : { warnings: [...warnings, ...(response.warnings ?? [])] }),
    ...(state === undefined ? {} : { providerState: state }),
  };
};

/** Values of the query that may be keys. */
const longValues = (url: URL): ReadonlyArray<string> =>
  [...url.searchParams.values()].filter((value) => value.length > 7);
