/**
 * A proxy in front of a server that adds the token to every request and changes nothing else, for clients that have none.
 */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import * as Effect from "effect/Effect";
import type { Listening } from "@cahier/mcp-server/HttpServer";

/** The address that such clients are given; closed with the scope. */
export const make = ({ port }: Listening, token: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((incoming, outgoing) => {
          const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
          const { method, url } = incoming;
          const passed = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false, setHost: false });
          passed.on("response", (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            outgoing.flushHeaders();
            answer.pipe(outgoing);
          });
          passed.on("error", () => outgoing.destroy());
          outgoing.on("close", () => passed.destroy());
          incoming.pipe(passed);
        });
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)));
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void));
          server.closeAllConnections();
        }),
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
  );
