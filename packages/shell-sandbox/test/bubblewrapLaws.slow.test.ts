/**
 * The shared laws of Shell on bubblewrap, where the machine has it and lets it make namespaces.
 */
import * as Bubblewrap from "@cahier/shell-sandbox/Bubblewrap";
import * as ShellLaws from "@cahier/testkit/laws/ShellLaws";
import * as Laws from "@cahier/testkit/vitest";
import { describe } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Bait from "./Bait.ts";
import { works } from "./Namespaces.ts";

const makeHarness = Effect.succeed<ShellLaws.ShellHarness>({
  open: Effect.sync(() => Bubblewrap.make()),
  bait: Bait.make,
});

const reason = works ? "" : " (not run: it is not here or may not make namespaces)";

describe.skipIf(!works)(`bubblewrap${reason}`, () => {
  Laws.verify("bubblewrap", ShellLaws.laws, makeHarness);
});
