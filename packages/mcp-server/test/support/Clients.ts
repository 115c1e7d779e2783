/** The protocol's own client library, connected to servers of this package. */
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import * as HttpServer from "@cahier/mcp-server/HttpServer";
import type { Offer } from "@cahier/mcp-server/Offer";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { fileURLToPath } from "node:url";

export const token = "a-token-of-the-tests";

/** The older era opens a session, the newer one does not. */
export type Era = "2025-11-25" | "2026-07-28";
export const eras: ReadonlyArray<Era> = ["2025-11-25", "2026-07-28"];

/** A server on a free port of loopback. */
export const serve = (offer: Offer, options: Partial<HttpServer.Options> = {}) =>
  HttpServer.make(offer, { token: Redacted.make(token), ...options });

/** A client of a server over HTTP, closed with the scope. */
export const http = ({ url }: HttpServer.Listening, era: Era) =>
  connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    era,
  );

/** A client of a process that serves the sample on its standard input and output. */
export const stdio = (era: Era, environment: Readonly<Record<string, string>> = {}) =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["--conditions=@cahier/source", fileURLToPath(new URL("../programs/stdioServer.ts", import.meta.url))],
      env: { PATH: process.env["PATH"] ?? "", ...environment },
      stderr: "pipe",
    }),
    era,
  );

const connect = (transport: Transport, era: Era) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client(
        { name: "a test", version: "1.0.0" },
        { versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" } },
      );
      await client.connect(transport);
      return client;
    }),
    (client) => Effect.promise(() => client.close().catch(() => undefined)),
  );

/** What a tool said, and whether it was an error. */
export const called = (client: Client, name: string, given: Readonly<Record<string, unknown>> = {}) =>
  Effect.promise(() => client.callTool({ name, arguments: given })).pipe(
    Effect.map((result) => ({
      text: result.content.map((block) => ("text" in block ? block.text : `(${block.type})`)).join("\n"),
      structured: result.structuredContent as Readonly<Record<string, unknown>> | undefined,
      isError: result.isError === true,
      content: result.content,
    })),
  );
