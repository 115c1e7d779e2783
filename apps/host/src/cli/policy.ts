/**
 * `cahier policy explain|show|set`: what policy says of tools, and the stored policies.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { Policy, PolicyRule } from "@cahier/domain/policy/Policy";
import type { ToolBudget } from "@cahier/domain/tool/ToolDescriptor";
import * as Policies from "@cahier/application/policy/Policies";
import { findProfile } from "@cahier/application/profile/findProfile";
import * as Effect from "effect/Effect";
import { lookAtTools } from "./lookAtTools.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { readPolicy, readProfile } from "./readInput.ts";
import { table } from "./table.ts";

/** What the layers come to for every tool of the catalogue, or for one in full. */
export const explain = Effect.fn("cli.policy.explain")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const choice = yield* readProfile(valueOf(command, "profile"));
  const tool = valueOf(command, "tool");
  const work = Effect.gen(function* () {
    const { profile } = yield* findProfile(choice);
    const explained = yield* Policies.explain(profile, tool);
    if (has(command, "json"))
      yield* Output.json({
        profileId: profile.id,
        tools: explained.map((one) => ({ id: one.tool.id, ...one.decision })),
      });
    else if (tool === undefined) yield* lines(tableOf(explained));
    else yield* lines(explained.flatMap(inFull));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** The stored policy of one owner, or of both. */
export const show = Effect.fn("cli.policy.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [stated] = command.positionals;
  const asked = stated === undefined ? owners : [yield* ownerOf(stated)];
  const work = Effect.gen(function* () {
    const policies = yield* Effect.forEach(asked, (owner) =>
      Effect.map(Policies.read(owner), (stored) => ({ owner, ...stored })),
    );
    if (has(command, "json")) yield* Output.json({ policies });
    else yield* lines(policies.flatMap(({ owner, policy, revision }) => textOf(owner, policy, revision)));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Stores a policy; one that is wrong is refused and changes nothing. Runs that are admitted keep what they have. */
export const set = Effect.fn("cli.policy.set")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [stated = "", path = ""] = command.positionals;
  const owner = yield* ownerOf(stated);
  const input = yield* readPolicy(path);
  const work = Effect.gen(function* () {
    const policy = yield* Policies.write(owner, input);
    const unknownTools = yield* Policies.unknownTools(policy.rules.flatMap(({ tools }) => tools));
    if (has(command, "json")) yield* Output.json({ owner, policy, unknownTools });
    else yield* Output.line(`The ${owner}'s policy has ${count(policy.rules.length, "rule")}; it holds for new runs.`);
    if (unknownTools.length > 0 && !has(command, "json"))
      yield* Output.line(
        `No built-in tool is named ${printable(unknownTools.join(", "))}: such a rule protects nobody. cahier tools list shows the names.`,
      );
    return 0;
  });
  return yield* lookAtTools(command, work);
});

const owners: ReadonlyArray<Policies.PolicyOwner> = ["platform", "user"];

const ownerOf = (stated: string): Effect.Effect<Policies.PolicyOwner, Fatal> => {
  const found = owners.find((owner) => owner === stated);
  return found === undefined
    ? Effect.fail(invalid(`"${printable(stated)}" has no policy; say user or platform.`))
    : Effect.succeed(found);
};

const lines = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(texts, Output.line, { discard: true });

const yesOrNo = (value: boolean): string => (value ? "yes" : "no");

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

const tableOf = (explained: ReadonlyArray<Policies.Explanation>): ReadonlyArray<string> =>
  table(
    ["TOOL", "VISIBLE", "CALLABLE", "APPROVAL", "DECIDED BY", "BUDGET", "REASON"],
    explained.map(({ decision, tool }) => [
      printable(tool.id),
      yesOrNo(decision.visible),
      yesOrNo(decision.callable),
      yesOrNo(decision.approval),
      `${decision.reason.layer} ${decision.reason.rule}`,
      budgetOf(decision.budget),
      printable(decision.reason.message),
    ]),
    process.stdout.isTTY ? process.stdout.columns : undefined,
  );

const inFull = ({ decision, tool }: Policies.Explanation): ReadonlyArray<string> => [
  `tool      ${printable(tool.id)} (${printable(tool.title)})`,
  `visible   ${yesOrNo(decision.visible)}`,
  `callable  ${yesOrNo(decision.callable)}`,
  `approval  ${yesOrNo(decision.approval)}`,
  `layer     ${decision.reason.layer}`,
  `rule      ${decision.reason.rule}`,
  `reason    ${printable(decision.reason.message)}`,
  `budget    ${budgetOf(decision.budget)}`,
];

const budgetOf = ({ maxCalls, maxOutputTokens, timeoutMs }: ToolBudget): string =>
  [
    ...(maxCalls === undefined ? [] : [count(maxCalls, "call")]),
    ...(maxOutputTokens === undefined ? [] : [count(maxOutputTokens, "output token")]),
    `${timeoutMs / 1000} s a call`,
  ].join(", ");

const textOf = (owner: Policies.PolicyOwner, policy: Policy, revision: number): ReadonlyArray<string> => {
  if (revision === 0) return [`${owner}: no policy stored; cahier policy set ${owner} FILE.json stores one`];
  const models = Object.entries(policy.models ?? {});
  return [
    `${owner}: ${count(policy.rules.length, "rule")}, revision ${revision}`,
    ...policy.rules.map((rule, index) => `  rules[${index}]  ${ruleOf(rule)}`),
    ...models.map(([list, allowed]) => `  models.${list}  only ${printable((allowed ?? []).join(", ")) || "none"}`),
  ];
};

const ruleOf = ({ maxCalls, permission, reason, tools, visible }: PolicyRule): string =>
  [
    `${printable(tools.join(", "))}:`,
    [
      ...(permission === undefined ? [] : [permission]),
      ...(visible === undefined ? [] : [visible ? "visible" : "hidden"]),
      ...(maxCalls === undefined ? [] : [`at most ${count(maxCalls, "call")}`]),
    ].join(", "),
    ...(reason === undefined ? [] : [`(${printable(reason)})`]),
  ].join(" ");
