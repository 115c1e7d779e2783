/**
 * The laws of ChatHost.
 *
 * `CHT-01` to `-09` the frozen prefix, `-20` to `-28` committing, `-40` to `-53` what follows a commit, `-60` to `-65` what is
 * kept with the chat besides its messages.
 */
import type * as Law from "../Law.ts";
import * as Committing from "../internal/laws/chatHost/Committing.ts";
import * as Following from "../internal/laws/chatHost/Following.ts";
import type * as Harness from "../internal/laws/chatHost/Harness.ts";
import * as Reading from "../internal/laws/chatHost/Reading.ts";
import * as Remembering from "../internal/laws/chatHost/Remembering.ts";

/** What an adapter's test gives: chats to make, and ways to read and to change them past the adapter. */
export type ChatHostHarness = Harness.Harness;

/** A message of a chat that a law asks for. */
export type Seed = Harness.Seed;

/** A message as a reader of the chat sees it. */
export type Seen = Harness.Seen;

export const laws: ReadonlyArray<Law.Law<ChatHostHarness>> = [
  ...Reading.laws,
  ...Committing.laws,
  ...Following.laws,
  ...Remembering.laws,
];
