/**
 * What a request must be before any shell runs it.
 */
import * as Shell from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";

/** The most bytes of UTF-8 that a command may have. */
export const mostCommandBytes = 128 * 1024;

/** Fails for a command that is too long, a folder that is not there, and files that are more than the limits allow. */
export const admit = ({ command, files, folders, limits, workdir, writableRoots }: Shell.ShellRequest) => {
  const length = Buffer.byteLength(command);
  if (length > mostCommandBytes) {
    return fault("commandTooLong", `The command has ${length} bytes; it may have ${mostCommandBytes}.`);
  }
  const isInside = (path: string): boolean => path === workdir || path.startsWith(`${workdir}/`);
  if (
    workdir !== "" &&
    !(
      folders.some(isInside) ||
      writableRoots.some(isInside) ||
      files.some(({ path }) => path.startsWith(`${workdir}/`))
    )
  ) {
    return fault("workdirMissing", `There is no folder ${workdir}.`);
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length > limits.files || bytes > limits.bytes) {
    return fault(
      "tooManyFiles",
      `The command would see ${files.length} files of ${bytes} bytes; there may be ${limits.files} of ${limits.bytes} bytes.`,
    );
  }
  return Effect.void;
};

const fault = (kind: Shell.ShellFault["kind"], detail: string): Effect.Effect<void, Shell.ShellFault> =>
  Effect.fail(new Shell.ShellFault({ kind, detail }));
