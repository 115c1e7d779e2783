/** Files of packages for tests. */
import type { PackageFile } from "@cahier/domain/skill/Skill";

const encoder = new TextEncoder();

export const file = (path: string, content: string | Uint8Array = "x"): PackageFile => ({
  path,
  bytes: typeof content === "string" ? encoder.encode(content) : content,
});

/** A `SKILL.md` with these lines of front matter. */
export const skill = (frontMatter: string, body = "# Pacing\n\nSlow down.\n"): PackageFile =>
  file("SKILL.md", `---\n${frontMatter}\n---\n\n${body}`);

/** A package that nobody complains about. */
export const plain = skill("name: pacing\ndescription: How scenes breathe.");

export const codesOf = (warnings: ReadonlyArray<{ readonly code: string }>): ReadonlyArray<string> =>
  warnings.map(({ code }) => code);
