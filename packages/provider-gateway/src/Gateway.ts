/**
 * The model gateway: finds the route of a binding, keeps what each session has encoded, makes the call, and turns
 * whatever goes wrong into one named fault. No response, delta or partial response repeats a secret that it was given.
 *
 * Does not own retries, budgets or the meaning of faults for a run. Every format other than `scripted` goes through a
 * `Transport`, or through a `SocketTransport` where the binding asks for that.
 */
import type { ExchangeOutcome } from "@cahier/domain/model/ModelExchange";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, type ModelFaultReason, ModelGateway, type OnDelta } from "@cahier/ports/ModelGateway";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import { Echoes } from "./internal/Echoes.ts";
import type { Outcome } from "./internal/Outcome.ts";
import * as providerState from "./internal/providerState.ts";
import { type Observer, Recorder } from "./internal/Recorder.ts";
import { Reply } from "./internal/Reply.ts";
import * as judgement from "./internal/judge.ts";
import * as redact from "./internal/redact.ts";
import { type SocketObserver, SocketSession } from "./internal/SocketSession.ts";
import * as ScriptedModel from "./protocols/scripted/ScriptedModel.ts";
import { sources as ownSources } from "./providers/sources.ts";
import { RequestLog } from "./RequestLog.ts";
import type { Encoder, Protocol, Refusal, Source } from "./Route.ts";
import { endpointOf, notConfigured, routeOf } from "./internal/route.ts";
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
  const firstByteMs = options?.firstByteMs ?? 300_000;
  const idleMs = options?.idleMs ?? 300_000;
  const openMs = options?.openMs ?? 15_000;
  const sessions = new Map<string, Session>();
  const scripted = ScriptedModel.make();

  const secretOf = Effect.fnUntraced(function* (source: Source, binding: ModelBinding) {
    const { secret } = binding;
    if (secret === undefined) {
      if (source.secret === "optional") return undefined;
      return yield* notConfigured("secret", `the source ${source.source} needs a secret and the binding names none`);
    }
    const value = yield* secrets.resolve(secret).pipe(
      Effect.catchTags({
        NotFound: () => notConfigured("secret", `the secret ${secret.key} has no value`),
        Unavailable: ({ detail, kind }) =>
          notConfigured("secret", `the secret ${secret.key} cannot be read (${kind}): ${detail}`),
      }),
    );
    const trimmed = Redacted.value(value).trim();
    if (trimmed !== "" && printable.test(trimmed)) return Redacted.make(trimmed);
    return yield* notConfigured(
      "secret",
      `the secret ${secret.key} is empty or has characters that no header can hold`,
    );
  });

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

  const overHttp: Exchange = Effect.fnUntraced(function* (session, request, onDelta, way) {
    const { protocol } = session;
    const body = yield* Effect.fromResult(session.encoder.encode(request));
    const decoder = protocol.decoder(request, onDelta);
    const reply = new Reply(decoder, protocol.framing);
    const headers = {
      "content-type": "application/json",
      accept: request.stream ? "text/event-stream, application/json" : "application/json",
      ...protocol.headers,
      ...protocol.bindingHeaders?.(request.binding),
      ...way.auth,
    };
    way.observer?.sent("POST", headers, body);
    const lost = yield* transport
      .send(
        {
          method: "POST",
          url: way.url,
          headers,
          body,
          firstByteMs: request.stream ? firstByteMs : firstByteMs * 2,
          idleMs,
          ...networkOf(request),
        },
        way.observer?.reading(reply) ?? reply,
      )
      .pipe(Effect.match({ onSuccess: () => undefined, onFailure: (fault) => fault }));
    const ended = reply.end(lost !== undefined);
    const warnings = session.encoder.takeWarnings();
    return { ended, lost, hasHead: reply.hasHead, partial: decoder.partial(), warnings };
  });

  const overSocket: Exchange = Effect.fnUntraced(function* (session, request, onDelta, way) {
    const { conversation, protocol } = session;
    if (protocol.socket === undefined || conversation === undefined) {
      return yield* notConfigured("format", `${protocol.format} does not go over a WebSocket`);
    }
    if (Option.isNone(sockets)) return yield* notConfigured("endpoint", "this gateway has no transport for WebSockets");
    const url = new URL(way.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const headers = { ...protocol.socket.headers, ...way.auth };
    return yield* conversation.call(request, onDelta, {
      key: JSON.stringify([url, headers]),
      open: sockets.value.open({ url, headers, openMs, ...networkOf(request) }),
      deadlines: { firstByteMs, idleMs },
      observer: observerOf(way.observer, headers),
    });
  });

  const call = Effect.fnUntraced(function* (request: ModelRequest, onDelta: OnDelta) {
    const { source, protocol, url } = yield* targetOf(request);
    const secret = yield* secretOf(source, request.binding);
    const session = take(sessions, request, protocol);
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
    const made = exchange(session, request, onDelta, way).pipe(
      Effect.mapError((refusal) => {
        if (refusal._tag === "ModelFault") return refusal;
        forget(sessions, request.sessionId);
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
      Effect.ensuring(Effect.sync(() => release(sessions, request.sessionId, session))),
    );
    return yield* recorder === undefined || log === undefined
      ? made
      : Effect.onExit(made, (exit) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
            const told = recorder.exchange(outcomeOf(exit), nowMs, detailOf(exit));
            return told === undefined ? Effect.void : log.record(told);
          }),
        );
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
        forget(sessions, sessionId);
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

/** Where a call goes, and as whom. */
interface Way {
  readonly url: URL;
  readonly auth: Readonly<Record<string, string>>;
  readonly observer: Observer | undefined;
}

/** One way of asking a server. */
type Exchange = (
  session: Session,
  request: ModelRequest,
  onDelta: OnDelta,
  way: Way,
) => Effect.Effect<Outcome, Refusal | ModelFault>;

/** `conversation` is there for bindings that ask for a WebSocket. */
interface Session {
  readonly protocol: Protocol;
  readonly encoder: Encoder;
  readonly conversation: SocketSession | undefined;
  isBusy: boolean;
}

/** A session is one call at a time; a second call at once, or one another way, gets a session of its own. */
const take = (sessions: Map<string, Session>, request: ModelRequest, protocol: Protocol): Session => {
  const known = sessions.get(request.sessionId);
  const overSocket = request.binding.transport === "websocket" ? protocol.socket : undefined;
  const isSame = known?.protocol === protocol && (known.conversation === undefined) === (overSocket === undefined);
  if (known !== undefined && isSame && !known.isBusy) {
    known.isBusy = true;
    return known;
  }
  const conversation = overSocket === undefined ? undefined : new SocketSession(protocol, overSocket);
  const made = { protocol, encoder: protocol.encoder(), conversation, isBusy: true };
  if (known?.isBusy === true) return made;
  forget(sessions, request.sessionId);
  sessions.set(request.sessionId, made);
  return made;
};

/** What was only made for one call, or forgotten during it, keeps no socket. */
const release = (sessions: Map<string, Session>, sessionId: string, session: Session): void => {
  session.isBusy = false;
  if (sessions.get(sessionId) !== session) session.conversation?.close();
};

const forget = (sessions: Map<string, Session>, sessionId: string): void => {
  const session = sessions.get(sessionId);
  sessions.delete(sessionId);
  // The socket of a call that goes on is closed when that has ended.
  if (session?.isBusy === false) session.conversation?.close();
};

/** A socket is recorded as one exchange of a call, whatever frames that takes. */
const observerOf = (
  observer: Observer | undefined,
  headers: Readonly<Record<string, string>>,
): SocketObserver | undefined =>
  observer && {
    sent: (frame) => observer.sent("WEBSOCKET", headers, `${frame}\n`),
    text: (text) => {
      observer.head({ status: 101, headers: {} });
      observer.text(text);
    },
    refused: (head, body) => {
      observer.sent("WEBSOCKET", headers, "");
      observer.head(head);
      observer.text(body);
    },
  };

const outcomeOf = (exit: Exit.Exit<ModelResponse, ModelFault>): ExchangeOutcome => {
  if (Exit.isSuccess(exit)) return "answered";
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "failed";
};

const detailOf = (exit: Exit.Exit<ModelResponse, ModelFault>): string | undefined =>
  Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.findErrorOption(exit.cause))?.detail;

const networkOf = ({ binding }: ModelRequest): { readonly network?: "private" } =>
  binding.network === undefined ? {} : { network: binding.network };

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

/** Header values: visible ASCII only, so that no secret can break a header or be refused in an error that quotes it. */
const printable = /^[\u0021-\u007E]+$/;

/** Values of the query that may be keys. */
const longValues = (url: URL): ReadonlyArray<string> =>
  [...url.searchParams.values()].filter((value) => value.length > 7);
