/**
 * Keeps a person's approval of a tool in the stored profile, so that later runs of the profile do not ask again.
 *
 * Never touches the policies of the user or the platform: those only narrow.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { defaultWriter, defaultWriterId } from "@cahier/domain/profile/defaultWriter";
import * as Profile from "@cahier/domain/profile/Profile";
import { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import type { RunState } from "@cahier/domain/run/RunState";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Payloads from "../payload/Payloads.ts";
import { Tools } from "../tool/Tools.ts";
import { profilesCollection } from "./findProfile.ts";

/**
 * Adds the rule to the profile that the run was started with. A profile that was given as a file is not ours to change:
 * that is refused, and nothing is written.
 */
export const rememberInProfile = Effect.fn("Profiles.remember")(function* (
  state: RunState,
  toolId: string,
): Effect.fn.Return<void, Fatal, RunJournal | BlobStore | DocumentStore | Tools> {
  const documents = yield* DocumentStore;
  const { id, sourceTrace } = yield* profileOf(state);
  if (sourceTrace.profileSource === "file:given") return yield* notStored(id, toolId);
  const stored = yield* documents.get(profilesCollection, id).pipe(
    Effect.catchTag("NotFound", () => Effect.undefined),
    Effect.mapError(classifyStorage),
  );
  const present = stored === undefined ? yield* builtIn(id, toolId) : yield* decoded(stored.value, id);
  const changed: Profile.Profile = {
    ...present,
    tools: {
      ...present.tools,
      policy: [
        ...(present.tools?.policy ?? []),
        { tools: [toolId], permission: "always", reason: "A user approved this tool and asked to remember it." },
      ],
    },
  };
  yield* documents
    .put(profilesCollection, id, stored?.revision ?? 0, changed as unknown as Schema.Json)
    .pipe(Effect.mapError(classifyStorage));
});

const profileOf = Effect.fnUntraced(function* (state: RunState) {
  if (state.runId === null || state.resolvedProfile === null)
    return yield* fatal("journal.corrupt", "The journal does not say which profile the run was started with.");
  const payloads = yield* Payloads.make(state.runId);
  return yield* payloads
    .read(state.resolvedProfile)
    .pipe(
      Effect.flatMap((text) =>
        Effect.mapError(decodeResolved(text), (cause) =>
          fatal("journal.corrupt", "The profile that the run was started with cannot be read.", { cause }),
        ),
      ),
    );
});

const decodeResolved = Schema.decodeUnknownEffect(Schema.fromJsonString(ResolvedProfile));

/** The built-in profile becomes a stored one of the same id, which then takes its place. */
const builtIn = Effect.fnUntraced(function* (id: string, toolId: string) {
  if (id !== defaultWriterId) return yield* notStored(id, toolId);
  const { tools } = yield* (yield* Tools).catalogue;
  return defaultWriter(tools.map(({ descriptor }) => descriptor)).profile;
});

const decoded = (document: unknown, id: string) =>
  Effect.fromResult(
    Result.mapError(Profile.decode(document), ([first]) =>
      fatal(
        first?.code ?? "agent.profile_contract_invalid",
        `The stored profile ${id} cannot be used: ${first?.message ?? "it has another form"} Correct it, or answer without remembering.`,
      ),
    ),
  );

const notStored = (id: string, toolId: string) =>
  Effect.fail(
    fatal(
      "agent.profile_not_found",
      `The profile ${id} is not stored here, so nothing can be remembered in it. Answer without remembering, or remember for this run; to allow the tool for good, add {"tools": ["${toolId}"], "permission": "always"} to tools.policy of the file.`,
    ),
  );
