/**
 * Where the repository lies and which folders are workspace packages.
 *
 * Plain JavaScript without dependencies: it runs before anything is installed, on Node 20 and newer.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

if (Number(process.versions.node.split(".")[0]) < 20) {
  process.stderr.write(`This clone needs Node 20 or newer to start; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}

/** The absolute path of the repository's root. */
export const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/u, "");

/** The absolute path of a file given relative to the root. */
export const at = (...segments) => path.join(root, ...segments);

/** The folders of all workspace packages, relative to the root, sorted; the globs are those of pnpm-workspace.yaml. */
export const packageFolders = () =>
  ["packages", "apps", "tools", "examples"]
    .flatMap((group) => (fs.existsSync(at(group)) ? fs.readdirSync(at(group)).map((name) => `${group}/${name}`) : []))
    .concat("benchmarks")
    .filter((folder) => fs.existsSync(at(folder, "package.json")))
    .toSorted();

/** The parsed package.json of a folder relative to the root. */
export const manifestOf = (folder) => JSON.parse(fs.readFileSync(at(folder, "package.json"), "utf8"));

/** All files below a folder, relative to the root with forward slashes, sorted; an absent folder has none. */
export const filesBelow = (folder) =>
  fs.existsSync(at(folder))
    ? fs
        .readdirSync(at(folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll(path.sep, "/"),
        )
        .toSorted()
    : [];

/** One digest over the names and bytes of files, given relative to the root; an absent file counts as such. */
export const digestOf = (files) => {
  const hash = createHash("sha256");
  for (const file of files) {
    const present = fs.existsSync(at(file));
    hash.update(`${file}\0${present ? "" : "absent"}\0`);
    if (present)
      hash.update(
        createHash("sha256")
          .update(fs.readFileSync(at(file)))
          .digest(),
      );
  }
  return hash.digest("hex");
};

/** Replaces a file whole: a reader sees the old text or the new one, never a part. */
export const writeWhole = (file, text, options = {}) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  fs.writeFileSync(draft, text, options);
  fs.renameSync(draft, file);
};
