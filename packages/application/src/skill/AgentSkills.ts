/**
 * The Skills of one agent as its tools read them.
 *
 * Owns reading back what was frozen, and files behind it. Does not own freezing (`resolveSkills`) nor how much may be read
 * (`domain/skill/readBudget`).
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { Payload } from "@cahier/domain/payload/Payload";
import * as FrozenSkills from "@cahier/domain/skill/FrozenSkills";
import type { ReadLimits } from "@cahier/domain/skill/readBudget";
import type { ListedFile } from "@cahier/domain/skill/Skill";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Payloads } from "../payload/Payloads.ts";
import type { SkillContents } from "./SkillContents.ts";

/** The first segment of the paths of Skills among the files of an agent. */
export const skillsRoot = "skills";

export interface AgentSkills {
  readonly frozen: FrozenSkills.FrozenSkills;
  readonly limits: ReadLimits;
  /** The files of a Skill, ordered by path. */
  readonly files: (skill: FrozenSkills.FrozenSkill) => Effect.Effect<ReadonlyArray<ListedFile>, Fatal>;
  readonly bytes: (skill: FrozenSkills.FrozenSkill, file: ListedFile) => Effect.Effect<Uint8Array, Fatal>;
  /** The text of a file; undefined when it is none. */
  readonly text: (skill: FrozenSkills.FrozenSkill, file: ListedFile) => Effect.Effect<string | undefined, Fatal>;
}

/** What was frozen as `payload`; without one the agent has no Skills. */
export const read = (
  payloads: Payloads,
  payload: Payload | undefined,
): Effect.Effect<FrozenSkills.FrozenSkills, Fatal> =>
  payload === undefined
    ? Effect.succeed(FrozenSkills.none)
    : Effect.flatMap(payloads.read(payload), (json) =>
        Effect.mapError(decode(json), (cause) =>
          fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause }),
        ),
      );

/** The Skills behind their contents. What a Skill has of files is looked up once. */
export const make = (contents: SkillContents, frozen: FrozenSkills.FrozenSkills, limits: ReadLimits): AgentSkills => {
  const listings = new Map<string, ReadonlyArray<ListedFile>>();
  const decoder = new TextDecoder("utf-8", { fatal: true });

  const files: AgentSkills["files"] = ({ content, hash }) => {
    const known = listings.get(content);
    if (known !== undefined) return Effect.succeed(known);
    return Effect.tap(contents.listing(content, hash), (listing) => Effect.sync(() => listings.set(content, listing)));
  };

  const bytes: AgentSkills["bytes"] = ({ content }, { sha256 }) => contents.bytes(content, sha256);

  const text: AgentSkills["text"] = (skill, file) =>
    Effect.flatMap(bytes(skill, file), (found) =>
      Effect.try({ try: () => decoder.decode(found), catch: () => undefined }).pipe(
        Effect.map((decoded) => (decoded.includes("\0") ? undefined : decoded)),
        Effect.orElseSucceed(() => undefined),
      ),
    );

  return { frozen, limits, files, bytes, text };
};

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(FrozenSkills.FrozenSkills));
