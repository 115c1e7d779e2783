/**
 * The profile that somebody begins with who makes a new one.
 */
import { defaultWriter } from "@cahier/domain/profile/defaultWriter";
import type { KnownTool } from "@cahier/domain/profile/CheckContext";
import type { Profile } from "@cahier/domain/profile/Profile";

/** A copy under another id; its name is the id where none is stated. Without a profile to copy it is the built-in one's. */
export const newProfile = (
  id: string,
  {
    catalogue,
    displayName,
    from,
  }: {
    readonly catalogue: ReadonlyArray<Pick<KnownTool, "id">>;
    readonly displayName?: string | undefined;
    readonly from?: Profile | undefined;
  },
): Profile => {
  const { description, ...rest } = from ?? defaultWriter(catalogue).profile;
  return {
    ...rest,
    id,
    displayName: displayName ?? id,
    // What the built-in profile says of itself is not true of what becomes of its copy.
    ...(from === undefined || description === undefined ? {} : { description }),
  };
};
