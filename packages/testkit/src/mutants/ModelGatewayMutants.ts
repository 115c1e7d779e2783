/**
 * Broken gateways: at least one for each law of ModelGateway.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Part } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { ProviderState } from "@cahier/domain/model/ProviderState";
import { ModelFault, type ModelFaultReason, type ModelGateway } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { ModelGatewayHarness } from "../laws/ModelGatewayLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Gateway = ModelGateway["Service"];

const change = Change.of<Gateway, ModelGatewayHarness>();

const mapResponse = (map: (response: ModelResponse) => ModelResponse) =>
  change((gateway) => ({ generate: (request, onDelta) => Effect.map(gateway.generate(request, onDelta), map) }));

const mapParts = (map: (parts: ReadonlyArray<Part>) => ReadonlyArray<Part>) =>
  mapResponse((response) => ({ ...response, message: { ...response.message, parts: map(response.message.parts) } }));

const mapDeltas = (map: (delta: ModelDelta) => ReadonlyArray<ModelDelta>) =>
  change((gateway) => ({
    generate: (request, onDelta) => gateway.generate(request, (delta) => map(delta).forEach(onDelta)),
  }));

const mapReason = (map: (reason: ModelFaultReason) => ModelFaultReason) =>
  change((gateway) => ({
    generate: (request, onDelta) =>
      Effect.mapError(
        gateway.generate(request, onDelta),
        (fault) => new ModelFault({ reason: map(fault.reason), detail: fault.detail }),
      ),
  }));

/** Every failing status is called a server in trouble. */
const oneForAll = mapReason((reason) => ("status" in reason ? { _tag: "Transient", status: reason.status } : reason));

export const mutants: ReadonlyArray<Mutant<ModelGatewayHarness>> = [
  {
    kills: "MDL-01",
    title: "a gateway that guesses the usage",
    breaks: mapResponse((response) => ({ ...response, usage: { inputTokens: 1, outputTokens: 1 } })),
  },
  {
    kills: "MDL-02",
    title: "a first delta that is lost",
    breaks: change((gateway) => ({
      generate: (request, onDelta) => {
        const seen = { deltas: 0 };
        return gateway.generate(request, (delta) => {
          seen.deltas += 1;
          if (seen.deltas > 1) onDelta(delta);
        });
      },
    })),
  },
  {
    kills: "MDL-03",
    title: "arguments that are parsed and written again",
    breaks: mapParts((parts) =>
      parts.map((part) =>
        part.type === "toolCall" ? { ...part, arguments: JSON.stringify(JSON.parse(part.arguments)) } : part,
      ),
    ),
  },
  {
    kills: "MDL-03",
    title: "ids that the gateway makes itself",
    breaks: mapParts((parts) =>
      parts.map((part, index) => (part.type === "toolCall" ? { ...part, callId: CallId.make(`call_${index}`) } : part)),
    ),
  },
  {
    kills: "MDL-04",
    title: "a gateway that keeps the last tool call alone",
    breaks: mapParts((parts) => {
      const last = parts.findLast((part) => part.type === "toolCall");
      return parts.filter((part) => part.type !== "toolCall" || part === last);
    }),
  },
  {
    kills: "MDL-05",
    title: "one index for all tool calls",
    breaks: mapDeltas((delta) => ["index" in delta ? { ...delta, index: 0 } : delta]),
  },
  {
    kills: "MDL-06",
    title: "reasoning that is given out as text",
    breaks: mapParts((parts) => parts.map((part) => (part.type === "reasoning" ? { ...part, type: "text" } : part))),
  },
  {
    kills: "MDL-07",
    title: "a delta that comes with the next call",
    breaks: change((gateway) => {
      const late: Array<() => void> = [];
      return {
        generate: (request, onDelta) =>
          Effect.suspend(() => {
            for (const send of late.splice(0)) send();
            late.push(() => onDelta({ type: "text", text: "late" }));
            return gateway.generate(request, onDelta);
          }),
      };
    }),
  },
  {
    kills: "MDL-08",
    title: "one listener for all calls",
    breaks: change((gateway) => {
      const listeners: Array<(delta: ModelDelta) => void> = [];
      return {
        generate: (request, onDelta) =>
          Effect.suspend(() => {
            listeners.unshift(onDelta);
            return gateway.generate(request, (delta) => listeners[0]?.(delta));
          }),
      };
    }),
  },
  { kills: "MDL-09", title: "a gateway that names no format", breaks: change(() => ({ formats: [] })) },
  { kills: "MDL-20", title: "a refused key that is called a server in trouble", breaks: oneForAll },
  { kills: "MDL-21", title: "a refused request that is called a server in trouble", breaks: oneForAll },
  {
    kills: "MDL-22",
    title: "a wait in seconds that is taken for milliseconds",
    breaks: mapReason((reason) =>
      reason._tag === "RateLimited" && reason.retryAfterMs !== undefined
        ? { ...reason, retryAfterMs: reason.retryAfterMs / 1000 }
        : reason,
    ),
  },
  {
    kills: "MDL-23",
    title: "a server in trouble that is called a refused request",
    breaks: mapReason((reason) => (reason._tag === "Transient" ? { _tag: "Rejected", status: reason.status } : reason)),
  },
  {
    kills: "MDL-24",
    title: "a cut stream that is a whole answer",
    breaks: change((gateway) => ({
      generate: (request, onDelta) =>
        Effect.catchTag(gateway.generate(request, onDelta), "ModelFault", (fault) =>
          fault.partial === undefined ? Effect.fail(fault) : Effect.succeed(fault.partial),
        ),
    })),
  },
  {
    kills: "MDL-25",
    title: "a failure that shows the key",
    breaks: (harness) =>
      change((gateway) => ({
        generate: (request, onDelta) =>
          Effect.mapError(
            gateway.generate(request, onDelta),
            (fault) => new ModelFault({ reason: fault.reason, detail: `The key ${harness.secret} was refused.` }),
          ),
      }))(harness),
  },
  {
    kills: "MDL-26",
    title: "a failure that shows all that the server said",
    breaks: change((gateway) => ({
      generate: (request, onDelta) =>
        Effect.mapError(
          gateway.generate(request, onDelta),
          (fault) => new ModelFault({ reason: fault.reason, detail: `${fault.detail}${"\u2591".repeat(4000)}` }),
        ),
    })),
  },
  {
    kills: "MDL-27",
    title: "a gateway that takes every format for its own",
    breaks: change((gateway) => ({
      generate: (request, onDelta) => {
        const [format] = gateway.formats;
        if (format === undefined) return gateway.generate(request, onDelta);
        return gateway.generate({ ...request, binding: { ...request.binding, format } }, onDelta);
      },
    })),
  },
  {
    kills: "MDL-28",
    title: "a position that counts from one",
    breaks: mapReason((reason) =>
      reason._tag === "ScriptExhausted" ? { ...reason, position: reason.position + 1 } : reason,
    ),
  },
  {
    kills: "MDL-40",
    title: "a call that waits for its server before it lets go",
    breaks: change((gateway) => ({
      generate: (request, onDelta) =>
        Effect.onInterrupt(gateway.generate(request, onDelta), () => Effect.sleep("1200 millis")),
    })),
  },
  {
    kills: "MDL-41",
    title: "an interruption that leaves the connection open",
    breaks: change((gateway) => ({
      generate: (request, onDelta) => Effect.flatMap(Effect.forkDetach(gateway.generate(request, onDelta)), Fiber.join),
    })),
  },
  {
    kills: "MDL-42",
    title: "a session that takes one request",
    breaks: change((gateway) => {
      const sessions = new Set<string>();
      return {
        generate: (request, onDelta) =>
          Effect.suspend(() => {
            if (sessions.has(request.sessionId)) return Effect.fail(sessionOver);
            sessions.add(request.sessionId);
            return gateway.generate(request, onDelta);
          }),
      };
    }),
  },
  {
    kills: "MDL-43",
    title: "a closed session that stays closed",
    breaks: change((gateway) => {
      const closed = new Set<string>();
      return {
        closeSession: (sessionId) =>
          Effect.andThen(
            Effect.sync(() => void closed.add(sessionId)),
            gateway.closeSession(sessionId),
          ),
        generate: (request, onDelta) =>
          Effect.suspend(() =>
            closed.has(request.sessionId) ? Effect.fail(sessionOver) : gateway.generate(request, onDelta),
          ),
      };
    }),
  },
  {
    kills: "MDL-44",
    title: "a state that counts the answer as well",
    breaks: change((gateway) => ({
      generate: (request, onDelta) =>
        Effect.map(gateway.generate(request, onDelta), (response) => ({
          ...response,
          providerState: stateAfter(request, request.messages.length + 1),
        })),
    })),
  },
  {
    kills: "MDL-44",
    title: "a state that the first answer alone leaves",
    breaks: change((gateway) => ({
      generate: (request, onDelta) =>
        Effect.map(gateway.generate(request, onDelta), ({ providerState: _left, ...response }) =>
          request.messages.some(({ role }) => role === "assistant")
            ? response
            : { ...response, providerState: stateAfter(request, request.messages.length) },
        ),
    })),
  },
  {
    kills: "MDL-45",
    title: "a gateway that goes on only with what it has in memory",
    breaks: change((gateway) => {
      const begun = new Set<string>();
      return {
        generate: (request, onDelta) =>
          Effect.suspend(() => {
            const goesOn = request.messages.some(({ role }) => role === "assistant");
            if (goesOn && !begun.has(request.sessionId)) return Effect.fail(sessionOver);
            begun.add(request.sessionId);
            return gateway.generate(request, onDelta);
          }),
      };
    }),
  },
];

const stateAfter = ({ binding: { format, source } }: ModelRequest, messageCursor: number): ProviderState => ({
  source,
  format,
  messageCursor,
});

const sessionOver = new ModelFault({ reason: { _tag: "Rejected", status: 409 }, detail: "The session is over." });
