/** A loopback server that plays the turns of a law in a format, one path for each. */
import type { ServerResponse } from "node:http";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { Turn } from "@cahier/testkit/laws/ModelGatewayLaws";
import * as Effect from "effect/Effect";
import * as players from "./players.ts";
import * as servers from "./servers.ts";

/** `add` gives the base URL at which the turn is played; `open` counts requests that are neither answered nor closed. */
export const server = (format: ModelFormat) =>
  Effect.gen(function* () {
    const turns: Array<Turn> = [];
    const player = players.of(format);
    let open = 0;
    const { url } = yield* servers.http((response, body, path) => {
      const turn = turns[Number(/^\/(\d+)\//.exec(path)?.[1] ?? Number.NaN)];
      if (turn === undefined) return void response.writeHead(404).end();
      open += 1;
      response.on("close", () => (open -= 1));
      const { stream } = JSON.parse(body) as { readonly stream?: boolean };
      play(response, turn, stream ?? path.includes("alt=sse"), player);
    });
    return { add: (turn: Turn): string => `${url}/${turns.push(turn) - 1}`, open: Effect.sync(() => open) };
  });

const play = (response: ServerResponse, turn: Turn, stream: boolean, player: players.Player): void => {
  const { error } = turn;
  if (error !== undefined && "status" in error) {
    const wait = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) };
    return void response.writeHead(error.status, wait).end(error.body ?? '{"error":{"message":"as asked"}}');
  }
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    if (error !== undefined) return void response.write('{"choices":[');
    return void response.end(player.whole(turn));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const cut = error !== undefined && "cutAfterChars" in error ? error.cutAfterChars : undefined;
  const text = [...(turn.text ?? "")].slice(0, cut).join("");
  for (const event of player.opening(turn, text)) response.write(event);
  if (cut !== undefined) return void response.write(": end\n\n", () => response.destroy());
  if (error !== undefined) return;
  for (const event of player.ending(turn)) response.write(event);
  response.end();
};
