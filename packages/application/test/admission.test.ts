import { profilesCollection } from "@cahier/application/profile/findProfile";
import { startRunFromChat, startRunWithPromptSnapshot } from "@cahier/application/run/startRun";
import { make as makeTools, Tools } from "@cahier/application/tool/Tools";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { workspaceIdOf } from "@cahier/domain/chat/workspaceIdOf";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { StableChatId } from "@cahier/domain/identity/Identity";
import { ChatFault, type ChatFaultReason } from "@cahier/ports/ChatHost";
import { anchorMarker, PromptFault } from "@cahier/ports/PromptAssembler";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, payloadsOf, play } from "./support/play.ts";
import * as World from "./support/World.ts";

const policy = { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true };
const messages = [{ role: "system", content: "Write." }];

/** Starts with a prompt snapshot; `more` replaces options. */
const withSnapshot = (promptSnapshot: unknown, more: object = {}) =>
  startRunWithPromptSnapshot({
    chat: World.chatLocation,
    binding: World.scripted(World.publishing),
    promptSnapshot,
    ...more,
  });

/** The code under which a start is refused; a refused start leaves chat and storage as they were. */
const refusal = Effect.fnUntraced(function* <R>(
  starting: Effect.Effect<unknown, Fatal, R>,
  world: World.World = World.make(),
  options: World.ProcessOptions = {},
) {
  const before = World.textsOf(world);
  const failure = yield* Effect.flip(starting).pipe(World.inProcess(world, options));
  assert.deepStrictEqual(World.textsOf(world), before);
  assert.strictEqual(world.journals.journals.size, 0);
  assert.strictEqual(world.blobs.scopes.size, 0);
  return failure;
});

const codeOf = <R>(starting: Effect.Effect<unknown, Fatal, R>, world?: World.World, options?: World.ProcessOptions) =>
  Effect.map(refusal(starting, world, options), ({ reason }) => reason.code);

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "plain",
  displayName: "Plain",
  tools: { allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`), maxRounds: 9 },
};

describe("a start with a prompt snapshot", () => {
  it.effect.each([
    ["as it is", { messages, contextPolicy: policy }],
    ["under chatCompletionPayload", { chatCompletionPayload: { messages }, contextPolicy: policy }],
    ["under chat_completion_payload", { chat_completion_payload: { messages }, contextPolicy: policy }],
    ["under generateData", { generateData: { messages }, contextPolicy: policy }],
    ["under generate_data", { generate_data: { messages }, contextPolicy: policy }],
    [
      "in canonical messages",
      { messages: [{ role: "user", parts: [{ type: "text", text: "Go." }] }], contextPolicy: policy },
    ],
    [
      "with text parts",
      { messages: [{ role: "user", content: [{ type: "text", text: "Go." }] }], contextPolicy: policy },
    ],
  ] as const)("takes the payload %s", ([_form, snapshot]) =>
    Effect.gen(function* () {
      const world = World.make();
      const { outcome, events } = yield* Effect.gen(function* () {
        return yield* ended(world, yield* withSnapshot(snapshot));
      }).pipe(World.inProcess(world));
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(payloadsOf(events, "context_assembled")[0]?.promptSource, "snapshot");
    }),
  );

  it.effect.each([
    ["agent.prompt_snapshot_required", undefined],
    ["agent.prompt_snapshot_required", null],
    ["agent.invalid_prompt_snapshot", "text"],
    ["agent.invalid_prompt_snapshot", [1]],
    ["agent.tool_loop_requires_messages", {}],
    ["agent.tool_loop_requires_messages", { messages: [], contextPolicy: policy }],
    ["agent.external_tools_unsupported", { messages, tools: [], contextPolicy: policy }],
    ["agent.external_tool_choice_unsupported", { messages, tool_choice: "auto", contextPolicy: policy }],
    ["agent.external_tool_choice_unsupported", { messages, tool_choice: null, contextPolicy: policy }],
    ["agent.external_tool_turns_unsupported", { messages: [{ role: "tool", content: "x" }], contextPolicy: policy }],
    [
      "agent.external_tool_turns_unsupported",
      { messages: [{ role: "assistant", content: "", tool_calls: [] }], contextPolicy: policy },
    ],
    [
      "agent.external_tool_turns_unsupported",
      {
        messages: [{ role: "assistant", parts: [{ type: "toolCall", callId: "a", name: "x", arguments: "{}" }] }],
        contextPolicy: policy,
      },
    ],
    ["agent.invalid_prompt_snapshot", { messages: [{ role: "user", content: 7 }], contextPolicy: policy }],
    [
      "agent.invalid_prompt_snapshot",
      { messages, contextPolicy: policy, generationParameters: { temperature: "hot" } },
    ],
    [
      "agent.prompt_marker_unmaterialized",
      { messages: [{ role: "user", content: anchorMarker("chatHistory") }], contextPolicy: policy },
    ],
    ["agent.context_policy_required", { messages }],
    ["agent.invalid_context_policy_snapshot", { messages, contextPolicy: { initialChatHistoryMessages: "all" } }],
    ["agent.context_policy_mismatch", { messages, contextPolicy: { ...policy, initialChatHistoryMessages: 3 } }],
    ["agent.context_policy_mismatch", { messages, contextPolicy: { ...policy, includeActivatedWorldInfo: false } }],
  ] as const)("is refused with %s for %j", ([code, snapshot]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(withSnapshot(snapshot)), code);
    }),
  );

  it.effect("is checked in one order: prompt, generation type, profile, policy, then the chat", () =>
    Effect.gen(function* () {
      const nowhere = { location: "memory:nowhere" };
      const wrong = {
        chat: nowhere,
        generationType: "novel",
        profile: { id: "nobody" },
      };
      const order = [
        [withSnapshot(null, wrong), "agent.prompt_snapshot_required"],
        [withSnapshot({ messages }, wrong), "agent.invalid_generation_type"],
        [withSnapshot({ messages }, { ...wrong, generationType: "normal" }), "agent.profile_not_found"],
        [withSnapshot({ messages }, { chat: nowhere }), "agent.context_policy_required"],
        [withSnapshot({ messages, contextPolicy: policy }, { chat: nowhere }), "chat.not_found"],
      ] as const;
      for (const [starting, code] of order) assert.strictEqual(yield* codeOf(starting), code);
    }),
  );

  it.effect("hands the messages and parameters to the model as they were stated", () =>
    Effect.gen(function* () {
      const world = World.make();
      const asked: Array<unknown> = [];
      yield* Effect.gen(function* () {
        const snapshot = {
          messages: [
            { role: "system", content: "Write." },
            { role: "user", content: "Go.", name: "Ada" },
          ],
          contextPolicy: policy,
          generationParameters: { temperature: 0.5 },
        };
        yield* ended(world, yield* withSnapshot(snapshot));
      }).pipe(
        World.inProcess(world, {
          gateway: (gateway) => ({
            ...gateway,
            generate: (request, onDelta) => {
              asked.push({ messages: request.messages.slice(0, 2), parameters: request.parameters });
              return gateway.generate(request, onDelta);
            },
          }),
        }),
      );
      assert.deepStrictEqual(asked[0], {
        messages: [
          { role: "system", parts: [{ type: "text", text: "Write." }] },
          { role: "user", parts: [{ type: "text", text: "Go." }], name: "Ada" },
        ],
        parameters: { temperature: 0.5 },
      });
    }),
  );
});

const fromChat = (more: object = {}) =>
  startRunFromChat({ chat: World.chatLocation, binding: World.scripted(World.publishing), ...more });

describe("a start from a chat", () => {
  it.effect("names the workspace by the stable chat id, whatever the chat's file is called", () =>
    Effect.gen(function* () {
      const world = World.make();
      const chat = world.chats.chats.get(World.chatLocation.location);
      assert.isDefined(chat);
      if (chat === undefined) return;
      world.chats.chats.set("memory:renamed", chat);
      const { state } = yield* play(World.publishing, { world, chat: { location: "memory:renamed" } });
      assert.strictEqual(
        state.workspaceId,
        workspaceIdOf("character", StableChatId.make(`stable ${World.chatLocation.location}`)),
      );
      assert.strictEqual(state.target?.location, "memory:renamed");
    }),
  );

  it.effect("states what the chat is lacking, and touches nothing", () =>
    Effect.gen(function* () {
      const unnamed = World.make();
      MemoryChatHost.addChat(unnamed.chats, World.chatLocation.location, [{ role: "user", text: "Hello." }], null);
      assert.strictEqual(yield* codeOf(fromChat(), unnamed), "agent.stable_chat_id_required");
      assert.strictEqual(yield* codeOf(fromChat({ chat: { location: "memory:none" } })), "chat.not_found");
      assert.strictEqual(yield* codeOf(fromChat({ generationType: "swipe" })), "agent.swipe_target_invalid");
      assert.strictEqual(yield* codeOf(fromChat({ generationType: "quiet" })), "agent.generation_type_unsupported");
      assert.strictEqual(yield* codeOf(fromChat({ generationType: "novel" })), "agent.invalid_generation_type");
    }),
  );

  it.effect("takes a stable id that is given for a chat without one", () =>
    Effect.gen(function* () {
      const world = World.make();
      MemoryChatHost.addChat(world.chats, World.chatLocation.location, [{ role: "user", text: "Hello." }], null);
      const { state } = yield* play(World.publishing, { world, chat: { ...World.chatLocation, chatId: "given" } });
      assert.strictEqual(state.target?.stableChatId as string, "given");
      assert.strictEqual(state.status, "completed");
    }),
  );

  it.effect.each([
    [{ _tag: "StableIdInvalid" }, "agent.invalid_chat_integrity"],
    [{ _tag: "Malformed", line: 2 }, "chat.malformed"],
    [{ _tag: "GroupUnsupported", feature: "auto mode" }, "agent.group_unsupported"],
    [{ _tag: "Refused" }, "agent.chat_commit_failed"],
    [{ _tag: "Silent" }, "agent.host_timeout"],
    [{ _tag: "Busy" }, "chat.busy"],
    [{ _tag: "Unreachable", kind: "readOnly" }, "chat.unreachable"],
  ] as const)("whose host says %j is refused with %s", ([reason, code]: readonly [ChatFaultReason, string]) =>
    Effect.gen(function* () {
      const found = yield* refusal(fromChat(), World.make(), {
        chatHost: (chatHost) => ({
          ...chatHost,
          freeze: () => Effect.fail(new ChatFault({ reason, detail: "See line 2." })),
        }),
      });
      assert.strictEqual(found.reason.code, code);
      assert.include(found.message, "See line 2.");
    }),
  );

  it.effect(
    "an empty prompt, one without room for what it must have, or a marker that was never filled in is refused",
    () =>
      Effect.gen(function* () {
        const empty = World.make();
        MemoryChatHost.addChat(empty.chats, World.chatLocation.location, []);
        const marked = World.make();
        MemoryChatHost.addChat(marked.chats, World.chatLocation.location, [
          { role: "user", text: anchorMarker("chatHistory") },
        ]);
        assert.strictEqual(yield* codeOf(fromChat(), marked), "agent.prompt_marker_unmaterialized");
        const failing = (reason: PromptFault["reason"]) =>
          refusal(fromChat(), empty, {
            assembler: (assembler) => ({
              ...assembler,
              assemble: () => Effect.fail(new PromptFault({ reason, detail: "It cannot be made." })),
            }),
          });
        const nothing = yield* failing({ _tag: "Empty" });
        assert.strictEqual(nothing.reason.code, "agent.tool_loop_requires_messages");
        const tooLong = yield* failing({ _tag: "RequiredOverBudget", identifier: "main" });
        assert.deepStrictEqual(
          [tooLong.reason.code, tooLong.message],
          ["context.budget_exceeded", "It cannot be made."],
        );
        assert.strictEqual(empty.journals.journals.size, 0);
      }),
  );

  it.effect("a message is appended first, and is part of what the model sees", () =>
    Effect.gen(function* () {
      const { events, outcome, texts } = yield* play(World.publishing, { message: "Say something." });
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(texts, [...World.beginning, "Say something.", "They wait by the river."]);
      assert.strictEqual(payloadsOf(events, "run_created")[0]?.target.inputMessageCount, 3);
      assert.include(payloadsOf(events, "context_assembled")[0]?.promptSnapshot.text, "Say something.");
    }),
  );

  it.effect("a message goes before a normal generation only", () =>
    Effect.gen(function* () {
      const world = World.make();
      world.chats.chats.get(World.chatLocation.location)?.messages.pop();
      assert.strictEqual(yield* codeOf(fromChat({ message: "x", generationType: "swipe" }), world), "usage.invalid");
    }),
  );

  it.effect(
    "a message is not appended when the storage cannot take the run, and a run is not left when the chat cannot take the message",
    () =>
      Effect.gen(function* () {
        const full = new Unavailable({ operation: "create", kind: "full", detail: "no room" });
        const withoutRoom = yield* codeOf(fromChat({ message: "x" }), World.make(), {
          journal: (journal) => ({ ...journal, create: () => Effect.fail(full) }),
        });
        assert.strictEqual(withoutRoom, "storage.full");
        const moved = yield* codeOf(fromChat({ message: "x" }), World.make(), {
          chatHost: (chatHost) => ({
            ...chatHost,
            appendUserMessage: () => Effect.fail(new ChatFault({ reason: { _tag: "Moved" }, detail: "" })),
          }),
        });
        assert.strictEqual(moved, "chat.conflict");
      }),
  );

  it.effect("blobs that cannot be stored refuse the start, and nothing of it is left", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "put", kind: "symlink", detail: "blobs is a link" });
      const code = yield* codeOf(
        fromChat({ profile: { document: { ...profile, instructions: { agentSystemPrompt: "long ".repeat(4000) } } } }),
        World.make(),
        {
          blobs: (blobs) => ({ ...blobs, put: () => Effect.fail(fault) }),
        },
      );
      assert.strictEqual(code, "storage.failed");
    }),
  );

  it.effect("what the host intends is journalled as it was given", () =>
    Effect.gen(function* () {
      const { events } = yield* play(World.publishing, { generationIntent: { mood: "calm", n: [1, null] } });
      assert.deepStrictEqual(payloadsOf(events, "generation_intent_recorded")[0]?.intent, {
        mood: "calm",
        n: [1, null],
      });
    }),
  );
});

describe("the profile of a run", () => {
  it.effect("is the built-in one unless another is asked for; tools that are not here are reported", () =>
    Effect.gen(function* () {
      const { events } = yield* play(World.publishing);
      const [resolved] = payloadsOf(events, "profile_resolved");
      assert.strictEqual(resolved?.source, "built_in");
      assert.include(resolved?.diagnostics.join("\n"), "builtin:workspace.shell");
    }),
  );

  it.effect("can be a stored one, by its id", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* MemoryDocumentStore.make(world.documents).put(profilesCollection, "plain", 0, profile);
      const { events, outcome } = yield* play(World.publishing, { world, profile: { id: "plain" } });
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(payloadsOf(events, "profile_resolved")[0]?.source, "file:plain");
      assert.strictEqual(payloadsOf(events, "context_assembled")[0]?.tools.length, 3);
    }),
  );

  it.effect("the built-in one can be asked for by its id, and a stored one of that id comes before it", () =>
    Effect.gen(function* () {
      const world = World.make();
      const named = yield* play(World.publishing, { world, profile: { id: "default-writer" } });
      assert.strictEqual(payloadsOf(named.events, "profile_resolved")[0]?.source, "built_in");
      const other = World.make();
      yield* MemoryDocumentStore.make(other.documents).put(profilesCollection, "default-writer", 0, {
        ...profile,
        id: "default-writer",
      });
      const stored = yield* play(World.publishing, { world: other, profile: { id: "default-writer" } });
      assert.strictEqual(payloadsOf(stored.events, "profile_resolved")[0]?.source, "file:default-writer");
    }),
  );

  it.effect("that is unknown, only callable, not configured or wrong is refused with its code", () =>
    Effect.gen(function* () {
      const refusals: ReadonlyArray<readonly [object, string]> = [
        [{ id: "nobody" }, "agent.profile_not_found"],
        [{ id: "../etc" }, "agent.profile_not_found"],
        [{ document: "text" }, "agent.profile_contract_invalid"],
        [
          {
            document: {
              ...profile,
              run: { directRunnable: false, presentation: "background" },
              delegation: { callable: true, allowAsSubagent: true },
            },
          },
          "agent.profile_not_direct_runnable",
        ],
        [
          { document: { ...profile, model: { mode: "requiresConfiguration" } } },
          "agent.profile_model_requires_configuration",
        ],
        [
          {
            document: {
              ...profile,
              tools: { ...profile.tools, allow: ["builtin:workspace.write_file", "builtin:workspace.finish"] },
            },
          },
          "agent.profile_commit_required",
        ],
      ];
      for (const [choice, code] of refusals)
        assert.strictEqual(yield* codeOf(fromChat({ profile: choice })), code, JSON.stringify(choice));
    }),
  );

  it.effect("with several issues names the first, where it is, and the codes of the others", () =>
    Effect.gen(function* () {
      const document = { ...profile, displayName: " ", tools: { ...profile.tools, maxRounds: 0 } };
      const found = yield* refusal(fromChat({ profile: { document } }));
      const issues = found.reason.details?.["issues"];
      assert.isTrue(Array.isArray(issues) && issues.length === 2);
      assert.include(found.message, "agent.profile_max_rounds_invalid");
      assert.include(found.message, "displayName");
    }),
  );

  it.effect("a foreground run whose runtime shows the model no commit is refused", () =>
    Effect.gen(function* () {
      const catalog = builtinTools.map((tool) =>
        tool.descriptor.id === "builtin:workspace.commit"
          ? { ...tool, descriptor: { ...tool.descriptor, visibility: "user" as const } }
          : tool,
      );
      const starting = fromChat().pipe(Effect.provideService(Tools, makeTools(catalog)));
      assert.strictEqual(yield* codeOf(starting), "agent.foreground_commit_unavailable");
    }),
  );

  it.effect("its own system prompt and tool descriptions reach the model instead of the generated ones", () =>
    Effect.gen(function* () {
      const document = {
        ...profile,
        instructions: { agentSystemPrompt: "You are a clerk." },
        tools: {
          ...profile.tools,
          toolDescriptions: {
            "builtin:workspace.write_file": { description: "Scribble.", properties: { content: "What." } },
          },
        },
      };
      const { events } = yield* play(World.publishing, { profile: { document } });
      const [context] = payloadsOf(events, "context_assembled");
      assert.include(context?.promptSnapshot.text, "You are a clerk.");
      assert.notInclude(context?.promptSnapshot.text, "private workspace");
      assert.include(context?.toolSnapshot.text, "Scribble.");
      assert.include(context?.toolSnapshot.text, '"description":"What."');
    }),
  );
});
