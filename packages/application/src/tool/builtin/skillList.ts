/** `skill.list`: which Skills there are. */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { defineTool } from "../defineTool.ts";

export const skillList = defineTool({
  name: "skill.list",
  title: "List Skills",
  description:
    "Lists the Skills that you have: what each is called and what it is for. A Skill tells how something is done.",
  parameters: Schema.Struct({}),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: (_parameters, { skills: { frozen } }) => {
    const skills = frozen.skills.map(({ description, name }) => ({ name, description }));
    return Effect.succeed({
      _tag: "Done" as const,
      content:
        skills.length === 0
          ? "You have no Skills."
          : skills.map(({ description, name }) => `${name}: ${description.replaceAll(/\s+/g, " ").trim()}`).join("\n"),
      structured: { skills },
    });
  },
});
