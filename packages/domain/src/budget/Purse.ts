/**
 * What an invocation may still spend: calls, calls of one tool and rounds of the invocation; tokens, cost and wall time
 * of the run.
 *
 * Owns counting, reserving and the words of a refusal. Does not own measuring what something cost. A purse is a value:
 * spending gives a new one. Whoever starts a child reserves its share first, so that children together never exceed
 * what is left.
 */
import * as Result from "effect/Result";
import { refuse, type Refusal } from "../workspace/Refusal.ts";

/** Amounts by kind; a kind that is left out is none. `perTool` counts calls by ToolId, `wallMs` is in milliseconds. */
export interface Amount {
  readonly calls?: number;
  readonly perTool?: { readonly [toolId: string]: number };
  readonly rounds?: number;
  readonly tokens?: number;
  readonly cost?: number;
  readonly wallMs?: number;
}

/** `limits`: a kind that is left out has none. `reserved` is what running children may still spend. */
export interface Purse {
  readonly limits: Amount;
  readonly spent: Amount;
  readonly reserved: Amount;
}

export type BudgetCode =
  | "agent.cost_budget_exhausted"
  | "agent.max_tool_rounds_exceeded"
  | "agent.time_budget_exhausted"
  | "agent.token_budget_exhausted"
  | "agent.tool_budget_exhausted";

export type BudgetRefusal = Refusal<BudgetCode>;

/** A full purse. */
export const make = (limits: Amount): Purse => ({ limits, spent: {}, reserved: {} });

/** The purse after `amount` was spent, whether or not it was there: what has happened has happened. */
export const charge = (purse: Purse, amount: Amount): Purse => ({ ...purse, spent: combine(purse.spent, amount, 1) });

/** What is left of every kind that has a limit; never below zero, `perTool` for the tools that have a limit. */
export const remaining = (purse: Purse): Amount => {
  const { limits } = purse;
  const left = (kind: Kind) => {
    const limit = limits[kind];
    return limit === undefined ? {} : { [kind]: clean(Math.max(0, limit - used(purse, kind))) };
  };
  const perTool = Object.fromEntries(
    Object.entries(limits.perTool ?? {}).map(([id, limit]) => [id, Math.max(0, limit - usedOfTool(purse, id))]),
  );
  return {
    ...left("calls"),
    ...left("rounds"),
    ...left("tokens"),
    ...left("cost"),
    ...left("wallMs"),
    ...(limits.perTool === undefined ? {} : { perTool }),
  };
};

/** Whether one more call may be made; `name` is what its caller calls the tool. Charging it is the caller's. */
export const admitCall = (
  purse: Purse,
  tool: { readonly id?: string; readonly name: string },
): Result.Result<void, BudgetRefusal> => {
  const calls = lacking(purse, "calls", 1);
  if (calls !== undefined) return Result.fail(calls);
  const limit = tool.id === undefined ? undefined : purse.limits.perTool?.[tool.id];
  if (limit === undefined || tool.id === undefined || usedOfTool(purse, tool.id) + 1 <= limit) return Result.void;
  return refuse(
    "agent.tool_budget_exhausted",
    `All ${count(limit, "call")} of ${tool.name} ${limit === 1 ? "is" : "are"} used up. Go on with the other tools.`,
  );
};

/** Whether another round may begin: a round is left, and so is something of tokens, cost and time. */
export const admitRound = (purse: Purse): Result.Result<void, BudgetRefusal> => {
  const refusal = lacking(purse, "rounds", 1) ?? overdrawn(purse);
  return refusal === undefined ? Result.void : Result.fail(refusal);
};

/** The first of tokens, cost and time that is used up, or undefined. */
export const overdrawn = (purse: Purse): BudgetRefusal | undefined => {
  for (const kind of ["tokens", "cost", "wallMs"] as const) {
    const limit = purse.limits[kind];
    if (limit !== undefined && used(purse, kind) >= limit - tolerance) return exhausted(purse, kind, limit);
  }
  return undefined;
};

/** Sets `amount` aside for a child, all of it or nothing. */
export const reserve = (purse: Purse, amount: Amount): Result.Result<Purse, BudgetRefusal> => {
  for (const kind of kinds) {
    const refusal = lacking(purse, kind, amount[kind] ?? 0);
    if (refusal !== undefined) return Result.fail(refusal);
  }
  for (const [id, wanted] of Object.entries(amount.perTool ?? {})) {
    const limit = purse.limits.perTool?.[id];
    if (limit === undefined || wanted === 0 || usedOfTool(purse, id) + wanted <= limit) continue;
    return refuse(
      "agent.tool_budget_exhausted",
      `Only ${Math.max(0, limit - usedOfTool(purse, id))} of ${count(limit, "call")} of ${id} are left, and ${wanted} are asked for.`,
    );
  }
  return Result.succeed({ ...purse, reserved: combine(purse.reserved, amount, 1) });
};

/** Gives a reservation back when its child has ended, and charges what the child really spent. */
export const settle = (purse: Purse, reserved: Amount, spent: Amount): Purse =>
  charge({ ...purse, reserved: combine(purse.reserved, reserved, -1) }, spent);

type Kind = Exclude<keyof Amount, "perTool">;

const kinds: ReadonlyArray<Kind> = ["calls", "rounds", "tokens", "cost", "wallMs"];

/** Sums of decimal prices are off by less than this. */
const tolerance = 1e-9;

const clean = (value: number): number => (Math.abs(value) < tolerance ? 0 : value);

const used = (purse: Purse, kind: Kind): number => (purse.spent[kind] ?? 0) + (purse.reserved[kind] ?? 0);

const usedOfTool = (purse: Purse, id: string): number =>
  (purse.spent.perTool?.[id] ?? 0) + (purse.reserved.perTool?.[id] ?? 0);

const lacking = (purse: Purse, kind: Kind, wanted: number): BudgetRefusal | undefined => {
  const limit = purse.limits[kind];
  return limit === undefined || wanted <= 0 || used(purse, kind) + wanted <= limit + tolerance
    ? undefined
    : exhausted(purse, kind, limit);
};

const combine = (one: Amount, other: Amount, sign: 1 | -1): Amount => {
  const sum = (kind: Kind) =>
    one[kind] === undefined && other[kind] === undefined
      ? {}
      : { [kind]: clean(Math.max(0, (one[kind] ?? 0) + sign * (other[kind] ?? 0))) };
  const perTool: Record<string, number> = { ...one.perTool };
  for (const [id, amount] of Object.entries(other.perTool ?? {}))
    perTool[id] = Math.max(0, (perTool[id] ?? 0) + sign * amount);
  return {
    ...sum("calls"),
    ...sum("rounds"),
    ...sum("tokens"),
    ...sum("cost"),
    ...sum("wallMs"),
    ...(one.perTool === undefined && other.perTool === undefined ? {} : { perTool }),
  };
};

const codes: { readonly [K in Kind]: BudgetCode } = {
  calls: "agent.tool_budget_exhausted",
  rounds: "agent.max_tool_rounds_exceeded",
  tokens: "agent.token_budget_exhausted",
  cost: "agent.cost_budget_exhausted",
  wallMs: "agent.time_budget_exhausted",
};

const exhausted = (purse: Purse, kind: Kind, limit: number): BudgetRefusal => {
  const reserved = purse.reserved[kind] ?? 0;
  const withChildren = reserved > 0 ? `, ${amountOf(kind, reserved)} of it reserved for delegated tasks` : "";
  return { code: codes[kind], message: `${sentences[kind](limit, used(purse, kind))}${withChildren}.` };
};

const sentences: { readonly [K in Kind]: (limit: number, used: number) => string } = {
  calls: (limit, spent) => `The budget of ${count(limit, "tool call")} is used up (${spent} of ${limit})`,
  rounds: (limit, spent) => `The budget of ${count(limit, "round")} is used up (${spent} of ${limit})`,
  tokens: (limit, spent) => `The run's budget of ${count(limit, "token")} is used up (${spent} of ${limit})`,
  cost: (limit, spent) =>
    `The run's budget of ${rounded(limit)} in cost is used up (${rounded(spent)} of ${rounded(limit)})`,
  wallMs: (limit, spent) =>
    `The run's budget of ${seconds(limit)} s is used up (${seconds(spent)} of ${seconds(limit)} s)`,
};

const amountOf = (kind: Kind, value: number): string =>
  kind === "wallMs" ? `${seconds(value)} s` : String(rounded(value));

const rounded = (value: number): number => Number(value.toFixed(6));

const seconds = (milliseconds: number): number => rounded(milliseconds / 1000);

const count = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? "" : "s"}`;
