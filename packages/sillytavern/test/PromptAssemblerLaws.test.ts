import { laws } from "@cahier/testkit/laws/PromptAssemblerLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as Lorebook from "../src/material/Lorebook.ts";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";
import * as PromptCase from "./support/PromptCase.ts";

const worldInfo = "The bell rings for this law alone.";

verify(
  "the prompt assembler of SillyTavern's order",
  laws,
  Effect.succeed({ open: Effect.sync(SillyTavernPromptAssembler.make) }),
  { worldInfo: "without a preset there are no lorebooks" },
);

verify(
  "the prompt assembler of a SillyTavern preset",
  laws,
  Effect.succeed({
    open: Effect.gen(function* () {
      const { input } = yield* PromptCase.load("lore-everywhere");
      const book = yield* Lorebook.decode("law", {
        entries: { "0": { uid: 0, constant: true, content: worldInfo, position: 0 } },
      });
      return SillyTavernPromptAssembler.make({
        material: {
          preset: input.preset,
          settings: { ...input.settings, everywhere: [...input.settings.everywhere, book.name] },
          lorebooks: [...input.lorebooks.values(), book],
        },
      });
    }),
    worldInfo,
  }),
);
