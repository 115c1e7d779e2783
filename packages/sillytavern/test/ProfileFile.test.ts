import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import type { Profile } from "@cahier/domain/profile/Profile";
import * as ProfileFile from "../src/profile/ProfileFile.ts";
import { fileOf, type Version, versions } from "./support/foreignProfile.ts";

/** What that file is here. */
const expectedOf = (version: Version): Profile => {
  const { tools, ...file } = fileOf(version);
  const { mcpResultInlineCharLimit, ...others } = tools;
  return {
    ...file,
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    tools: {
      ...others,
      allow: ["builtin:workspace.write_file", "builtin:workspace.read_file", "builtin:chat.search"],
      deny: ["builtin:dice.roll"],
      toolDescriptions: { "builtin:chat.search": { description: "Looks.", properties: { query: "Words." } } },
      maxCallsPerTool: { "builtin:chat.search": 5 },
      ...(mcpResultInlineCharLimit === undefined ? {} : { externalResultInlineCharLimit: mcpResultInlineCharLimit }),
    },
  } as Profile;
};

const read = (json: unknown, context: ProfileFile.ReadContext = { keepsConnection: true }) =>
  Effect.fromResult(ProfileFile.read(json, context));

/** Reads a file of version 4 with changes to one section. */
const readWith = (section: string, changes: object, context?: ProfileFile.ReadContext) => {
  const file: Record<string, unknown> = { ...fileOf(4) };
  return read({ ...file, [section]: { ...(file[section] as object), ...changes } }, context);
};

const fieldsOf = (version: Version): ReadonlyArray<string> =>
  Object.entries(fileOf(version)).flatMap(([name, value]) =>
    typeof value === "object" ? Object.keys(value).map((key) => `${name}.${key}`) : [name],
  );

describe("a profile of the original", () => {
  for (const version of versions) {
    it.effect(`of schema version ${version} is the same profile here`, () =>
      Effect.gen(function* () {
        const { issues, profile } = yield* read(fileOf(version));
        assert.deepStrictEqual(profile, expectedOf(version));
        assert.deepStrictEqual(issues, []);
      }),
    );

    for (const field of fieldsOf(version)) {
      it.effect(`of schema version ${version} imports ${field} or names it in the report`, () =>
        Effect.gen(function* () {
          const { profile, report } = yield* read(fileOf(version));
          const lines = report.filter(({ path }) => path === field);
          assert.lengthOf(lines, 1);
          const [section = "", key] = field.split(".");
          const value: unknown = Object.entries(profile).find(([name]) => name === section)?.[1];
          const isThere = key === undefined ? value !== undefined : Object.hasOwn(Object(value), key);
          assert.strictEqual(isThere, lines[0]?.action === "kept" || lines[0]?.action === "changed");
        }),
      );
    }
  }

  it.effect("has its tools renamed, and a tool that there is no longer left out with what is said of it", () =>
    Effect.gen(function* () {
      const { profile, report } = yield* readWith("tools", {
        allow: ["workspace.finish", "skill.run_script", "task.return", "mcp/sea:tide", "extension/a.b:c"],
        deny: ["skill.run_script"],
        maxCallsPerTool: { "builtin:skill.run_script": 1 },
        toolDescriptions: { "builtin:task.return": { description: "Ends." } },
      });
      assert.deepStrictEqual(profile.tools?.allow, ["builtin:workspace.finish", "mcp/sea:tide", "extension/a.b:c"]);
      assert.deepStrictEqual(profile.tools?.deny, ["builtin:skill.run_script"]);
      assert.deepStrictEqual(profile.tools?.maxCallsPerTool, {});
      assert.deepStrictEqual(profile.tools?.toolDescriptions, {});
      assert.deepStrictEqual(
        report
          .filter(({ action }) => action === "dropped" || action === "renamed")
          .map(({ action, path }) => [path, action]),
        [
          ["tools.allow[0]", "renamed"],
          ["tools.allow[1]", "dropped"],
          ["tools.allow[2]", "dropped"],
          ["tools.deny[0]", "renamed"],
          ['tools.toolDescriptions["builtin:task.return"]', "dropped"],
          ['tools.maxCallsPerTool["builtin:skill.run_script"]', "dropped"],
        ],
      );
    }),
  );

  it.effect("loses built-in tools and parameters that the catalogue does not have, and no others", () =>
    Effect.gen(function* () {
      const catalogue = [
        { id: "builtin:workspace.write_file", inputSchema: { properties: { path: {}, content: {} } } },
        { id: "builtin:workspace.read_file", inputSchema: { properties: { path: {}, start_line: {} } } },
      ];
      const { profile, report } = yield* readWith(
        "tools",
        {
          allow: [
            "builtin:workspace.write_file",
            "builtin:workspace.read_file",
            "builtin:workspace.shell",
            "mcp/sea:tide",
          ],
          deny: [],
          maxCallsPerTool: {},
          toolDescriptions: {
            "builtin:workspace.read_file": {
              description: null,
              properties: { file_path: "Which.", path: "Where.", offset: "From.", limit: "How many." },
            },
            "builtin:workspace.write_file": { properties: { mode: "How." } },
          },
        },
        { catalogue },
      );
      assert.notInclude(profile.tools?.allow ?? [], "builtin:workspace.shell");
      assert.include(profile.tools?.allow ?? [], "mcp/sea:tide");
      assert.deepStrictEqual(profile.tools?.toolDescriptions, {
        "builtin:workspace.read_file": { properties: { path: "Where.", start_line: "From." } },
        "builtin:workspace.write_file": {},
      });
      const told = (property: string) =>
        report.find(({ path }) => path.endsWith(`["builtin:workspace.read_file"].properties.${property}`))?.action;
      assert.deepStrictEqual(["file_path", "offset", "limit"].map(told), ["dropped", "renamed", "dropped"]);
    }),
  );

  it.effect("denies what it denied, also a tool that is not here today", () =>
    Effect.gen(function* () {
      const deny = [
        "dice.roll",
        "builtin:moon.phase",
        "skill.run_script",
        "task.return",
        "mcp/sea:tide",
        "chat.search",
      ];
      const catalogue = [{ id: "builtin:chat.search", inputSchema: {} }];
      for (const context of [{}, { catalogue }]) {
        const { profile } = yield* readWith("tools", { deny }, context);
        assert.deepStrictEqual(profile.tools?.deny, [
          "builtin:dice.roll",
          "builtin:moon.phase",
          "builtin:skill.run_script",
          "builtin:task.return",
          "mcp/sea:tide",
          "builtin:chat.search",
        ]);
      }
      const { report } = yield* readWith("tools", { deny }, { catalogue });
      assert.deepStrictEqual(
        report.filter(({ path }) => path.startsWith("tools.deny[")).map(({ action, note }) => [action, note]),
        [
          ["renamed", "The tool dice.roll is called builtin:dice.roll here. There is no such tool; it stays denied."],
          ["kept", "There is no such tool; it stays denied."],
          [
            "renamed",
            "The tool skill.run_script is called builtin:skill.run_script here. There is no such tool; it stays denied.",
          ],
          [
            "renamed",
            "The tool task.return is called builtin:task.return here. There is no such tool; it stays denied.",
          ],
          ["renamed", "The tool chat.search is called builtin:chat.search here."],
        ],
      );
    }),
  );

  for (const version of versions) {
    it.effect(`of schema version ${version} lists other agents only where it can call one`, () =>
      Effect.gen(function* () {
        const file = fileOf(version);
        const list = version < 3 ? "agent.list" : "builtin:agent.list";
        const tools = {
          ...file.tools,
          allow: [...file.tools.allow, list],
          maxCallsPerTool: { [list]: 2 },
          toolDescriptions: { [list]: { description: "Who is there." } },
        };
        for (const { changes, lists } of [
          { changes: { canDelegate: true, canHandoff: false }, lists: true },
          { changes: { canDelegate: false, canHandoff: true }, lists: true },
          { changes: { canDelegate: false, canHandoff: false }, lists: false },
        ]) {
          const { issues, profile, report } = yield* read({
            ...file,
            tools,
            delegation: { ...file.delegation, ...changes },
          });
          assert.deepStrictEqual(issues, []);
          assert.strictEqual(profile.tools?.allow?.includes("builtin:agent.list"), lists);
          assert.deepStrictEqual(
            Object.keys(profile.tools?.maxCallsPerTool ?? {}),
            lists ? ["builtin:agent.list"] : [],
          );
          const dropped = report.filter(({ action, path }) => action === "dropped" && path.startsWith("tools."));
          assert.lengthOf(dropped, lists ? 0 : 3);
          assert.isTrue(dropped.every(({ note }) => note.includes("can call no other agent")));
        }
        const { delegation: _delegation, ...alone } = file;
        const run = { ...file.run, presentation: "foreground", directRunnable: true };
        const { issues, profile } = yield* read({ ...alone, run, tools });
        assert.deepStrictEqual(issues, []);
        assert.notInclude(profile.tools?.allow ?? [], "builtin:agent.list");
      }),
    );
  }

  it.effect("has its model left open, and is told what it had, unless the caller keeps the connection", () =>
    Effect.gen(function* () {
      for (const file of [fileOf(2), (yield* read(fileOf(4))).profile]) {
        const { issues, profile, report } = yield* read(file, {});
        assert.deepStrictEqual(profile.model, { mode: "requiresConfiguration" });
        assert.deepStrictEqual(issues, []);
        assert.deepStrictEqual(
          report.filter(({ path }) => path.startsWith("model.")),
          [
            { path: "model.mode", action: "changed", note: "The model is to be chosen here." },
            { path: "model.connectionRef", action: "dropped", note: 'It was "home".' },
            { path: "model.modelId", action: "dropped", note: 'It was "writer-1".' },
          ],
        );
        const kept = yield* read(file, { keepsConnection: true });
        assert.deepStrictEqual(kept.profile.model, fileOf(2).model as Profile["model"]);
      }
      const { model: _, ...snapshot } = fileOf(4);
      const without = yield* read(snapshot, {});
      assert.isFalse("model" in without.profile);
      assert.isFalse(without.report.some(({ path }) => path.startsWith("model")));
      const half = yield* read({ ...snapshot, model: { modelId: "writer-1" } }, {});
      assert.deepStrictEqual(half.profile.model, { mode: "requiresConfiguration" });
      assert.deepStrictEqual(
        half.report.map(({ path }) => path).filter((path) => path.startsWith("model")),
        ["model.mode", "model.modelId"],
      );
    }),
  );

  it.effect("is granted nothing that it did not have", () =>
    Effect.gen(function* () {
      const { profile, report } = yield* readWith("delegation", { allowNestedDelegation: true });
      assert.strictEqual(profile.delegation?.allowNestedDelegation, false);
      assert.isTrue(
        report.some(({ action, path }) => action === "changed" && path === "delegation.allowNestedDelegation"),
      );
      const direct = yield* readWith("run", { directRunnable: true });
      assert.notInclude(direct.profile.tools?.allow ?? [], "builtin:workspace.finish");
      assert.isTrue(direct.report.some(({ note }) => note.includes("builtin:workspace.finish")));
    }),
  );

  it.effect("has empty and unknown fields left out, and older names and numbers in their present form", () =>
    Effect.gen(function* () {
      const { profile, report } = yield* read({
        ...fileOf(3),
        description: null,
        stateAccess: { entries: [] },
        context: { initialChatHistoryMessages: -9, moonPhase: 3 },
        tools: { ...fileOf(3).tools, mcpResultInlineCharLimit: 1, externalResultInlineCharLimit: 2 },
        output: { artifacts: [{ id: "main", path: "output/main.md", kind: "markdown", target: "messageBody" }] },
      });
      const actions = Object.fromEntries(report.map(({ action, path }) => [path, action]));
      assert.deepInclude(actions, {
        description: "dropped",
        stateAccess: "dropped",
        "context.moonPhase": "dropped",
        "context.initialChatHistoryMessages": "changed",
        "tools.mcpResultInlineCharLimit": "dropped",
        "output.artifacts[0]": "changed",
      });
      assert.isFalse("description" in profile);
      assert.strictEqual(profile.context?.initialChatHistoryMessages, -1);
      assert.strictEqual(profile.tools?.externalResultInlineCharLimit, 2);
      assert.deepInclude(profile.output?.artifacts?.[0], { required: true, assemblyOrder: 0 });
    }),
  );

  it.effect("that breaks a rule is read, and the rule is named", () =>
    Effect.gen(function* () {
      const { issues } = yield* readWith("plan", { mode: "strict" });
      assert.deepStrictEqual(
        issues.map(({ code, path }) => [code, path]),
        [["agent.plan_mode_unsupported", "plan.mode"]],
      );
    }),
  );

  it.effect("of another kind, version or form is refused by its code", () =>
    Effect.gen(function* () {
      const codes = (json: unknown) =>
        Effect.map(Effect.flip(read(json)), (issues) => [...new Set(issues.map(({ code }) => code))]);
      assert.deepStrictEqual(yield* codes({ ...fileOf(4), kind: "other" }), ["agent.profile_kind_invalid"]);
      assert.deepStrictEqual(yield* codes({ ...fileOf(4), schemaVersion: 5 }), ["agent.profile_schema_unsupported"]);
      assert.deepStrictEqual(yield* codes({ ...fileOf(4), schemaVersion: "4" }), ["agent.profile_schema_unsupported"]);
      for (const file of [null, [], { ...fileOf(4), tools: 3 }, { ...fileOf(4), run: { stream: "yes" } }]) {
        assert.include(yield* codes(file), "agent.profile_contract_invalid");
      }
      for (const key of ["allow", "toolDescriptions", "maxCallsPerTool"]) {
        const file = { ...fileOf(4), tools: { ...fileOf(4).tools, [key]: 3 } };
        assert.deepStrictEqual(yield* codes(file), ["agent.profile_contract_invalid"]);
      }
      const artifacts = { ...fileOf(4), output: { artifacts: "all" } };
      assert.deepStrictEqual(yield* codes(artifacts), ["agent.profile_contract_invalid"]);
    }),
  );
});

describe("a profile's own file", () => {
  it.effect("names no connection, and is read as it was written", () =>
    Effect.gen(function* () {
      const { profile } = yield* read(fileOf(4));
      const again = yield* read(JSON.parse(ProfileFile.write(profile)));
      assert.deepStrictEqual(again.profile, { ...profile, model: { mode: "requiresConfiguration" } });
      const { model: _, ...snapshot } = profile;
      assert.deepStrictEqual(ProfileFile.portable(snapshot), snapshot);
      const halfNamed: Profile = { ...snapshot, model: { modelId: "writer-1" } };
      assert.deepStrictEqual(ProfileFile.portable(halfNamed).model, { mode: "requiresConfiguration" });
    }),
  );

  it.effect("that allows tools unasked is reported", () =>
    Effect.gen(function* () {
      const { profile } = yield* read(fileOf(4));
      const policy = [{ tools: ["mcp/*"], permission: "always" }];
      const { report } = yield* read({ ...profile, tools: { ...profile.tools, policy } });
      assert.deepInclude(report, { path: "tools.policy[0]", action: "kept", note: "It allows mcp/* unasked." });
    }),
  );
});
