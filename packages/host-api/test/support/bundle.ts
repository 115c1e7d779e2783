/** The client as one script for a browser, and the modules that it is made of. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const bundleClient = async (): Promise<{ readonly text: string; readonly modules: ReadonlyArray<string> }> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL("../../src/extension/ExtensionClient.ts", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["@cahier/source"],
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return { text: outputFiles.map(({ text }) => text).join("\n"), modules: Object.keys(metafile.inputs) };
};
