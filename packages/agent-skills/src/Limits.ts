/**
 * How large a package may be, in files and bytes.
 *
 * Every reader stops at these while it reads, not after: what is larger is never held in memory.
 */

/** Files of a package. */
export const maxFiles = 1000;

/** Folders and files together that a reader looks at: a package of empty folders ends here. */
export const maxEntries = 4 * maxFiles;

/** Bytes of one file. */
export const maxFileBytes = 16 * 1024 * 1024;

/** Bytes of all files together. */
export const maxPackageBytes = 256 * 1024 * 1024;

/** Bytes of `SKILL.md`, also of one that is downloaded alone. */
export const maxSkillFileBytes = 1024 * 1024;

/** Bytes of an archive: no package that may be needs more, whatever its compression. */
export const maxArchiveBytes = maxPackageBytes + 16 * 1024 * 1024;

/** How many bytes a compressed byte may become. */
export const maxRatio = 100;

/** Bytes up to which content is not held to `maxRatio`: so little does no harm, and a short text of one letter exceeds it. */
export const ratioFreeBytes = 64 * 1024;

/** Characters of the front matter; a parser's worst case is kept short. */
export const maxFrontMatterCharacters = 64 * 1024;

/** Bytes of the sidecar. */
export const maxSidecarBytes = 64 * 1024;

/** Characters of a name here. The published format has `publishedNameCharacters`. */
export const maxNameCharacters = 128;

export const publishedNameCharacters = 64;

export const publishedDescriptionCharacters = 1024;

export const publishedCompatibilityCharacters = 500;
