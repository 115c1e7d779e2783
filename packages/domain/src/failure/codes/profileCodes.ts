/** Codes about profiles: the rules of `profile/ProfileCode`, and finding one. */
import * as Records from "effect/Record";
import { type ProfileCode, profileCodes as rules } from "../../profile/ProfileCode.ts";
import type { FailureEntry } from "../FailureCode.ts";

const ruleCodes: { readonly [Code in ProfileCode]: FailureEntry } = Records.map(rules, (meaning) => ({
  class: "host" as const,
  meaning,
}));

export const profileCodes = {
  ...ruleCodes,
  "agent.profile_feature_unsupported": {
    class: "host",
    meaning: "The profile asks for something that this version does not do.",
  },
  "agent.profile_not_found": { class: "host", meaning: "There is no profile with this id." },
} as const satisfies Record<string, FailureEntry>;
