/**
 * The laws of RunJournal.
 *
 * `JRN-01` to `-09` appending, `-10` to `-22` owning, `-30` to `-39` reading, `-40` to `-49` restoring, `-50` to `-57`
 * surviving.
 */
import type * as Law from "../Law.ts";
import * as Appending from "../internal/laws/runJournal/Appending.ts";
import type * as Harness from "../internal/laws/runJournal/Harness.ts";
import * as Owning from "../internal/laws/runJournal/Owning.ts";
import * as Reading from "../internal/laws/runJournal/Reading.ts";
import * as Restoring from "../internal/laws/runJournal/Restoring.ts";
import * as Surviving from "../internal/laws/runJournal/Surviving.ts";

/** What an adapter's test gives: `open`, and the abilities that it has. */
export type RunJournalHarness = Harness.Harness;

/** How the end of a stored journal is torn. */
export type Tear = Harness.Tear;

export const laws: ReadonlyArray<Law.Law<RunJournalHarness>> = [
  ...Appending.laws,
  ...Owning.laws,
  ...Reading.laws,
  ...Restoring.laws,
  ...Surviving.laws,
];
