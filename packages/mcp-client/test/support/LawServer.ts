/**
 * The server that the laws speak of, for both eras of the protocol: a factory for the protocol's own server library.
 */
import { inputRequired, inputResponse, ProtocolError, Server } from "@modelcontextprotocol/server";

/** `pages` are lists of tools as they are; `isEndless` leads from the last page on for ever. */
export interface Stated {
  readonly pages: ReadonlyArray<ReadonlyArray<unknown>>;
  readonly isEndless: boolean;
  readonly header?: string;
}

/** Takes what the server has seen, as lines: `call <text>`, `cancelled <text>`; a call is answered once it is known there. */
export type Report = (line: string) => void | Promise<void>;

export const make = (stated: Stated, report: Report, header: () => string) => (): Server => {
  const server = new Server(
    { name: "law server", version: "1.2.3" },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} }, instructions: "Be brief." },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    const page = Number(params?.cursor ?? "0");
    const isLast = page >= stated.pages.length - 1 && !stated.isEndless;
    return {
      tools: (stated.pages[page % stated.pages.length] ?? []) as never,
      ...(isLast ? {} : { nextCursor: String(page + 1) }),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const given = params.arguments ?? {};
    const said = typeof given["text"] === "string" ? given["text"] : "";
    const isFirst = context.mcpReq.inputResponses === undefined;
    if (isFirst) await report(`call ${said}`);
    if (params.name === "fail") return { content: [text(said)], isError: true };
    if (params.name === "refuse") throw new ProtocolError(-32_123, said, { hint: "a hint" });
    if (params.name === "header") return { content: [text(header())], structuredContent: { header: header() } };
    if (params.name === "wait") return waitFor(context.mcpReq.signal, () => void report(`cancelled ${said}`));
    if (params.name === "progress") {
      const progressToken = context.mcpReq._meta?.progressToken ?? "";
      const notify = (progress: number) =>
        context.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 2, message: `step ${progress}` },
        });
      await notify(1);
      await notify(2);
      return { content: [text("done")] };
    }
    if (params.name === "ask") return asked(said, context.mcpReq.inputResponses);
    if (params.name === "sample") return sampled(said, context.mcpReq.inputResponses);
    return { content: [text(said)], structuredContent: { said } };
  });
  server.setRequestHandler("resources/list", ({ params }) =>
    params?.cursor === undefined
      ? { resources: [{ uri: "law://one", name: "one" }], nextCursor: "more" }
      : { resources: [{ uri: "law://two", name: "two" }] },
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "law://{name}", name: "any" }],
  }));
  server.setRequestHandler("resources/read", ({ params }) => ({ contents: [{ uri: params.uri, text: "the text" }] }));
  server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "greet" }] }));
  server.setRequestHandler("prompts/get", ({ params }) => ({
    messages: [{ role: "user" as const, content: text(`Greet ${params.arguments?.["who"] ?? "nobody"}.`) }],
  }));
  return server;
};

const text = (said: string) => ({ type: "text" as const, text: said });

const waitFor = (signal: AbortSignal, cancelled: () => void) =>
  new Promise<never>((_, reject) => {
    const stop = () => {
      cancelled();
      reject(new Error("nobody waits"));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });

const asked = (message: string, responses: Record<string, unknown> | undefined) => {
  if (responses === undefined) {
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    return inputRequired({ inputRequests: { question: inputRequired.elicit({ message, requestedSchema }) } });
  }
  const reply = inputResponse(responses, "question");
  const said = reply.kind === "elicit" ? `${reply.action} ${JSON.stringify(reply.content ?? {})}` : reply.kind;
  return { content: [text(said)] };
};

const sampled = (message: string, responses: Record<string, unknown> | undefined) => {
  if (responses === undefined) {
    const messages = [{ role: "user" as const, content: text(message) }];
    return inputRequired({ inputRequests: { model: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  }
  const reply = inputResponse(responses, "model");
  return { content: [text(reply.kind === "sampling" ? JSON.stringify(reply.result.content) : reply.kind)] };
};
