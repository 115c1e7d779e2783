/**
 * One thing that is wrong with a profile.
 *
 * Owns the form of an issue and how a place in a profile is written. Does not own the codes (`ProfileCode`).
 */
import type { ProfileCode } from "./ProfileCode.ts";

/**
 * `path` is where in the document, such as `tools.allow[2]`, empty for the whole; `message` says what is wrong and
 * what to do.
 */
export interface ProfileIssue {
  readonly code: ProfileCode;
  readonly path: string;
  readonly message: string;
}

/** An issue at a place given by its keys. */
export const issue = (code: ProfileCode, path: ReadonlyArray<string | number>, message: string): ProfileIssue => ({
  code,
  path: writePath(path),
  message,
});

/** Keys as a person writes them: `a.b[0]["odd key"]`. */
export const writePath = (path: ReadonlyArray<string | number>): string =>
  path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
