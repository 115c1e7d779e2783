/** Serves the sample on standard input and output. */
import * as StdioServer from "@cahier/mcp-server/StdioServer";
import * as Effect from "effect/Effect";
import * as Sample from "../support/Sample.ts";

const secret = process.env["HOST_SECRET"] ?? "";
await Effect.runPromise(
  StdioServer.run({
    ...Sample.offer,
    // A bug of a host that would tell what it knows.
    diff: () => Effect.die(new Error(`cannot connect with ${secret}`)),
  }),
);
