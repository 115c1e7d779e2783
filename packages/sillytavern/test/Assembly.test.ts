import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Preset from "../src/material/Preset.ts";
import * as Assembly from "../src/prompt/Assembly.ts";
import type { AssemblyInput } from "../src/prompt/AssemblyInput.ts";
import * as TokenCounter from "../src/tokens/TokenCounter.ts";
import * as PromptCase from "./support/PromptCase.ts";

const agent = { agentSystemPrompt: "You write in files. {{user}}", agentTask: "Check the tides." };

/** The case `name` with changes, assembled. */
const assembled = (name: string, changes: (input: AssemblyInput) => Partial<AssemblyInput> = () => ({})) =>
  Effect.map(PromptCase.load(name), ({ input }) => Assembly.assemble({ ...input, ...changes(input) }));

const preset = (
  order: ReadonlyArray<Readonly<Record<string, unknown>>>,
  more: Readonly<Record<string, unknown>> = {},
) =>
  Preset.decode({
    prompts: order.map((prompt) => ({ role: "system", content: `text of ${String(prompt["identifier"])}`, ...prompt })),
    prompt_order: [
      {
        character_id: 100001,
        order: order.map(({ enabled, identifier }) => ({ identifier, enabled: enabled ?? true })),
      },
    ],
    ...more,
  });

const partsOf = (found: { readonly messages: ReadonlyArray<{ readonly part: string }> }) =>
  found.messages.map(({ part }) => part);

describe("an agent's texts", () => {
  it.effect("stand first, the task behind the system prompt, where the preset has no place for them", () =>
    Effect.gen(function* () {
      const { messages } = yield* assembled("default-order", () => ({ agent }));
      assert.deepStrictEqual(messages[0], {
        role: "system",
        content: agent.agentSystemPrompt,
        part: "agentSystemPrompt",
      });
      assert.deepStrictEqual(messages[1], { role: "user", content: agent.agentTask, part: "agentTask" });
      const { messages: taskOnly } = yield* assembled("default-order", () => ({
        agent: { ...agent, agentSystemPrompt: " " },
      }));
      assert.strictEqual(taskOnly[0]?.part, "agentTask");
      assert.notInclude(partsOf({ messages: taskOnly }), "agentSystemPrompt");
    }),
  );

  it.effect("stand once where the preset has switched their place off or gives it a place beside no history", () =>
    Effect.gen(function* () {
      const off = yield* preset([{ identifier: "main" }, { identifier: "agentSystemPrompt", enabled: false }]);
      const nowhere = yield* preset([
        { identifier: "main" },
        { identifier: "agentSystemPrompt", injection_position: 1, injection_depth: 2 },
      ]);
      for (const own of [off, nowhere]) {
        const found = yield* assembled("default-order", () => ({ agent, preset: own }));
        assert.sameMembers(
          partsOf(found).filter((part) => part.startsWith("agent")),
          ["agentSystemPrompt", "agentTask"],
        );
        const told = found.components.filter(({ identifier }) => identifier === "agentSystemPrompt");
        assert.deepStrictEqual(
          told.map(({ skipped }) => skipped),
          [null],
        );
      }
    }),
  );

  it.effect("take the place and the role that the preset gives them, and results stand nowhere", () =>
    Effect.gen(function* () {
      const own = yield* preset([
        { identifier: "main" },
        { identifier: "agentTask", role: "assistant", content: "preset's own" },
        { identifier: "agentResults" },
        { identifier: "agentSystemPrompt", role: "user" },
      ]);
      const found = yield* assembled("default-order", () => ({ agent, preset: own }));
      assert.deepStrictEqual(
        found.messages.slice(0, 3).map(({ content, role }) => [role, content]),
        [
          ["system", "text of main"],
          ["assistant", agent.agentTask],
          ["user", agent.agentSystemPrompt],
        ],
      );
      assert.notInclude(partsOf(found), "agentResults");
    }),
  );

  it.effect("at a depth of the chat are taken as they are too", () =>
    Effect.gen(function* () {
      const own = yield* preset([
        { identifier: "chatHistory", marker: true },
        { identifier: "agentSystemPrompt", injection_position: 1, injection_depth: 1 },
      ]);
      const found = yield* assembled("greeting-only", () => ({ agent, preset: own }));
      const at = found.messages.findIndex(({ content }) => content === agent.agentSystemPrompt);
      assert.deepStrictEqual(found.messages[at + 1], { role: "system", content: agent.agentTask, part: "agentTask" });
      const component = found.components.find(({ identifier }) => identifier === "agentTask");
      assert.deepInclude(component, { kind: "task", source: "task", skipped: null });
    }),
  );

  it.effect("at a depth of the chat keep their room while older messages go, or are refused", () =>
    Effect.gen(function* () {
      const own = yield* preset([
        { identifier: "chatHistory", marker: true },
        { identifier: "agentSystemPrompt", injection_position: 1, injection_depth: 99 },
      ]);
      for (const turns of ["whole", "single"] as const) {
        const found = yield* assembled("history-over-budget", () => ({
          agent,
          turns,
          preset: { ...own, context: 700, response: 300 },
        }));
        assert.isTrue(found.components.some(({ kind, skipped }) => kind === "history" && skipped === "overBudget"));
        assert.deepStrictEqual(
          partsOf(found).filter((part) => part.startsWith("agent")),
          ["agentSystemPrompt", "agentTask"],
        );
        const none = yield* assembled("history-over-budget", () => ({
          agent,
          turns,
          preset: { ...own, context: 310, response: 300 },
        }));
        assert.strictEqual(none.requiredOverBudget, "agentSystemPrompt");
      }
    }),
  );
});

describe("a prompt's components", () => {
  it.effect("tell the tokens of what is in it, which add up to the whole", () =>
    Effect.gen(function* () {
      const found = yield* assembled("default-order");
      const counted = found.components.filter(({ skipped }) => skipped === null);
      const sum = counted.reduce((total, { tokens }) => total + (tokens ?? 0), 3);
      assert.strictEqual(sum, found.tokens);
      assert.deepStrictEqual(
        found.components.find(({ identifier }) => identifier === "charDescription"),
        { identifier: "charDescription", kind: "character", source: "card", tokens: 27, skipped: null },
      );
    }),
  );

  it.effect("name what was left out, and why", () =>
    Effect.gen(function* () {
      const order = yield* preset([
        { identifier: "main", enabled: false },
        { identifier: "later", injection_trigger: ["continue"] },
        { identifier: "blank", content: "" },
        { identifier: "chatHistory", marker: true },
      ]);
      const found = yield* assembled("history-over-budget", () => ({
        preset: { ...order, context: 700, response: 300 },
      }));
      const reasons = new Map(found.components.map(({ identifier, skipped }) => [identifier, skipped]));
      assert.strictEqual(found.components.filter(({ identifier }) => identifier === "main").length, 1);
      assert.deepStrictEqual(
        ["main", "later", "blank"].map((identifier) => reasons.get(identifier)),
        ["disabled", "otherGenerationType", "empty"],
      );
      const history = found.components.filter(({ kind }) => kind === "history");
      const dropped = history.filter(({ skipped }) => skipped === "overBudget").map(({ source }) => source);
      assert.include(dropped, "chat:current#0");
      assert.notInclude(dropped, history.at(-1)?.source);
    }),
  );

  it.effect("stand in the order in which they are sent", () =>
    Effect.gen(function* () {
      const { input } = yield* PromptCase.load("history-over-budget");
      for (const context of [700, 1400, 9000]) {
        const preset = { ...input.preset, context, squashesSystemMessages: false };
        const { components, messages } = Assembly.assemble({ ...input, preset });
        // An example is one part, and the line that begins each is none.
        const parts = messages.map(({ part }) => part.replace(/^(dialogueExamples \d+)-\d+$/, "$1"));
        const sent = [...new Set(parts)].filter((part) => part !== "newChat");
        const told = components.map(({ identifier }) => identifier).filter((part) => sent.includes(part));
        assert.deepStrictEqual(told, sent);
        const chat = components.flatMap(({ source }) =>
          source.startsWith("chat:") ? [Number(source.split("#")[1])] : [],
        );
        assert.deepStrictEqual(
          chat,
          chat.toSorted((one, other) => one - other),
        );
      }
    }),
  );

  it.effect("drop the oldest messages first, and never a newer one than is kept", () =>
    Effect.gen(function* () {
      const { input } = yield* PromptCase.load("history-over-budget");
      for (let context = 512; context < 1500; context += 37) {
        const found = Assembly.assemble({ ...input, preset: { ...input.preset, context } });
        const kept = found.components.filter(({ kind, skipped }) => kind === "history" && skipped === null);
        const all = found.components.filter(({ kind }) => kind === "history");
        assert.deepStrictEqual(all.slice(all.length - kept.length), kept);
        assert.isAtMost(found.tokens, context - input.preset.response);
      }
    }),
  );

  it.effect("name the lore that had no room and the lore that a profile does without", () =>
    Effect.gen(function* () {
      const capped = yield* assembled("lore-budget-cap");
      const lore = (found: typeof capped, reason: string) =>
        found.components
          .filter(({ kind, skipped }) => kind === "worldInfo" && skipped === reason)
          .map(({ source }) => source);
      assert.isAbove(lore(capped, "overBudget").length, 0);
      const without = yield* assembled("lore-everywhere", () => ({ includesWorldInfo: false }));
      assert.lengthOf(lore(without, "excluded"), without.activated.length);
      assert.isFalse(without.messages.some(({ content }) => content.includes("Before the character")));
      assert.isAbove(without.activated.length, 0);
    }),
  );

  it.effect("name the messages before the history that a profile asks for", () =>
    Effect.gen(function* () {
      for (const historyMessages of [0, 1, 3]) {
        const found = yield* assembled("default-order", () => ({ historyMessages }));
        const whole = yield* assembled("default-order");
        const chat = (one: typeof whole, skipped: string | null) =>
          one.components.filter((part) => part.source.startsWith("chat:") && part.skipped === skipped).length;
        assert.strictEqual(chat(found, null), historyMessages);
        assert.strictEqual(chat(found, "historyLimit"), chat(whole, null) - historyMessages);
      }
    }),
  );
});

describe("a prompt that keeps whole turns", () => {
  it.effect("never has an answer without what was asked", () =>
    Effect.gen(function* () {
      const { input } = yield* PromptCase.load("history-over-budget");
      const counts = new Set<number>();
      for (let context = 560; context < 1500; context += 17) {
        const found = Assembly.assemble({ ...input, turns: "whole", preset: { ...input.preset, context } });
        const kept = found.components.filter(({ kind, skipped }) => kind === "history" && skipped === null);
        const places = kept.flatMap(({ source }) => (source.startsWith("chat:") ? [Number(source.split("#")[1])] : []));
        const oldest = Math.min(...places);
        counts.add(places.length);
        assert.isTrue(places.length === 0 || oldest === 0 || input.chat[oldest]?.isUser === true);
        assert.isAtMost(found.tokens, context - input.preset.response);
      }
      assert.isAbove(counts.size, 4);
    }),
  );

  it.effect("leaves out a block without room, and takes those after it that have room", () =>
    Effect.gen(function* () {
      const own = yield* preset([
        { identifier: "main" },
        { identifier: "long", content: "word ".repeat(900) },
        { identifier: "after" },
      ]);
      const found = yield* assembled("greeting-only", () => ({
        agent,
        turns: "whole",
        preset: { ...own, context: 1024 },
      }));
      assert.strictEqual(found.requiredOverBudget, null);
      assert.include(partsOf(found), "after");
      const long = found.components.find(({ identifier }) => identifier === "long");
      assert.strictEqual(long?.skipped, "overBudget");
    }),
  );
});

describe("a block that is required", () => {
  it.effect("and does not fit is named, and nothing is added after it", () =>
    Effect.gen(function* () {
      const own = yield* preset([
        { identifier: "main" },
        { identifier: "long", content: "word ".repeat(900) },
        { identifier: "after" },
      ]);
      const found = yield* assembled("greeting-only", () => ({ preset: { ...own, context: 1024 } }));
      assert.strictEqual(found.requiredOverBudget, "long");
      assert.notInclude(partsOf(found), "after");
      const later = found.components.find(({ identifier }) => identifier === "after");
      assert.strictEqual(later?.skipped, "overBudget");
    }),
  );
});

describe("an assembly", () => {
  it.effect("never changes its input and gives the same again", () =>
    Effect.gen(function* () {
      for (const name of ["lore-everywhere", "macros", "lore-over-time", "blocks-at-depth"]) {
        const { input } = yield* PromptCase.load(name);
        const variables = new Map(input.metadata.variables);
        const first = Assembly.assemble(input);
        assert.deepStrictEqual(Assembly.assemble(input), first);
        assert.deepStrictEqual(input.metadata.variables, variables);
      }
    }),
  );

  it.effect("of a model whose encoding is not known is counted by an estimate", () =>
    Effect.gen(function* () {
      const found = yield* assembled("history-over-budget", () => ({ counter: TokenCounter.estimate }));
      assert.deepStrictEqual(found.tokenizer, { name: "estimate", isExact: false });
      assert.deepStrictEqual((yield* assembled("greeting-only")).tokenizer, { name: "o200k_base", isExact: true });
      assert.isAtMost(found.tokens, 900);
      assert.isAbove(found.messages.length, 7);
    }),
  );

  it.effect("of a group begins the chat with its members", () =>
    Effect.gen(function* () {
      const { messages } = yield* assembled("default-order", () => ({ group: ["Ilse", "Orm"] }));
      assert.isTrue(messages.some(({ content }) => content === "[The scene opens with Ilse, Orm.]"));
    }),
  );
});
