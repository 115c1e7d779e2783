/**
 * What a server asks of this side: questions to a person go to the host, requests for a model's answer only where the
 * server may make them. Roots are never offered.
 *
 * A question goes to the host of the call that it belongs to. The newer protocol says which that is, and so does the stream
 * in which the response to a call comes; elsewhere it is known only where no other request that may ask is under way. Where
 * it is not known, the question is cancelled and the model refused: nobody is asked for the call of another. A call that
 * this side has given up counts no more, since the server was told.
 */
import type { Client, CreateMessageResult } from "@modelcontextprotocol/client";
import type { McpReply, McpServer } from "@cahier/ports/McpGateway";
import type * as Schema from "effect/Schema";
import * as Exchange from "./Exchange.ts";
import type { Hide } from "./hide.ts";

/** What this side can be asked for; what a person leaves out of a form gets the default that the form states. */
export const capabilitiesOf = (server: McpServer) => ({
  elicitation: { form: { applyDefaults: true } },
  ...(server.allowsSampling ? { sampling: {} } : {}),
});

/** What the questions come through: `active` gives the exchanges under way, for where the connection does not say which one asks. */
export interface Circumstances {
  readonly server: McpServer;
  readonly hide: Hide;
  readonly active: () => ReadonlyArray<Exchange.Exchange>;
}

/** Answers the questions; the host is told them without the secrets of the session. */
export const answer = (client: Client, { server, hide, active }: Circumstances): void => {
  const voice = () => {
    const asking = Exchange.current();
    if (asking !== undefined) return asking.voice;
    const [only, ...others] = active().filter(({ method }) => mayAsk.has(method ?? ""));
    return others.length === 0 ? only?.voice : undefined;
  };
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const ask = voice()?.ask;
    if (ask === undefined) return { action: "cancel" };
    const schema = "requestedSchema" in params ? (params.requestedSchema as Schema.Json) : {};
    return replyOf(await ask({ serverId: server.id, message: hide.json(params.message), schema: hide.json(schema) }));
  });
  if (!server.allowsSampling) return;
  client.setRequestHandler("sampling/createMessage", async ({ params }) => {
    const sample = voice()?.sample;
    if (sample === undefined) throw new Error("no model may be asked here");
    // The library checks what comes back against the protocol before it is sent.
    return (await sample(server.id, hide.json(params as Schema.Json))) as unknown as CreateMessageResult;
  });
};

/** Requests in which a server has something to ask about; of lists it has not. */
const mayAsk = new Set(["tools/call", "resources/read", "prompts/get"]);

const replyOf = (reply: McpReply) =>
  reply.action === "accept"
    ? { action: reply.action, content: reply.content as Record<string, string | number | boolean | Array<string>> }
    : { action: reply.action };
