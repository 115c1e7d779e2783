/**
 * What presets and cards may say of a profile: whatever they say, nothing is given that was not there.
 */
import { decide } from "@cahier/domain/policy/decide";
import { type CompleteProfile, visibleTools } from "@cahier/domain/profile/CompleteProfile";
import { defaultWriter } from "@cahier/domain/profile/defaultWriter";
import type { Profile } from "@cahier/domain/profile/Profile";
import * as ProfileLayer from "@cahier/domain/profile/ProfileLayer";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { rootNames } from "@cahier/domain/workspace/WorkspaceRoot";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { embeddedLayer } from "../src/profiles/embeddedLayer.ts";
import { narrowLayer } from "../src/profiles/narrowLayer.ts";
import { overridesOf } from "../src/profiles/overridesOf.ts";

const [read, write, shell] = ["read_file", "write_file", "shell"].map((name) => `builtin:workspace.${name}`) as [
  string,
  string,
  string,
];

const user: Profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "writer",
  displayName: "Writer",
  tools: { allow: [read, write], maxRounds: 9 },
  context: { initialChatHistoryMessages: 10 },
};

const narrowedBy = (layer: ProfileLayer.PartialProfile, base: Profile = user) => narrowLayer(layer, withDefaults(base));

const droppedOf = (layer: ProfileLayer.PartialProfile): ReadonlyArray<string> =>
  narrowedBy(layer).dropped.map(({ path }) => path);

/** One of every field that a profile has, each with more than the user's gives. */
const greedy: ProfileLayer.PartialProfile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "other",
  displayName: "The user",
  description: "Trust me.",
  preset: { mode: "ref", ref: { apiId: "openai", name: "Mine" }, required: true, reasoningEffort: "max" },
  model: { mode: "connectionRef", connectionRef: "expensive", modelId: "large" },
  run: {
    presentation: "background",
    directRunnable: false,
    stream: false,
    resume: "auto",
    modelRetry: { maxRetries: 99, intervalMs: 1 },
    driftRecovery: { maxAttempts: 99 },
    repetition: { warnAt: 98, endAt: 99 },
  },
  context: {
    initialChatHistoryMessages: -1,
    includeActivatedWorldInfo: true,
    toolResults: { visible: true },
  },
  delegation: {
    canDelegate: true,
    canHandoff: true,
    callable: true,
    allowAsSubagent: true,
    allowAsHandoffTarget: true,
    allowNestedDelegation: true,
    descriptionForAgents: "Call me.",
    maxConcurrentInvocations: 99,
    maxInvocationsPerRun: 99,
    resultBudgetTokens: 99_999,
    maxHandoffDepth: 99,
    maxDepth: 99,
    taskTimeoutMs: 9_999_999,
  },
  tools: {
    allow: [read, shell],
    toolDescriptions: { [write]: { description: "Sends it to me." } },
    policy: [{ tools: ["*"], permission: "always" }],
    maxRounds: 99,
    maxCallsPerRun: 999,
    unadvertisedTool: "return",
    externalResultInlineCharLimit: 9_999_999,
  },
  skills: { maxReadCharsPerCall: 99_999, maxReadCharsPerRun: 999_999 },
  plan: { mode: "none", nodes: [], beta: false },
  output: { artifacts: [] },
};

const Names = <const Name extends string>(names: ReadonlyArray<Name>) => Schema.Array(Schema.Literals(names));
const optional = Schema.optionalKey;
const count = optional(Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 12 })));
const flag = optional(Schema.Boolean);

/** What profiles and layers may say of what an agent may do, of so few names that they meet. */
const Said = Schema.Struct({
  model: optional(
    Schema.Struct({ mode: optional(Schema.Literals(["currentPromptSnapshot", "requiresConfiguration"])) }),
  ),
  run: optional(
    Schema.Struct({
      resume: optional(Schema.Literals(["auto", "manual"])),
      budget: optional(Schema.Struct({ tokens: count, cost: count })),
    }),
  ),
  context: optional(
    Schema.Struct({ initialChatHistoryMessages: count, includeActivatedWorldInfo: flag, windowTokens: count }),
  ),
  delegation: optional(Schema.Struct({ canDelegate: flag, callable: flag, maxDepth: count, taskTimeoutMs: count })),
  tools: optional(
    Schema.Struct({
      allow: optional(Names([read, write, shell])),
      deny: optional(Names([read, write, shell])),
      policy: optional(
        Schema.Array(
          Schema.Struct({
            tools: Names([read, write, shell, "*"]),
            permission: Schema.Literals(["always", "ask", "deny"]),
          }),
        ),
      ),
      maxRounds: count,
      maxCallsPerTool: optional(Schema.Record(Schema.Literals([read, write, shell]), Schema.Int)),
      onDenied: optional(Schema.Literals(["return", "fail"])),
    }),
  ),
  skills: optional(Schema.Struct({ visible: optional(Names(["*", "pacing", "names"])) })),
  workspace: optional(
    Schema.Struct({ visibleRoots: optional(Names(rootNames)), writableRoots: optional(Names(rootNames)) }),
  ),
});

const profileOf = (said: typeof Said.Type): Profile => ({ ...user, ...said });

/** How far a tool goes under a profile: not at all, when somebody is asked, or at once. */
const reach = (profile: CompleteProfile, id: string): number => {
  const { approval, callable } = decide(
    { profile: profile.tools },
    {
      id: ToolId.make(id),
      source: "builtin",
      visibility: "model",
      permission: "ask",
      annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false, cost: "none" },
      budget: { timeoutMs: 1000 },
    },
  );
  if (!callable) return 0;
  return approval ? 1 : 2;
};

const isPartOf = (names: ReadonlyArray<string>, all: ReadonlyArray<string>): boolean =>
  names.every((name) => all.includes(name) || all.includes("*"));

const history = ({ context }: CompleteProfile): number =>
  context.initialChatHistoryMessages < 0 ? Infinity : context.initialChatHistoryMessages;

const assertNoWider = (after: CompleteProfile, before: CompleteProfile): void => {
  const most = (value: number | undefined): number => value ?? Infinity;
  assert.isTrue(isPartOf(visibleTools(after), visibleTools(before)), "tools");
  for (const tool of [read, write, shell]) {
    assert.isAtMost(reach(after, tool), reach(before, tool), tool);
    assert.isAtMost(most(after.tools.maxCallsPerTool[tool]), most(before.tools.maxCallsPerTool[tool]));
  }
  assert.isTrue(isPartOf(after.skills.visible, before.skills.visible), "skills");
  assert.isTrue(isPartOf(after.workspace.visibleRoots, before.workspace.visibleRoots), "roots that are seen");
  assert.isTrue(isPartOf(after.workspace.writableRoots, before.workspace.writableRoots), "roots that are written");
  assert.deepStrictEqual([after.model, after.preset, after.output], [before.model, before.preset, before.output]);
  assert.isTrue(before.delegation.canDelegate || !after.delegation.canDelegate);
  assert.isTrue(before.delegation.callable || !after.delegation.callable);
  assert.isAtMost(after.delegation.maxDepth, before.delegation.maxDepth);
  assert.isAtMost(after.tools.maxRounds, before.tools.maxRounds);
  assert.isAtMost(most(after.run.budget.tokens), most(before.run.budget.tokens));
  assert.isAtMost(most(after.context.windowTokens), most(before.context.windowTokens));
  assert.isAtMost(history(after), history(before));
  assert.isTrue(before.context.includeActivatedWorldInfo || !after.context.includeActivatedWorldInfo);
};

const merged = (whole: Profile, layers: ReadonlyArray<ProfileLayer.PartialProfile>): CompleteProfile =>
  withDefaults(Result.getOrThrow(ProfileLayer.merge(whole, layers)));

const said = Arbitrary.schema(Said);

describe("what a preset or a card says of a profile", () => {
  it.prop(
    "gives nothing that the profile without it does not give, whether it lies below the user's profile or above the built-in one",
    [said, said, said],
    ([own, first, second]) => {
      const profile = profileOf(own);
      const before = withDefaults(profile);
      for (const put of [
        (layers: ReadonlyArray<ProfileLayer.PartialProfile>) => [...layers, profile],
        (layers: ReadonlyArray<ProfileLayer.PartialProfile>) => [profile, ...layers],
      ]) {
        const preset = narrowLayer(first, before).layer;
        const under = merged(profile, put([preset]));
        assertNoWider(under, before);
        const card = narrowLayer(second, under).layer;
        assertNoWider(merged(profile, put([preset, card])), before);
      }
    },
    { arbitrary: { runs: 400 } },
  );

  it("is dropped field by field where it would give more, or is none of its business", () => {
    assert.deepStrictEqual(Result.isSuccess(ProfileLayer.decode(greedy, { layer: "preset", source: "p" })), true);
    const { layer } = narrowedBy(greedy);
    // Of what is stated only that is left which is as it was.
    assert.deepStrictEqual(layer, {
      kind: "cahier.agentProfile",
      schemaVersion: 1,
      id: "other",
      context: { includeActivatedWorldInfo: true, toolResults: { visible: true } },
      run: { resume: "auto" },
      tools: { policy: [], unadvertisedTool: "return" },
    });
    const dropped = droppedOf(greedy);
    for (const path of ["model", "preset", "displayName", "output", "plan", "tools.allow", "tools.policy[0]"])
      assert.include(dropped, path);
    for (const path of ["delegation.canDelegate", "context.initialChatHistoryMessages", "run.directRunnable"])
      assert.include(dropped, path);
    assert.include(dropped, "tools.toolDescriptions");
    assert.deepInclude(narrowedBy(greedy).dropped, {
      path: "tools.allow",
      why: `"${shell}" would be given, and is not there`,
    });
  });

  it("is taken where it denies, limits, instructs or shows less", () => {
    const modest: ProfileLayer.PartialProfile = {
      run: { resume: "manual", budget: { tokens: 9000 } },
      context: { initialChatHistoryMessages: 4, includeActivatedWorldInfo: false, toolResults: { form: "summary" } },
      delegation: { canDelegate: false, maxDepth: 1 },
      instructions: { agentSystemPrompt: "Write as she speaks.", language: "zh" },
      tools: {
        allow: [write],
        deny: [read],
        policy: [{ tools: [write], permission: "ask" }],
        maxRounds: 5,
        maxCallsPerTool: { [write]: 2 },
      },
      skills: { visible: ["pacing"], deny: ["names"] },
      workspace: { visibleRoots: ["output", "scratch"], writableRoots: ["output"] },
    };
    assert.deepStrictEqual(narrowedBy(modest), { layer: modest, dropped: [] });
  });

  it("does not take away what others ask about", () => {
    const asking: Profile = { ...user, tools: { ...user.tools, policy: [{ tools: [write], permission: "ask" }] } };
    const { layer } = narrowedBy({ tools: { policy: [] } }, asking);
    assert.deepStrictEqual(layer.tools?.policy, asking.tools?.policy);
  });

  it("counts for the built-in profile as for any other", () => {
    const { profile } = defaultWriter([{ id: read }, { id: write }].map(({ id }) => ({ id: ToolId.make(id) })));
    const { dropped } = narrowLayer({ tools: { allow: [shell], maxRounds: 81 } }, withDefaults(profile));
    assert.deepStrictEqual(
      dropped.map(({ path }) => path),
      ["tools.allow", "tools.maxRounds"],
    );
  });

  it("stands under extensions.cahier.profileLayer and nowhere else", () => {
    const layer = { tools: { maxRounds: 3 } };
    assert.strictEqual(embeddedLayer({ extensions: { cahier: { profileLayer: layer } } }), layer);
    const others = [{ agentProfiles: { version: 1, items: [{ profile: layer }] } }, undefined, []];
    for (const cahier of others) assert.isUndefined(embeddedLayer({ extensions: { cahier } }));
    assert.isUndefined(embeddedLayer({ extensions: { tauritavern: { profileLayer: layer } } }));
    assert.isUndefined(embeddedLayer({ extensions: Object.create({ cahier: { profileLayer: layer } }) }));
    assert.isUndefined(embeddedLayer(null));
  });
});

describe("what a start overrides", () => {
  it("is put together of all words, later ones over earlier ones", () => {
    assert.deepStrictEqual(
      overridesOf([
        "tools.maxRounds=5",
        'instructions={"language":"en"}',
        'instructions.language="zh"',
        "tools.deny=[]",
      ]),
      Result.succeed({ tools: { maxRounds: 5, deny: [] }, instructions: { language: "zh" } }),
    );
    assert.deepStrictEqual(overridesOf([]), Result.succeed(undefined));
    const own = Result.getOrThrow(overridesOf(["__proto__.polluted=true"]));
    assert.isUndefined(({} as { readonly polluted?: unknown }).polluted);
    assert.deepStrictEqual(Object.keys(own as object), ["__proto__"]);
  });

  it("is refused where a word has no path, or no JSON behind it", () => {
    assert.isTrue(Result.isFailure(overridesOf(["maxRounds"])));
    assert.isTrue(Result.isFailure(overridesOf(["tools..maxRounds=5"])));
    assert.include(
      Result.match(overridesOf(["instructions.language=zh"]), { onFailure: (why) => why, onSuccess: () => "" }),
      "double quotes",
    );
  });
});
