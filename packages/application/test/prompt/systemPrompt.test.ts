import { agentPrompt } from "@cahier/application/prompt/systemPrompt";
import { prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { checkProfile } from "@cahier/domain/profile/checkProfile";
import * as Profile from "@cahier/domain/profile/Profile";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import * as Team from "../support/team.ts";

const required = { mode: "ref", ref: { apiId: "openai", name: "Gone" }, required: true };

const previewOf = (sections: object): string => {
  const written = Result.getOrThrow(Profile.decode({ ...Team.lead(), ...sections }));
  const profile = withDefaults(written);
  const snapshot = Result.getOrThrow(
    prepareSnapshot({
      id: "tools_1",
      catalog: builtinTools,
      scene: "chat",
      profile,
      layers: { profile: profile.tools },
      delegates: true,
    }),
  );
  return agentPrompt(snapshot, { ...profile, output: { messageBodyPath: "output/main.md" } });
};

describe("the system prompt of a profile", () => {
  it("can be looked at while the preset that the profile requires is not there", () => {
    const profile = withDefaults(Result.getOrThrow(Profile.decode({ ...Team.lead(), preset: required })));
    const codes = checkProfile(profile, { presetExists: () => false }).map(({ code }) => code);
    assert.deepStrictEqual(codes, ["agent.profile_preset_missing"]);
    assert.strictEqual(previewOf({ preset: required }), previewOf({}));
    assert.include(previewOf({ preset: required }), "The message is the file output/main.md.");
  });

  it("is the profile's own where it has one, with what it is told of besides", () => {
    const own = previewOf({ instructions: { agentSystemPrompt: "Write plainly." } });
    assert.strictEqual(own, "Write plainly.");
  });
});
