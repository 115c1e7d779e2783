import * as Effect from "effect/Effect";
import * as PlainPromptAssembler from "../src/doubles/PlainPromptAssembler.ts";
import * as PromptAssemblerLaws from "../src/laws/PromptAssemblerLaws.ts";
import * as PromptAssemblerMutants from "../src/mutants/PromptAssemblerMutants.ts";
import { verify, verifyMutants } from "../src/vitest.ts";

const worldInfo = "The bell rings for this law alone.";
const entry = {
  world: "law",
  uid: 1,
  displayName: "Bell",
  constant: true,
  position: "before",
  content: worldInfo,
} as const;

const makeHarness = Effect.succeed({
  open: Effect.sync(() =>
    PlainPromptAssembler.make({ worldInfo: { timestampMs: 0, trigger: "normal", entries: [entry] } }),
  ),
  worldInfo,
});

verify("PlainPromptAssembler", PromptAssemblerLaws.laws, makeHarness);
verifyMutants("PromptAssembler", PromptAssemblerLaws.laws, PromptAssemblerMutants.mutants, makeHarness);
