/**
 * The loop that people write first: the whole history as JSON, `fetch`, lines of the stream, the tool, again.
 *
 * The other side of the step comparison. It keeps nothing, checks nothing and survives nothing.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.

interface Call {
  id: string;
  name: string;
  args: string;
}

interface Chunk {
  readonly choices: ReadonlyArray<{
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: ReadonlyArray<{
        readonly index: number;
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments?: string };
      }>;
    };
  }>;
}

/** What the conversation begins with, as it is sent. */
export interface Opening {
  readonly model: string;
  readonly messages: ReadonlyArray<unknown>;
  readonly tools: ReadonlyArray<unknown>;
}

/** Talks until the model calls a tool that is not there; gives the number of tool rounds. */
export const bareLoop = async (
  baseUrl: string,
  opening: Opening,
  tools: Readonly<Record<string, (args: string) => string>>,
): Promise<number> => {
  const { model, messages: prompt, tools: definitions } = opening;
  const messages = [...prompt];
  for (let round = 0; ; round += 1) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        messages,
        model,
        stream: true,
        stream_options: { include_usage: true },
        tool_choice: "auto",
        tools: definitions,
      }),
    });
    const { calls, content } = await readReply(response);
    messages.push({
      role: "assistant",
      content,
      tool_calls: calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: args } })),
    });
    for (const { id, name, args } of calls) {
      const tool = tools[name];
      if (tool === undefined) return round;
      messages.push({ role: "tool", tool_call_id: id, content: tool(args) });
    }
  }
};

const readReply = async (response: Response): Promise<{ readonly content: string; readonly calls: Array<Call> }> => {
  if (response.body === null) throw new Error(`the model server answered ${response.status} without a body`);
  const decoder = new TextDecoder();
  const calls: Array<Call> = [];
  let content = "";
  let text = "";
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event.slice("data: ".length);
      if (data === "[DONE]") continue;
      const delta = (JSON.parse(data) as Chunk).choices[0]?.delta;
      content += delta?.content ?? "";
      for (const piece of delta?.tool_calls ?? []) {
        const call = (calls[piece.index] ??= { id: "", name: "", args: "" });
        call.id += piece.id ?? "";
        call.name += piece.function.name ?? "";
        call.args += piece.function.arguments ?? "";
      }
    }
  }
  return { content, calls };
};
