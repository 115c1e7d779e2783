import * as Effect from "effect/Effect";
import * as PlainPromptAssembler from "../src/doubles/PlainPromptAssembler.ts";
import * as PromptAssemblerLaws from "../src/laws/PromptAssemblerLaws.ts";
import * as PromptAssemblerMutants from "../src/mutants/PromptAssemblerMutants.ts";
import { verify, verifyMutants } from "../src/vitest.ts";

const makeHarness = Effect.succeed({ open: Effect.sync(PlainPromptAssembler.make) });

verify("PlainPromptAssembler", PromptAssemblerLaws.laws, makeHarness);
verifyMutants("PromptAssembler", PromptAssemblerLaws.laws, PromptAssemblerMutants.mutants, makeHarness);
