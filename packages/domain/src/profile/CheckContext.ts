/**
 * What the rules of a profile look at beside the profile itself.
 */
import type * as Schema from "effect/Schema";
import type { PresetRef } from "./ProfileParts.ts";

/** What the rules need to know of one tool; every `ToolDescriptor` is one. */
export interface KnownTool {
  readonly id: string;
  readonly inputSchema: { readonly [key: string]: Schema.Json };
}

/**
 * Without a catalogue, unknown tools and properties are not reported. `presetExists` answers for one stored preset;
 * without it a missing preset is not reported.
 */
export interface CheckContext {
  readonly catalogue?: ReadonlyArray<KnownTool>;
  readonly presetExists?: (ref: PresetRef) => boolean;
}
