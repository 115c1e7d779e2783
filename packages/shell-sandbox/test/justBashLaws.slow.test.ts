/**
 * The shared laws of Shell on just-bash.
 */
import * as ShellLaws from "@cahier/testkit/laws/ShellLaws";
import * as ShellMutants from "@cahier/testkit/mutants/ShellMutants";
import * as Laws from "@cahier/testkit/vitest";
import { it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Bait from "./Bait.ts";
import * as SharedShell from "./SharedShell.ts";

const shared = SharedShell.make();
const makeHarness = Effect.succeed<ShellLaws.ShellHarness>({ open: shared.open, bait: Bait.make });

Laws.verify("just-bash", ShellLaws.laws, makeHarness);
Laws.verifyMutants("Shell", ShellLaws.laws, ShellMutants.mutants, makeHarness);

it.live("just-bash ends its processes with its scope", () => shared.close);
