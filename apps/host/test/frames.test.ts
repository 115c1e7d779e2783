/**
 * Requests in their parts, as people read them and as one object.
 */
import type { ContextFrame } from "@cahier/domain/context/ContextFrame";
import { rootInvocation } from "@cahier/domain/identity/Identity";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { linesOf } from "../src/cli/frame.ts";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const frame: ContextFrame = {
  round: 2,
  invocationId: rootInvocation,
  attempt: 2,
  model: "gpt-4o\u001b[31m",
  window: { tokens: 9000, isStated: true },
  tokens: { count: 812, counter: "provider", isExact: true, budget: 7875 },
  components: [
    { identifier: "agentSystemPrompt", kind: "system", source: "profile", tokens: 700, skipped: null },
    { identifier: "skills", kind: "skills", source: "skills/", tokens: 60, skipped: null, within: "agentSystemPrompt" },
    { identifier: "nsfw", kind: "preset", source: "preset", tokens: null, skipped: "disabled" },
    {
      identifier: "tool-results/1.json",
      kind: "toolResults",
      source: "tool-results/1.json",
      tokens: 40,
      skipped: null,
      form: "gone",
    },
  ],
};

const tokens = (counter: string, isExact: boolean) =>
  linesOf({ ...frame, tokens: { count: 5, counter, isExact, budget: null } })[1];

describe("a request in its parts", () => {
  it("is a row for each part, with why it was left out, its form, or what it stands within", () => {
    assert.deepStrictEqual(linesOf(frame), [
      `request    round 2 of ${rootInvocation}, gpt-4o␛[31m, sent 2 times`,
      "tokens     812, counted by the provider",
      "window     9000, as the profile states",
      "budget     7875 for the request, the rest for the answer",
      "",
      "#  KIND         PART                 SOURCE   TOKENS  SHOWN",
      "1  system       agentSystemPrompt    profile  700",
      "2  skills       skills               skills/  60      within agentSystemPrompt",
      "3  preset       nsfw                 preset           left out: disabled",
      "4  toolResults  tool-results/1.json           40      a note in its place",
    ]);
  });

  it("says of its length whether the provider, a tokenizer or an estimate has counted", () => {
    assert.strictEqual(tokens("estimate", false), "tokens     5, an estimate");
    assert.strictEqual(tokens("o200k_base", true), "tokens     5, exact, counted by o200k_base");
    const unsent = linesOf({ ...frame, attempt: 0, window: { tokens: 32_768, isStated: false } });
    assert.match(unsent[0] ?? "", /, not sent yet$/);
    assert.strictEqual(unsent[2], "window     32768, assumed: the profile states none");
  });
});

describe("runs show --frame", () => {
  beforeAll(ensureBundle);
  afterAll(Place.removeAll);

  it("shows a request of a run that has ended, from its journal alone", async () => {
    const place = await Place.make();
    const script = place.write("script.json", Place.short());
    const ran = await cahier(["run", "--chat", place.chat, "--data", place.data, "--script", script, "--json"]);
    const { runId } = objectOf(ran) as { readonly runId: string };
    const show = (...words: ReadonlyArray<string>) =>
      cahier(["runs", "show", runId, ...words, "--data", place.data, "--json"]);
    const refusal = async (...words: ReadonlyArray<string>): Promise<unknown> =>
      (objectOf(await show(...words))["error"] as { readonly code: string }).code;
    const [text, found, ...codes] = await Promise.all([
      cahier(["runs", "show", runId, "--frame", "2", "--data", place.data]),
      show("--frame", "2", "--agent", rootInvocation),
      refusal("--frame", "9"),
      refusal("--frame", "1", "--agent", "inv_nobody"),
      refusal("--frame", "0"),
      refusal("--agent", rootInvocation),
      refusal("--frame", "1", "--requests"),
    ]);
    assert.match(text.stdout, /^request +round 2 of inv_root, /);
    assert.match(text.stdout, /^\d+ +toolResults +\S+ +\d+ +whole$/m);
    const { components, ...whole } = objectOf(found) as { readonly components: ReadonlyArray<object> };
    assert.deepInclude(whole, { runId, round: 2, invocationId: rootInvocation, attempt: 1 });
    assert.lengthOf(text.stdout.trimEnd().split("\n").slice(5), components.length);
    assert.deepStrictEqual(codes, [
      "agent.model_turn_round_invalid",
      "agent.model_turn_invocation_id_invalid",
      "usage.invalid",
      "usage.invalid",
      "usage.invalid",
    ]);
  });
});
