import { laws } from "@cahier/testkit/laws/PromptAssemblerLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";
import * as PromptCase from "./support/PromptCase.ts";

verify(
  "the prompt assembler of SillyTavern's order",
  laws,
  Effect.succeed({ open: Effect.sync(SillyTavernPromptAssembler.make) }),
);

verify(
  "the prompt assembler of a SillyTavern preset",
  laws,
  Effect.succeed({
    open: Effect.map(PromptCase.load("lore-everywhere"), ({ input }) =>
      SillyTavernPromptAssembler.make({
        material: { preset: input.preset, settings: input.settings, lorebooks: [...input.lorebooks.values()] },
      }),
    ),
  }),
);
