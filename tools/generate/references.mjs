/**
 * The build configuration of each published package and the root's, with project references from package.json.
 */
import { manifestOf, packageFolders } from "../bootstrap/repository.mjs";

/** The generated files, as paths and values. */
export const buildConfigurations = () => {
  const folders = packageFolders().filter((folder) => folder.startsWith("packages/"));
  const manifests = new Map(folders.map((folder) => [folder, manifestOf(folder)]));
  const folderOf = new Map([...manifests].map(([folder, manifest]) => [manifest.name, folder]));
  const ofPackages = [...manifests].map(([folder, manifest]) => ({
    path: `${folder}/tsconfig.build.json`,
    value: {
      extends: "../../tsconfig.base.json",
      compilerOptions: {
        composite: true,
        rootDir: "src",
        outDir: "dist",
        tsBuildInfoFile: ".tsbuildinfo",
        declarationMap: true,
        sourceMap: true,
      },
      include: ["src"],
      references: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
        .filter((name) => folderOf.has(name))
        .toSorted()
        .map((name) => ({ path: `../../${folderOf.get(name)}/tsconfig.build.json` })),
    },
  }));
  const references = folders.map((folder) => ({ path: `./${folder}/tsconfig.build.json` }));
  return [...ofPackages, { path: "tsconfig.build.json", value: { files: [], references } }];
};
