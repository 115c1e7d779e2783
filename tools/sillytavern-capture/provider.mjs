/**
 * A provider that answers with given replies and keeps the messages that reached it.
 *
 * Owns the recorded requests. Speaks chat completions without streaming, on loopback.
 */
import { once } from "node:events";
import { createServer } from "node:http";

/** The model that the provider names: SillyTavern counts its tokens with the tokenizer of this name. */
export const model = "gpt-4o";

/** Starts the provider. `begin` sets the replies of the next requests; `requests` holds what came since. */
export const start = async () => {
  const state = { replies: [], requests: [] };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.url.endsWith("/models")) {
        response.end(JSON.stringify({ object: "list", data: [{ id: model, object: "model" }] }));
        return;
      }
      state.requests.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      const content = state.replies.shift() ?? "She nods.";
      const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
      response.end(JSON.stringify({ id: "reply", object: "chat.completion", choices: [choice] }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${server.address().port}/v1`,
    begin: (replies) => {
      state.replies = [...replies];
      state.requests = [];
    },
    requests: () => state.requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
