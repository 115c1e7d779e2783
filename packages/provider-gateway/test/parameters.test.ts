import { CallId } from "@cahier/domain/identity/Identity";
import * as Messages from "@cahier/domain/model/Message";
import type { Message, Part } from "@cahier/domain/model/Message";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { GenerationParameters, ModelRequest } from "@cahier/domain/model/ModelRequest";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { source as nanoGpt } from "../src/providers/NanoGpt.ts";
import { source as openAi } from "../src/providers/OpenAi.ts";
import { source as openRouter } from "../src/providers/OpenRouter.ts";
import type { Protocol } from "../src/Route.ts";
import { inFormat, protocolOf } from "./support/decode.ts";

const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }];

/** The body of a request, and what it says that it leaves out. */
const sent = (
  protocol: Protocol,
  modelId: string,
  parameters: GenerationParameters,
  changes: Partial<ModelRequest> = {},
) => {
  const asked = inFormat(protocol.format, { parameters, ...changes });
  const encoder = protocol.encoder();
  const encoded = encoder.encode({ ...asked, binding: { ...asked.binding, modelId } });
  if (Result.isFailure(encoded)) throw new Error(encoded.failure.detail);
  const body = JSON.parse(new TextDecoder().decode(encoded.success)) as Readonly<Record<string, unknown>>;
  return { body, losses: encoder.takeWarnings() };
};

const inOf =
  (format: ModelFormat, modelId: string) => (parameters: GenerationParameters, changes?: Partial<ModelRequest>) =>
    sent(protocolOf(format), modelId, parameters, changes);

const all: GenerationParameters = {
  topK: 40,
  frequencyPenalty: 0.1,
  presencePenalty: 0.2,
  seed: 7,
  verbosity: "low",
  parallelToolCalls: false,
};

const none = (name: string): string => `The setting ${name} was not sent: the protocol has no place for it.`;

describe("parameters of a Chat Completions request", () => {
  const ask = inOf("openai-chat", "tiny");

  it("have the names of the protocol, and topK is said to be lost", () => {
    const { body, losses } = ask({ ...all, reasoning: { effort: "high" } }, { tools });
    assert.deepInclude(body, {
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      seed: 7,
      verbosity: "low",
      parallel_tool_calls: false,
      reasoning_effort: "high",
    });
    assert.deepStrictEqual(losses, [none("topK")]);
    assert.deepStrictEqual(ask({ reasoning: { budgetTokens: 5000 } }).losses, [none("reasoning.budgetTokens")]);
    assert.notProperty(ask({ parallelToolCalls: true }).body, "parallel_tool_calls");
  });

  it("have one form of reasoning at OpenRouter, which also takes topK", () => {
    const [chat] = openRouter.protocols;
    if (chat === undefined) throw new Error("OpenRouter has no protocol");
    assert.deepInclude(sent(chat, "a/b", { topK: 40, reasoning: { effort: "low" } }).body, {
      top_k: 40,
      reasoning: { effort: "low" },
    });
    const both = sent(chat, "a/b", { reasoning: { effort: "low", budgetTokens: 2000 } });
    assert.deepStrictEqual(both.body["reasoning"], { max_tokens: 2000 });
    assert.deepStrictEqual(both.losses, ["The setting reasoning.effort was not sent: the budget decides."]);
    const [other] = nanoGpt.protocols;
    assert.strictEqual(other && sent(other, "m", { reasoning: { effort: "low" } }).body["reasoning_effort"], "low");
  });
});

describe("sampling of a Chat Completions request", () => {
  const sampling = { temperature: 0.5, topP: 0.9, frequencyPenalty: 0.1, presencePenalty: 0.2, stop: ["END"] };
  const names = ["temperature", "top_p", "frequency_penalty", "presence_penalty", "stop"];
  const [atOpenAi, atOpenRouter, elsewhere] = [openAi, openRouter, nanoGpt].map(({ protocols }) => protocols[0]);
  const ask = (protocol: Protocol | undefined, modelId: string) => {
    if (protocol === undefined) throw new Error("there is no such protocol");
    return sent(protocol, modelId, sampling);
  };

  const refusing = [
    ...["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.2-pro"].map((modelId) => [atOpenAi, modelId] as const),
    [atOpenRouter, "openai/gpt-5-mini"] as const,
  ];
  for (const [protocol, modelId] of refusing) {
    it(`is not sent to ${modelId}, a model of OpenAI that reasons, which is said`, () => {
      const { body, losses } = ask(protocol, modelId);
      for (const name of names) assert.notProperty(body, name);
      assert.deepStrictEqual(
        losses,
        Object.keys(sampling).map((name) => `The setting ${name} was not sent: the model refuses it.`),
      );
    });
  }

  const taking = [
    ...["gpt-4.1", "gpt-5-chat-latest", "gpt-5.1-chat-latest"].map((modelId) => [atOpenAi, modelId] as const),
    [atOpenRouter, "other/o1"] as const,
    [atOpenRouter, "o1"] as const,
    [elsewhere, "gpt-5"] as const,
  ];
  for (const [protocol, modelId] of taking) {
    const where = protocol === atOpenAi ? "OpenAI" : protocol === atOpenRouter ? "OpenRouter" : "another server";
    it(`is sent to ${modelId} at ${where}`, () => {
      const { body, losses } = ask(protocol, modelId);
      for (const name of names) assert.property(body, name);
      assert.deepStrictEqual(losses, []);
    });
  }
});

describe("parameters of a Responses request", () => {
  it("have the names of the protocol, and the others are said to be lost", () => {
    const { body, losses } = inOf("openai-responses", "tiny")(
      { ...all, reasoning: { effort: "xhigh", budgetTokens: 1 } },
      { tools },
    );
    assert.deepInclude(body, {
      parallel_tool_calls: false,
      reasoning: { effort: "xhigh" },
      text: { verbosity: "low" },
    });
    assert.deepStrictEqual(
      losses,
      ["topK", "frequencyPenalty", "presencePenalty", "seed", "reasoning.budgetTokens"].map(none),
    );
  });
});

describe("parameters of a Messages request", () => {
  const budget = inOf("anthropic-messages", "claude-sonnet-4-5-20250929");
  const adaptive = inOf("anthropic-messages", "claude-opus-4-6");

  it("have the names of the protocol, and the others are said to be lost", () => {
    const { body, losses } = budget(all, { tools });
    assert.deepInclude(body, { top_k: 40, tool_choice: { type: "auto", disable_parallel_tool_use: true } });
    assert.deepStrictEqual(losses, ["frequencyPenalty", "presencePenalty", "seed", "verbosity"].map(none));
    assert.deepStrictEqual(budget(all, { tools, toolChoice: "none" }).body["tool_choice"], { type: "none" });
    assert.deepStrictEqual(budget(all, { tools, toolChoice: { specific: "read" } }).body["tool_choice"], {
      type: "tool",
      name: "read",
      disable_parallel_tool_use: true,
    });
    assert.deepStrictEqual(budget({ parallelToolCalls: true }, { tools }).body["tool_choice"], { type: "auto" });
  });

  const budgets: ReadonlyArray<readonly [GenerationParameters, number]> = [
    [{ reasoning: { effort: "minimal" } }, 1024],
    [{ reasoning: { effort: "low" }, maxOutputTokens: 20_000 }, 2000],
    [{ reasoning: { effort: "medium" }, maxOutputTokens: 20_000 }, 5000],
    [{ reasoning: { effort: "high" }, maxOutputTokens: 20_000 }, 10_000],
    [{ reasoning: { effort: "max" }, maxOutputTokens: 20_000 }, 19_000],
    [{ reasoning: { budgetTokens: 10 } }, 1024],
    [{ reasoning: { budgetTokens: 99_999 }, maxOutputTokens: 2000 }, 1999],
  ];
  for (const [parameters, tokens] of budgets) {
    it(`are a budget of ${tokens} tokens to older models for ${JSON.stringify(parameters)}`, () => {
      assert.deepStrictEqual(budget(parameters).body["thinking"], { type: "enabled", budget_tokens: tokens });
    });
  }

  it("are an effort to newer models, which set the budget themselves", () => {
    const { body, losses } = adaptive({ reasoning: { effort: "minimal", budgetTokens: 2000 } });
    assert.deepInclude(body, { thinking: { type: "adaptive" }, output_config: { effort: "low" } });
    assert.deepStrictEqual(losses, ["The setting reasoning.budgetTokens was not sent: the model sets its own budget."]);
    assert.deepInclude(adaptive({ reasoning: { effort: "max" } }).body, { output_config: { effort: "max" } });
    const odd = adaptive({ reasoning: { effort: "some" } });
    assert.notProperty(odd.body, "output_config");
    assert.deepStrictEqual(odd.losses, ['The setting reasoning.effort was not sent: the protocol has no "some".']);
  });

  it("have no sampling beside thinking", () => {
    for (const ask of [budget, adaptive]) {
      const { body, losses } = ask({ temperature: 0.5, topP: 0.9, topK: 3, reasoning: { effort: "low" } });
      for (const name of ["temperature", "top_p", "top_k"]) assert.notProperty(body, name);
      assert.deepStrictEqual(
        losses,
        ["temperature", "topP", "topK"].map(
          (name) => `The setting ${name} was not sent: a model that thinks does not take it.`,
        ),
      );
    }
  });

  it("have no sampling to models that refuse it, by their version", () => {
    for (const modelId of ["claude-opus-4-7", "anthropic.claude-opus-4-8-v1", "claude-sonnet-5", "claude-opus-5"]) {
      const { body, losses } = inOf("anthropic-messages", modelId)({ temperature: 0.5, topP: 0.9, topK: 3 });
      for (const name of ["temperature", "top_p", "top_k"]) assert.notProperty(body, name);
      assert.deepStrictEqual(
        losses,
        ["temperature", "topP", "topK"].map((name) => `The setting ${name} was not sent: the model refuses it.`),
      );
    }
    for (const modelId of [
      "claude-opus-4-6",
      "claude-sonnet-4-6",
      "claude-3-opus-20240229",
      "claude-opus-4-20250514",
    ]) {
      assert.strictEqual(inOf("anthropic-messages", modelId)({ temperature: 0.5 }).body["temperature"], 0.5);
    }
  });

  it("have no thinking before a call that is demanded, of whichever kind", () => {
    for (const modelId of ["claude-sonnet-4-6", "claude-sonnet-4-5", "claude-opus-4-7"]) {
      for (const toolChoice of ["required", { specific: "read" }] as const) {
        const { body, losses } = inOf("anthropic-messages", modelId)(
          { reasoning: { effort: "high" } },
          { tools, toolChoice },
        );
        assert.notProperty(body, "thinking");
        assert.notProperty(body, "output_config");
        assert.deepStrictEqual(losses, [
          "The setting reasoning.effort was not sent: a model does not think before a call that it is made to make.",
        ]);
      }
    }
  });

  it("have no thinking where the model, the limit or the choice of tools forbids it", () => {
    const old = inOf("anthropic-messages", "claude-3-5-sonnet-latest")({ reasoning: { effort: "low" } });
    const small = budget({ reasoning: { effort: "low" }, maxOutputTokens: 1024 });
    const forced = budget({ reasoning: { effort: "low" } }, { tools, toolChoice: "required" });
    const odd = budget({ reasoning: { effort: "some" } });
    for (const { body, losses } of [old, small, forced, odd]) {
      assert.notProperty(body, "thinking");
      assert.strictEqual(losses.length, 1);
      assert.match(losses[0] ?? "", /^The setting reasoning\.effort was not sent: /);
    }
    for (const ask of [budget, adaptive]) {
      assert.deepStrictEqual(ask({ reasoning: { effort: "none" } }).losses, []);
      assert.notProperty(ask({ reasoning: { effort: "none" } }).body, "thinking");
    }
  });

  const calling = (...parts: ReadonlyArray<Part>): ReadonlyArray<Message> => [
    Messages.text("user", "Read."),
    {
      role: "assistant",
      parts: [...parts, { type: "toolCall", callId: CallId.make("c1"), name: "read", arguments: "{}" }],
    },
    {
      role: "tool",
      parts: [{ type: "toolResult", callId: CallId.make("c1"), name: "read", content: "a", isError: false }],
    },
  ];
  const block = (json: string): Part => ({
    type: "native",
    format: "anthropic-messages",
    source: "custom",
    model: "m",
    json,
  });
  const thought = block('{"type":"thinking","thinking":"Hm","signature":"s"}');
  const use = block('{"type":"tool_use","id":"c1","name":"read","input":{}}');
  const parameters = { temperature: 0.5, reasoning: { effort: "low" } } as const;

  it("have no thinking to older models within a turn of calls that began without it, and the sampling instead", () => {
    for (const messages of [calling(), calling(use), calling({ type: "reasoning", text: "Hm" })]) {
      const { body, losses } = budget(parameters, { messages, tools });
      assert.notProperty(body, "thinking");
      assert.strictEqual(body["temperature"], 0.5);
      assert.include(losses, "The setting reasoning.effort was not sent: the turn under way began without thinking.");
    }
  });

  it("have thinking in a turn that began with it, in the next turn, and to models that think when they like", () => {
    assert.property(budget(parameters, { messages: calling(thought, use), tools }).body, "thinking");
    const next = [...calling(), Messages.text("user", "And?")];
    assert.property(budget(parameters, { messages: next, tools }).body, "thinking");
    assert.property(adaptive(parameters, { messages: calling(), tools }).body, "thinking");
  });
});

describe("parameters of a generateContent request", () => {
  const configOf = (modelId: string, parameters: GenerationParameters) => {
    const { body, losses } = inOf("gemini-generate-content", modelId)(parameters);
    return { config: body["generationConfig"] as Readonly<Record<string, unknown>> | undefined, losses };
  };

  it("have the names of the protocol, and the others are said to be lost", () => {
    const { config, losses } = configOf("gemini-2.5-flash", all);
    assert.deepStrictEqual(config, { topK: 40, frequencyPenalty: 0.1, presencePenalty: 0.2, seed: 7 });
    assert.deepStrictEqual(losses, ["verbosity", "parallelToolCalls"].map(none));
  });

  const cases: ReadonlyArray<readonly [string, GenerationParameters["reasoning"], object]> = [
    ["gemini-3-pro", { effort: "max" }, { thinkingLevel: "HIGH", includeThoughts: true }],
    ["gemini-3-flash", { effort: "none" }, { thinkingLevel: "MINIMAL", includeThoughts: true }],
    ["gemini-3-pro", { effort: "low", budgetTokens: 900 }, { thinkingBudget: 900, includeThoughts: true }],
    ["gemini-2.5-flash", { effort: "medium" }, { thinkingBudget: 8192, includeThoughts: true }],
    ["gemini-2.5-flash", { effort: "none" }, { thinkingBudget: 0, includeThoughts: false }],
    ["gemini-2.5-pro", { effort: "none" }, { thinkingBudget: 128, includeThoughts: true }],
    ["gemini-2.5-pro", { budgetTokens: 300 }, { thinkingBudget: 300, includeThoughts: true }],
  ];
  for (const [modelId, reasoning, expected] of cases) {
    it(`tell ${modelId} ${JSON.stringify(expected)} for ${JSON.stringify(reasoning)}`, () => {
      assert.deepStrictEqual(
        configOf(modelId, { ...(reasoning && { reasoning }) }).config?.["thinkingConfig"],
        expected,
      );
    });
  }

  it("have no thinking for a model that has none, and for an effort that nobody knows", () => {
    assert.deepStrictEqual(configOf("gemini-2.0-flash", { reasoning: { effort: "low" } }), {
      config: undefined,
      losses: ["The setting reasoning was not sent: the model does not think."],
    });
    const odd = configOf("gemini-3-pro", { reasoning: { effort: "some" } });
    assert.deepStrictEqual(odd.losses, ['The setting reasoning.effort was not sent: the protocol has no "some".']);
  });
});

describe("parameters of an interaction", () => {
  it("have the names of the protocol, and the others are said to be lost", () => {
    const ask = inOf("gemini-interactions", "gemini-3-pro");
    const { body, losses } = ask({ ...all, topP: 0.9, reasoning: { effort: "medium", budgetTokens: 1 } });
    assert.deepStrictEqual(body["generation_config"], {
      seed: 7,
      thinking_level: "medium",
      thinking_summaries: "auto",
    });
    assert.deepStrictEqual(
      losses,
      [
        "topP",
        "topK",
        "frequencyPenalty",
        "presencePenalty",
        "verbosity",
        "parallelToolCalls",
        "reasoning.budgetTokens",
      ].map(none),
    );
  });
});
