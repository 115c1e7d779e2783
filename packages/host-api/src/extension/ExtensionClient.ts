/**
 * The extension's end of the bridge, for a page or any other program: registers functions as tools of a host that runs elsewhere.
 *
 * Plain promises, no dependency. Owns its tools, and registers them anew when the connection has been made anew. A call that is under way
 * when the connection breaks is given up: its signal is aborted, and its answer goes nowhere.
 */
import { answerCall, failureOf } from "../internal/extension/answerCall.ts";
import * as Connection from "../internal/extension/Connection.ts";
import * as Requests from "../internal/extension/Requests.ts";
import { type BridgeSocket, fromWebSocket } from "./BridgeSocket.ts";
import type { CallContext, ToolForm } from "./ExtensionMessages.ts";

/**
 * Where the host is. `open` makes a connection (default: a WebSocket), `later` waits (default: a timer). `onProblem` is told when a
 * tool could not be registered anew.
 */
export interface Options {
  readonly url: string;
  readonly token: string;
  /** What people may call this extension's connection. */
  readonly name?: string;
  readonly open?: (url: string) => Promise<BridgeSocket>;
  readonly later?: Connection.Later;
  readonly onProblem?: (problem: ExtensionClientError) => void;
}

export type State = Connection.State;

/** For which call a function works. The signal is aborted when nobody waits for the answer any more. */
export interface ToolCall extends CallContext {
  readonly toolId: string;
  readonly signal: AbortSignal;
}

/** Gives JSON or a promise of it; undefined counts as null, a text is given to the model as it is. What it throws is told. */
export type ToolFunction = (given: Record<string, unknown>, call: ToolCall) => unknown;

/** A tool of this client, across connections. Without a connection both are done with the next one. */
export interface Registered {
  readonly toolId: string;
  readonly setEnabled: (enabled: boolean) => Promise<void>;
  readonly unregister: () => Promise<void>;
}

export interface ExtensionClient {
  readonly state: () => State;
  /** Tells each new state; what it gives ends that. */
  readonly onState: (listener: (state: State) => void) => () => void;
  /**
   * Registers a tool; waits for a connection. Rejects with `ExtensionClientError` when it is refused; an id that is taken is asked
   * for once more after a second, since the page before this one may just be going.
   */
  readonly register: (tool: ToolForm, run: ToolFunction) => Promise<Registered>;
  /** Ends the connection for good, and with it the tools. */
  readonly close: () => void;
}

/** Why something was refused: by the host with an `extension.` code, else `closed` or `refused` as the state of the client. */
export class ExtensionClientError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "ExtensionClientError";
    this.code = code;
  }
}

/** Begins to connect to a host, and goes on trying until it is closed or refused. */
export const connect = ({
  url,
  token,
  name,
  open = openWebSocket,
  later = timer,
  onProblem,
}: Options): ExtensionClient => {
  const tools = new Map<string, Tool>();
  const calls = new Map<string, AbortController>();
  const requests = Requests.make();
  const listeners = new Set<(state: State) => void>();

  const announce = (tool: Tool) => {
    tool.standing = "asked";
    tool.asked += 1;
    requests.ask({ type: "register", tool: tool.form }, connection.say, (reply) => {
      if (tools.get(tool.toolId) !== tool || reply.kind === "lost") return;
      tool.standing = reply.kind === "done" ? "there" : "absent";
      if (reply.kind === "done") {
        tool.isKnown = true;
        return tool.settle(undefined);
      }
      // After a broken connection, or a page that was loaded anew, the host may still hold the tool for the one before.
      if (reply.code === "extension.tool_duplicate" && (tool.isKnown || tool.asked === 1)) {
        return void later(retryPause, () => retry(tool));
      }
      tools.delete(tool.toolId);
      const problem = new ExtensionClientError(reply.code, reply.message);
      if (tool.isKnown) onProblem?.(problem);
      tool.settle(problem);
    });
  };

  const retry = (tool: Tool) => {
    const isAbsent = tools.get(tool.toolId) === tool && tool.standing === "absent";
    if (isAbsent && connection.state() === "connected") announce(tool);
  };

  const changed = (state: State) => {
    if (state !== "connected") {
      for (const controller of calls.values()) controller.abort();
      calls.clear();
      requests.lose();
      for (const tool of tools.values()) tool.standing = "absent";
    }
    if (state === "connected") for (const tool of tools.values()) announce(tool);
    if (state === "closed" || state === "refused") {
      for (const tool of tools.values()) tool.settle(endOf(state));
      tools.clear();
    }
    for (const listener of listeners) queueMicrotask(() => listener(state));
  };

  const called = (message: Members) => {
    const { requestId, toolId, arguments: given, context } = message;
    if (typeof requestId !== "string" || typeof toolId !== "string" || !isObject(given) || !isObject(context)) return;
    const tool = tools.get(toolId);
    if (tool === undefined) return connection.say(failureOf(requestId, `${toolId} is no tool of this extension.`));
    const controller = new AbortController();
    calls.set(requestId, controller);
    const call = { ...contextOf(context), toolId, signal: controller.signal };
    const forget = () => calls.delete(requestId);
    void answerCall(requestId, () => tool.run({ ...given }, call), connection.say, controller.signal).then(forget);
  };

  const heard = (message: Members) => {
    const { type, requestId, code } = message;
    if (type === "ping") return connection.say(JSON.stringify({ type: "pong" }));
    if (type === "call") return called(message);
    if (typeof requestId !== "string") return;
    if (type === "cancel") {
      calls.get(requestId)?.abort();
      calls.delete(requestId);
    }
    if (type === "registered" || type === "done") requests.reply(requestId, { kind: "done" });
    if (type === "refused") {
      requests.reply(requestId, { kind: "refused", code: String(code), message: String(message["message"]) });
    }
  };

  const connection = Connection.make({
    open: () => open(url),
    token,
    ...(name === undefined ? {} : { name }),
    later,
    changed,
    heard,
  });

  const handleOf = (tool: Tool): Registered => ({
    toolId: tool.toolId,
    setEnabled: (enabled) =>
      new Promise((resolve, reject) => {
        tool.form = { ...tool.form, enabled };
        if (connection.state() !== "connected") return resolve();
        requests.ask({ type: "setEnabled", toolId: tool.toolId, enabled }, connection.say, (reply) =>
          reply.kind === "refused" ? reject(new ExtensionClientError(reply.code, reply.message)) : resolve(),
        );
      }),
    unregister: () =>
      new Promise((resolve) => {
        if (tools.get(tool.toolId) === tool) tools.delete(tool.toolId);
        if (connection.state() !== "connected") return resolve();
        requests.ask({ type: "unregister", toolId: tool.toolId }, connection.say, () => resolve());
      }),
  });

  connection.begin();
  return {
    state: connection.state,
    onState: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    register: (form, run) =>
      new Promise((resolve, reject) => {
        const state = connection.state();
        if (state === "closed" || state === "refused") return reject(endOf(state));
        const toolId = `extension/${form.extensionId}:${form.name}`;
        if (tools.has(toolId)) {
          return reject(new ExtensionClientError("extension.tool_duplicate", `${toolId} is registered already.`));
        }
        const settle = (problem: ExtensionClientError | undefined) =>
          problem === undefined ? resolve(handleOf(tool)) : reject(problem);
        const tool: Tool = { toolId, form, run, settle, standing: "absent", asked: 0, isKnown: false };
        tools.set(toolId, tool);
        if (state === "connected") announce(tool);
      }),
    close: connection.close,
  };
};

/** A tool that is to be registered whenever there is a connection. */
interface Tool {
  readonly toolId: string;
  form: ToolForm;
  readonly run: ToolFunction;
  /** The first time counts. */
  readonly settle: (problem: ExtensionClientError | undefined) => void;
  /** What this connection has of it. */
  standing: "absent" | "asked" | "there";
  /** How often the host was asked to have it. */
  asked: number;
  /** The host has had it once. */
  isKnown: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const retryPause = 1_000;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const contextOf = ({ runId, invocationId, callId, target }: Members): CallContext => ({
  runId: String(runId),
  invocationId: String(invocationId),
  callId: String(callId),
  target: target === "session" ? "session" : "chat",
});

const endOf = (state: "closed" | "refused"): ExtensionClientError =>
  new ExtensionClientError(
    state,
    state === "closed" ? "The client is closed." : "The host refuses this client; look at its token and its version.",
  );

const openWebSocket = (url: string): Promise<BridgeSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const bridge = fromWebSocket(socket);
    socket.addEventListener("open", () => resolve(bridge));
    socket.addEventListener("close", () => reject(new ExtensionClientError("closed", `${url} cannot be reached.`)));
  });

const timer: Connection.Later = (milliseconds, run) => {
  const handle = setTimeout(run, milliseconds);
  return () => clearTimeout(handle);
};
