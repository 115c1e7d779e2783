import { laws } from "@cahier/testkit/laws/PromptAssemblerLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";

verify(
  "the prompt assembler of SillyTavern's order",
  laws,
  Effect.succeed({ open: Effect.sync(SillyTavernPromptAssembler.make) }),
);
