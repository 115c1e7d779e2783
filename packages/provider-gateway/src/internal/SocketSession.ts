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
import * as answers from "./answers.ts";
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
  #known: Known | undefined;
  /** The server has shown that it knows no warm-up. */
  #isWithoutWarmUp = false;

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
      const { message, responseId } = ended.success;
      const { messages } = request;
      this.#known = {
        key: way.key,
        previousResponseId: responseId,
        known: messages.length,
        messages,
        answer: answers.digest(message),
      };
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
      const warms = plan.warmsUp && reused === undefined && !this.#isWithoutWarmUp;
      const warmed = warms ? yield* this.#warmUp(plan, socket) : undefined;
      const warmId = warmed === undefined ? undefined : Result.getOrUndefined(warmed.ended)?.responseId;
      if (warmed !== undefined && warmId === undefined) {
        const meaning = meaningOf(warmed);
        this.#isWithoutWarmUp = meaning !== "refused";
        if (meaning !== "unknown") return warmed;
        return yield* again({ warmsUp: false });
      }
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

  /** Tells the server of tools and settings, so that it is ready. It has nothing to think about, so it answers soon. */
  readonly #warmUp = Effect.fnUntraced(function* (this: SocketSession, plan: Plan, socket: Socket) {
    const frame = yield* Effect.fromResult(this.#encoder.warmUp(plan.request));
    const { firstByteMs, idleMs } = plan.way.deadlines;
    const deadlines = { firstByteMs: Math.min(firstByteMs, warmUpMs), idleMs: Math.min(idleMs, warmUpMs) };
    return yield* this.#exchange({ ...plan, way: { ...plan.way, deadlines } }, socket, frame, () => undefined);
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
   * Where the server stands, if the request goes on from there: the next message must be the answer that it gave. With
   * another one, or none, the server knows something else than this side, and is told everything.
   */
  #startOf(request: ModelRequest, key: string): FrameStart | undefined {
    return this.#known === undefined ? stateOf(request) : this.#knownBy(request, key);
  }

  #knownBy({ messages }: ModelRequest, key: string): FrameStart | undefined {
    const known = this.#known;
    if (known?.key !== key) return undefined;
    const answer = messages[known.known];
    if (answer?.role !== "assistant" || answers.digest(answer) !== known.answer) return undefined;
    return known.messages.every((message, index) => message === messages[index]) ? known : undefined;
  }
}

interface Known extends FrameStart {
  readonly key: string;
  readonly messages: ReadonlyArray<Message>;
  /** The digest of the answer to them. */
  readonly answer: string;
}

interface Plan {
  readonly request: ModelRequest;
  readonly onDelta: OnDelta;
  readonly way: Way;
  readonly start: FrameStart | undefined;
  readonly warmsUp: boolean;
  readonly isReplay: boolean;
}

/** How long a server may take for a warm-up, and within it. */
const warmUpMs = 10_000;

/**
 * What a warm-up without a response says: the server does not know of such a thing, so that it is asked without; or it
 * cannot be asked at all. `failed`: it may have failed at the warm-up alone, so that the next call goes without.
 */
const meaningOf = ({ ended, lost }: Outcome): "unknown" | "refused" | "failed" => {
  if (lost !== undefined) return lost.kind === "timeout" ? "unknown" : "refused";
  const problem = Result.isFailure(ended) ? ended.failure.problem : undefined;
  if (problem?._tag !== "error") return "unknown";
  if (problem.status >= 500) return "failed";
  return problem.status === 401 || problem.status === 403 || problem.status === 429 ? "refused" : "unknown";
};

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
  const answer = state && request.messages[state.messageCursor];
  if (answer?.role !== "assistant" || state === undefined || !answers.isCounted(answer, state)) return undefined;
  return { previousResponseId: state.previousResponseId, known: state.messageCursor };
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
