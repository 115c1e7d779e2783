/**
 * The fault of an archive that is none, or one that nobody makes in good faith.
 */
import { SkillFault } from "../SkillFault.ts";

export const zipFault = (
  reason: string,
  options: { readonly path?: string; readonly cause?: unknown } = {},
): SkillFault =>
  new SkillFault({
    code: "skill.archive_invalid",
    ...(options.path === undefined ? {} : { path: options.path }),
    detail: `The archive cannot be used: ${reason}. Pack the Skill's folder anew, as a plain zip file without a password.`,
    ...(options.cause === undefined ? {} : { cause: options.cause }),
  });
