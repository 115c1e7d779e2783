/**
 * Errors of the file system that a command sees.
 *
 * Owns their text, which commands of the interpreter read to say what went wrong as a real one would, and that a failed
 * redirection fails its command only. Does not own which operations fail.
 */

/** Why an operation on a file failed, by its name in POSIX. */
export type FileErrorCode =
  | "EACCES"
  | "EBUSY"
  | "EEXIST"
  | "EINVAL"
  | "EISDIR"
  | "ELOOP"
  | "ENOENT"
  | "ENOSPC"
  | "ENOTDIR"
  | "ENOTEMPTY"
  | "EROFS";

const sentences: Record<FileErrorCode, string> = {
  EACCES: "permission denied",
  EBUSY: "device or resource busy",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EISDIR: "is a directory",
  ELOOP: "too many levels of symbolic links",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EROFS: "read-only file system",
};

/** An error of the interpreter that ends one command: its `stderr` is what that command says. */
type CommandError = new (subject: string) => Error & { stderr: string };

/** Makes the errors that a tree throws. `path` is as the caller gave it. */
export type MakeFileError = (code: FileErrorCode, operation: string, path: string) => Error;

/** What the interpreter's commands know by its code, and put in words of their own. */
const known: ReadonlySet<FileErrorCode> = new Set(["EEXIST", "EISDIR", "ENOENT", "ENOTDIR", "ENOTEMPTY"]);

/** An error with its `code`, in the words that the interpreter's commands look for or else those that they should print. */
export const plainFileError: MakeFileError = (code, operation, path) => {
  const text = known.has(code) ? `${code}: ${sentences[code]}, ${operation} '${path}'` : sentence(code);
  return Object.assign(new Error(text), { code });
};

/**
 * As `plainFileError`, in the interpreter's own class of errors that end one command. It opens the targets of redirections
 * itself and passes any other error on to the end of the whole script.
 */
export const commandFileError =
  (Base: CommandError): MakeFileError =>
  (code, operation, path) => {
    const plain = plainFileError(code, operation, path);
    return Object.assign(new Base(path), {
      message: plain.message,
      code,
      stderr: `bash: ${path}: ${sentence(code)}\n`,
    });
  };

const sentence = (code: FileErrorCode): string => {
  const text = sentences[code];
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
};
