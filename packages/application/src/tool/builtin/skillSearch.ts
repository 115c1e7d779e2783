/** `skill.search`: where words stand in a Skill. */
import { recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import * as FrozenSkills from "@cahier/domain/skill/FrozenSkills";
import * as FileSearch from "@cahier/domain/workspace/FileSearch";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { skillsRoot } from "../../skill/AgentSkills.ts";
import { admit, defineTool } from "../defineTool.ts";
import { filesOf, searchable, shownHits } from "./skillFiles.ts";

export const skillSearch = defineTool({
  name: "skill.search",
  title: "Search a Skill",
  description:
    "Finds places in the files of a Skill by words, best first. Each hit shows its lines and a reference to read on. What is shown counts as read.",
  parameters: Schema.Struct({
    name: Schema.String.annotate({ description: "The Skill's name from the list." }),
    query: Schema.String.annotate({ description: "Words to look for." }),
    path: Schema.optionalKey(
      Schema.String.annotate({ description: "Folder or file within the Skill to search. Default: all." }),
    ),
    limit: Schema.optionalKey(
      Schema.Int.annotate({
        description: `Most hits, 1 to ${FileSearch.maxLimit}. Default ${FileSearch.defaultLimit}.`,
      }),
    ),
    context_lines: Schema.optionalKey(
      Schema.Int.annotate({
        description: `Lines around a hit, 0 to ${FileSearch.maxContextLines}. Default ${FileSearch.defaultContextLines}.`,
      }),
    ),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* ({ context_lines, limit, name, path, query }, context) {
    const skill = yield* admit(FrozenSkills.find(context.skills.frozen, name));
    const folder = (path ?? "")
      .trim()
      .replaceAll("\\", "/")
      .replaceAll(/^(?:\.?\/)+|\/+$/g, "");
    const all = yield* filesOf(context, skill);
    const inside =
      folder === "" || folder === "." ? all : all.filter(({ file }) => WorkspacePath.isInside(file.path, folder));
    if (inside.length === 0)
      return yield* recoverable(
        "skill.not_found",
        `The Skill ${quote(skill.name)} has nothing at ${quote(path ?? "")}. Search without a path.`,
      );
    const { files, skipped } = yield* searchable(context, inside);
    const hits = yield* admit(
      Result.mapError(
        FileSearch.search(files, {
          query,
          ...(limit === undefined ? {} : { limit }),
          ...(context_lines === undefined ? {} : { contextLines: context_lines }),
        }),
        ({ code, message }) => ({ code: codes[code], message }),
      ),
    );
    const shownPath = [skillsRoot, skill.name, ...(folder === "" || folder === "." ? [] : [folder])].join("/");
    return yield* shownHits(context, shownPath, query, hits, skipped);
  }),
});

/** What a search of files refuses, in the words of Skills. */
const codes = {
  "workspace.search_limit_invalid": "skill.search_limit_invalid",
  "workspace.search_limit_too_large": "skill.search_limit_too_large",
  "workspace.search_context_too_large": "skill.search_context_too_large",
  "tool.invalid_arguments": "skill.invalid_request",
} as const satisfies Record<string, FailureCode>;
