/**
 * A provider's session over a socket: one connection, kept between calls, on which each request goes on from the last
 * response.
 *
 * Owns the socket, what the server knows, and when to begin anew: a socket that has ended between calls is replaced, and
 * a server that has forgotten the last response is told everything once more. Does not own faults, secrets or
 * which session a call belongs to.
 */
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ProviderState } from "@cahier/domain/model/ProviderState";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { FrameStart, Protocol, Refusal, SocketEncoder, SocketProtocol } from "../Route.ts";
import type { Deadlines, OnText, Socket, SocketRefused } from "../transport/SocketTransport.ts";
import type { ResponseHead, TransportFault } from "../transport/Transport.ts";
import { FrameReply } from "./FrameReply.ts";
import type { Outcome } from "./Outcome.ts";
import { socketTransport } from "./providerState.ts";

/** How this call reaches the server. A socket is only used for calls of its `key`: where it leads, and as whom. */
export interface Way {
  readonly key: string;
  readonly open: Effect.Effect<Socket, TransportFault | SocketRefused>;
  readonly deadlines: Deadlines;
  /** Told of each frame, each text, and a handshake that was refused. */
  readonly observer: SocketObserver | undefined;
}

export interface SocketObserver {
  readonly sent: (frame: string) => void;
  readonly text: (text: string) => void;
  readonly refused: (head: ResponseHead, body: string) => void;
}

export class SocketSession {
  readonly #protocol: Protocol;
  readonly #socketProtocol: SocketProtocol;
  readonly #encoder: SocketEncoder;
  #open: { readonly key: string; readonly socket: Socket } | undefined;
  /** What the server knows, while this process remembers it; then it is known better than from a provider state. */
  #known: (FrameStart & { readonly key: string; readonly messages: ReadonlyArray<Message> }) | undefined;

  constructor(protocol: Protocol, socketProtocol: SocketProtocol) {
    this.#protocol = protocol;
    this.#socketProtocol = socketProtocol;
    this.#encoder = socketProtocol.encoder();
  }

  /** Closes the socket; the session may be used again. */
  readonly close = (): void => {
    this.#open?.socket.close();
    this.#open = undefined;
  };

  /** One call. Not for two at a time. Any failure closes the socket. */
  readonly call = Effect.fnUntraced(function* (this: SocketSession, request: ModelRequest, onDelta: OnDelta, way: Way) {
    const invalid = stateProblem(request);
    if (invalid !== undefined) return yield* Effect.fail(invalid);
    if (this.#open?.key !== way.key || !this.#open.socket.isOpen()) this.close();
    const start = this.#startOf(request, way.key);
    const outcome = yield* this.#attempt({
      request,
      onDelta,
      way,
      start,
      warmsUp: start === undefined,
      isReplay: false,
    });
    const { ended } = outcome;
    if (Result.isFailure(ended)) this.close();
    else if (ended.success.responseId === undefined) this.#known = undefined;
    else {
      const { messages } = request;
      this.#known = { key: way.key, previousResponseId: ended.success.responseId, known: messages.length, messages };
    }
    return { ...outcome, warnings: [...this.#encoder.takeWarnings(), ...outcome.warnings] };
  });

  readonly #attempt = (plan: Plan): Effect.Effect<Outcome, Refusal> =>
    Effect.gen({ self: this }, function* () {
      const { request, way } = plan;
      const reused = this.#open?.socket;
      const opened = reused === undefined ? yield* Effect.result(way.open) : Result.succeed(reused);
      if (Result.isFailure(opened)) return notOpened(opened.failure, way.observer);
      const socket = opened.success;
      this.#open = { key: way.key, socket };
      const again = (changes: Partial<Plan>): Effect.Effect<Outcome, Refusal> => {
        this.close();
        return this.#attempt({ ...plan, ...changes });
      };
      const warmed = plan.warmsUp && reused === undefined ? yield* this.#warmUp(plan, socket) : undefined;
      if (warmed?.lost !== undefined) return warmed;
      const warmId = warmed === undefined ? undefined : Result.getOrUndefined(warmed.ended)?.responseId;
      // A server that does not know of this is asked without it.
      if (warmed !== undefined && warmId === undefined) return yield* again({ warmsUp: false });
      const start = warmId === undefined ? plan.start : { previousResponseId: warmId, known: 0 };
      const frame = yield* Effect.fromResult(this.#encoder.frame(request, start));
      const outcome = yield* this.#exchange(plan, socket, frame, plan.onDelta);
      const { ended, hasHead, lost } = outcome;
      const isStale = reused !== undefined && lost !== undefined && lost.kind !== "timeout" && !hasHead;
      if (isStale) return yield* again({});
      const code = codeOf(ended);
      if (code === undefined) return outcome;
      if (reused !== undefined && this.#socketProtocol.usedUp.has(code)) return yield* again({});
      if (start === undefined || plan.isReplay || !this.#socketProtocol.forgotten.has(code)) return outcome;
      this.#known = undefined;
      return yield* again({ start: undefined, warmsUp: false, isReplay: true });
    });

  /** Tells the server of tools and settings, so that it is ready. */
  readonly #warmUp = Effect.fnUntraced(function* (this: SocketSession, plan: Plan, socket: Socket) {
    const frame = yield* Effect.fromResult(this.#encoder.warmUp(plan.request));
    return yield* this.#exchange(plan, socket, frame, () => undefined);
  });

  readonly #exchange = Effect.fnUntraced(function* (
    this: SocketSession,
    { isReplay, request, way }: Plan,
    socket: Socket,
    frame: string,
    onDelta: OnDelta,
  ) {
    const decoder = this.#protocol.decoder(request, onDelta);
    const reply = new FrameReply(decoder);
    const { deadlines, observer } = way;
    observer?.sent(frame);
    const onText: OnText = (text) => {
      observer?.text(text);
      return reply.text(text);
    };
    const lost = yield* socket
      .exchange(frame, observer === undefined ? reply.text : onText, deadlines)
      .pipe(Effect.match({ onSuccess: () => undefined, onFailure: (fault) => fault }));
    const outcome: Outcome = {
      ended: reply.end(lost !== undefined),
      lost,
      hasHead: reply.hasHead,
      partial: decoder.partial(),
      warnings: isReplay ? [replayed] : [],
    };
    return outcome;
  });

  /**
   * Where the server stands, if the request goes on from there: the next message must be the model's answer. Without
   * one the server knows more than this side, and is told everything.
   */
  #startOf(request: ModelRequest, key: string): FrameStart | undefined {
    const start = this.#known === undefined ? stateOf(request) : this.#knownBy(request, key);
    return start !== undefined && request.messages[start.known]?.role === "assistant" ? start : undefined;
  }

  #knownBy({ messages }: ModelRequest, key: string): FrameStart | undefined {
    const known = this.#known;
    if (known?.key !== key) return undefined;
    return known.messages.every((message, index) => message === messages[index]) ? known : undefined;
  }
}

interface Plan {
  readonly request: ModelRequest;
  readonly onDelta: OnDelta;
  readonly way: Way;
  readonly start: FrameStart | undefined;
  readonly warmsUp: boolean;
  readonly isReplay: boolean;
}

const replayed = "the server had forgotten the session, so the whole conversation was sent again";

/** A state of this source and of sockets; any other says nothing about a socket's session. */
const socketStateOf = ({ binding, providerState }: ModelRequest): ProviderState | undefined =>
  providerState?.transport === socketTransport &&
  providerState.format === binding.format &&
  providerState.source === binding.source
    ? providerState
    : undefined;

const stateOf = (request: ModelRequest): FrameStart | undefined => {
  const state = socketStateOf(request);
  return state && { previousResponseId: state.previousResponseId, known: state.messageCursor };
};

const stateProblem = (request: ModelRequest): Refusal | undefined => {
  const state = socketStateOf(request);
  if (state === undefined) return undefined;
  const { messageCursor, previousResponseId } = state;
  const refuse = (detail: string): Refusal => ({ _tag: "providerState", detail });
  if (!Number.isInteger(messageCursor) || messageCursor < 0) return refuse("it has no message cursor");
  if (messageCursor > request.messages.length) {
    return refuse(`its cursor ${messageCursor} is behind the ${request.messages.length} message(s) of the request`);
  }
  return previousResponseId === undefined || previousResponseId === "" ? refuse("it names no response") : undefined;
};

const codeOf = (ended: Outcome["ended"]): string | undefined =>
  Result.isFailure(ended) && ended.failure.problem._tag === "error" ? ended.failure.problem.code : undefined;

const notOpened = (failure: TransportFault | SocketRefused, observer: SocketObserver | undefined): Outcome => {
  const refused = failure._tag === "SocketRefused";
  if (refused) observer?.refused(failure.head, failure.body);
  return {
    ended: Result.fail({
      head: refused ? failure.head : { status: 0, headers: {} },
      problem: refused ? { _tag: "status" } : { _tag: "interrupted", detail: failure.detail },
      body: refused ? failure.body : "",
    }),
    lost: refused ? undefined : failure,
    hasHead: refused,
    partial: undefined,
    warnings: [],
  };
};
