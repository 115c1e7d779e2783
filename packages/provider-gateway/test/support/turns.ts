/** A loopback server that plays the turns of a law as Chat Completions, one path for each. */
import type { ServerResponse } from "node:http";
import type { Turn } from "@cahier/testkit/laws/ModelGatewayLaws";
import * as Effect from "effect/Effect";
import { chunk, sseBody } from "./requests.ts";
import * as servers from "./servers.ts";

/** `add` gives the base URL at which the turn is played; `open` counts requests that are neither answered nor closed. */
export const server = Effect.gen(function* () {
  const turns: Array<Turn> = [];
  let open = 0;
  const { url } = yield* servers.http((response, body, path) => {
    const turn = turns[Number(/^\/(\d+)\//.exec(path)?.[1] ?? Number.NaN)];
    if (turn === undefined) return void response.writeHead(404).end();
    open += 1;
    response.on("close", () => (open -= 1));
    play(response, turn, (JSON.parse(body) as { readonly stream: boolean }).stream);
  });
  return { add: (turn: Turn): string => `${url}/${turns.push(turn) - 1}`, open: Effect.sync(() => open) };
});

const play = (response: ServerResponse, turn: Turn, stream: boolean): void => {
  const { error } = turn;
  if (error !== undefined && "status" in error) {
    const wait = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
    return void response.writeHead(error.status, wait).end(error.body ?? '{"error":{"message":"as asked"}}');
  }
  const finish = (turn.toolCalls?.length ?? 0) > 0 ? "tool_calls" : "stop";
  const usage = turn.usage && { prompt_tokens: turn.usage.inputTokens, completion_tokens: turn.usage.outputTokens };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    if (error !== undefined) return void response.write('{"choices":[');
    const message = {
      role: "assistant",
      content: turn.text ?? null,
      reasoning: turn.reasoning,
      tool_calls: calls(turn),
    };
    return void response.end(JSON.stringify({ id: "c", choices: [{ message, finish_reason: finish }], usage }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const cut = error !== undefined && "cutAfterChars" in error ? error.cutAfterChars : undefined;
  for (const piece of pieces(turn.reasoning ?? "")) response.write(sseBody(chunk({ reasoning_content: piece })));
  const text = [...(turn.text ?? "")].slice(0, cut).join("");
  for (const piece of pieces(text)) response.write(sseBody(chunk({ content: piece })));
  if (cut !== undefined) return void response.write(": end\n\n", () => response.destroy());
  if (error !== undefined) return;
  for (const [index, call] of (calls(turn) ?? []).entries()) {
    const { arguments: whole, name } = call.function;
    response.write(sseBody(chunk({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] })));
    for (const piece of pieces(whole)) {
      response.write(sseBody(chunk({ tool_calls: [{ index, function: { arguments: piece } }] })));
    }
  }
  response.end(sseBody(chunk({}, finish), { choices: [], usage }, "[DONE]"));
};

const calls = (turn: Turn) =>
  turn.toolCalls?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.rawArguments },
  }));

const pieces = (text: string): ReadonlyArray<string> => {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / 5) }, (_, index) =>
    characters.slice(index * 5, (index + 1) * 5).join(""),
  );
};
