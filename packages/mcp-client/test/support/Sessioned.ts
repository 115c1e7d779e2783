/** The older era of the protocol over HTTP: a server for each session, kept by its id. */
import { randomUUID } from "node:crypto";
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

/** A handler that opens a session on `initialize` and knows no other than those that it has opened. */
export const handler = (make: () => Server, enableJsonResponse = false) => {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (request: Request): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  };
  return {
    fetch: (request: Request): Promise<Response> => {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return open(request);
      const known = sessions.get(id);
      return known === undefined
        ? Promise.resolve(new Response("no such session", { status: 404 }))
        : known.handleRequest(request);
    },
    /** Forgets all sessions, as a server that is started anew. */
    forget: () => sessions.clear(),
    count: () => sessions.size,
  };
};
