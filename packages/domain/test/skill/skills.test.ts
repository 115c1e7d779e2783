import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import * as Sha256 from "../../src/payload/Sha256.ts";
import { effectiveSkills, visibleSkills } from "../../src/skill/effectiveSkills.ts";
import * as FrozenSkills from "../../src/skill/FrozenSkills.ts";
import { admitParts, admitRead, allowance } from "../../src/skill/readBudget.ts";
import * as Skill from "../../src/skill/Skill.ts";
import { globalScope, scopeKey, scopesFor, type SkillScope } from "../../src/skill/SkillScope.ts";

const preset: SkillScope = { kind: "preset", apiId: "openai", name: "Novel" };
const profile: SkillScope = { kind: "profile", profileId: "writer" };
const character: SkillScope = { kind: "character", characterId: "Mira.png" };

const installed = (name: string, scope: SkillScope): Skill.InstalledSkill => ({
  scope,
  manifest: { name, description: `Of ${scopeKey(scope)}.` },
  files: [],
  hash: Sha256.ofText(scopeKey(scope)),
  sources: [],
  installedAt: "2026-11-30T10:00:00.000Z",
  warnings: [],
});

const everywhere = [character, profile, preset, globalScope].map((scope) => installed("style", scope));

const kindsOf = (scopes: ReadonlyArray<SkillScope>): ReadonlyArray<string> =>
  effectiveSkills(everywhere, scopes).map(({ scope }) => scope.kind);

const codeOf = (result: Result.Result<unknown, { readonly code: string }>): string | undefined =>
  Result.isFailure(result) ? result.failure.code : undefined;

describe("the scopes of an agent", () => {
  it("are global, preset, profile, character, in this order, as far as its run has them", () => {
    assert.deepStrictEqual(
      scopesFor("writer", { preset: { apiId: "openai", name: "Novel" }, characterId: "Mira.png" }),
      [globalScope, preset, profile, character],
    );
    assert.deepStrictEqual(scopesFor("writer", {}), [globalScope, profile]);
  });

  it("later ones win over earlier ones by name, however they are given", () => {
    assert.deepStrictEqual(kindsOf([globalScope]), ["global"]);
    assert.deepStrictEqual(kindsOf([globalScope, preset]), ["preset"]);
    assert.deepStrictEqual(kindsOf([profile, preset, globalScope]), ["profile"]);
    assert.deepStrictEqual(kindsOf([character, globalScope, profile, preset]), ["character"]);
  });

  it("have nothing of another preset, profile or character", () => {
    assert.deepStrictEqual(kindsOf([{ kind: "character", characterId: "Other.png" }]), []);
    assert.deepStrictEqual(kindsOf([{ kind: "preset", apiId: "novel", name: "Novel" }]), []);
  });

  it("give each name once, in the order of names", () => {
    const skills = effectiveSkills(
      [installed("b", globalScope), installed("c", profile), installed("a", profile)],
      [profile, globalScope],
    );
    assert.deepStrictEqual(
      skills.map(({ manifest }) => manifest.name),
      ["a", "b", "c"],
    );
  });
});

describe("what a profile lets its agent see", () => {
  const skills = ["a", "b"].map((name) => installed(name, globalScope));
  const namesOf = (visible: ReadonlyArray<string>, deny: ReadonlyArray<string> = []) => {
    const seen = visibleSkills(skills, { visible, deny });
    return [seen.skills.map(({ manifest }) => manifest.name), seen.missing];
  };

  it("is every Skill, or the named ones, and never a denied one", () => {
    assert.deepStrictEqual(namesOf(["*"]), [["a", "b"], []]);
    assert.deepStrictEqual(namesOf(["b"]), [["b"], []]);
    assert.deepStrictEqual(namesOf(["*"], ["a"]), [["b"], []]);
    assert.deepStrictEqual(namesOf(["a", "b"], ["a"]), [["b"], []]);
  });

  it("names what is not there, unless it is denied anyway", () => {
    assert.deepStrictEqual(namesOf(["*", "c"]), [["a", "b"], ["c"]]);
    assert.deepStrictEqual(namesOf(["c"], ["c"]), [[], []]);
  });
});

describe("the listing of a package", () => {
  const files = [
    { path: "references/b c.md", sha256: Sha256.ofText("2"), bytes: 1 },
    { path: 'SKILL "x".md', sha256: Sha256.ofText("1"), bytes: 1 },
  ];

  it("is the same whatever order its files have, and gives paths and digests again", () => {
    const listing = Skill.packageListing(files);
    assert.strictEqual(listing, Skill.packageListing(files.toReversed()));
    assert.deepStrictEqual(
      Skill.readListing(listing),
      files.toReversed().map(({ path, sha256 }) => ({ path, sha256 })),
    );
    assert.deepStrictEqual(Skill.readListing(""), []);
  });

  it("is what the hash of the package is the digest of, so another file or name is another hash", () => {
    assert.strictEqual(Skill.packageHash(files), Sha256.ofText(Skill.packageListing(files)));
    const renamed = files.map((file) => ({ ...file, path: `x/${file.path}` }));
    assert.notStrictEqual(Skill.packageHash(files), Skill.packageHash(renamed));
  });
});

describe("a Skill that an agent asks for", () => {
  const frozen: FrozenSkills.FrozenSkills = {
    ...FrozenSkills.none,
    skills: [{ name: "style", description: "", scope: globalScope, hash: Sha256.ofText(""), content: "skill_1" }],
    hidden: ["plot"],
    denied: ["gore"],
  };

  it("is given by its name, with space around it or not", () => {
    assert.strictEqual(Result.getOrThrow(FrozenSkills.find(frozen, " style ")).content, "skill_1");
  });

  it("is skill.policy_denied, skill.not_visible or skill.not_found otherwise, with those that it has", () => {
    assert.strictEqual(codeOf(FrozenSkills.find(frozen, "gore")), "skill.policy_denied");
    assert.strictEqual(codeOf(FrozenSkills.find(frozen, "plot")), "skill.not_visible");
    const missing = FrozenSkills.find(frozen, "none");
    assert.strictEqual(codeOf(missing), "skill.not_found");
    assert.include(Result.isFailure(missing) ? missing.failure.message : "", "You have: style.");
    assert.strictEqual(codeOf(FrozenSkills.find(FrozenSkills.none, "style")), "skill.not_found");
  });
});

describe("the budget of reading Skills", () => {
  const limits = { maxReadCharsPerCall: 10, maxReadCharsPerRun: 25 };

  it("allows so much in one call, and what is left of all", () => {
    assert.strictEqual(Result.getOrThrow(allowance(limits, 0)), 10);
    assert.strictEqual(Result.getOrThrow(allowance(limits, 20)), 5);
    assert.strictEqual(codeOf(allowance(limits, 25)), "skill.read_budget_exhausted");
  });

  it("is exceeded by a part that is longer, of which nothing is shown", () => {
    assert.isTrue(Result.isSuccess(admitRead(limits, 0, 10)));
    assert.strictEqual(codeOf(admitRead(limits, 0, 11)), "skill.read_budget_exceeded");
    assert.strictEqual(codeOf(admitRead(limits, 20, 6)), "skill.read_budget_exceeded");
    assert.strictEqual(codeOf(admitRead(limits, 25, 1)), "skill.read_budget_exhausted");
    assert.isTrue(Result.isSuccess(admitRead(limits, 25, 0)));
  });

  it("shows as many parts as fit, from the first one on", () => {
    const shown = (spent: number, ...lengths: ReadonlyArray<number>) =>
      admitParts(limits, spent, lengths, (length) => length);
    assert.deepStrictEqual(Result.getOrThrow(shown(0, 4, 6, 1)), { shown: [4, 6], chars: 10 });
    assert.deepStrictEqual(Result.getOrThrow(shown(21, 3, 2, 1)), { shown: [3], chars: 3 });
    assert.deepStrictEqual(Result.getOrThrow(shown(25)), { shown: [], chars: 0 });
    assert.strictEqual(codeOf(shown(24, 3)), "skill.read_budget_exceeded");
    assert.strictEqual(codeOf(shown(30, 3)), "skill.read_budget_exhausted");
  });
});
