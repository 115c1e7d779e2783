/**
 * SillyTavern in a scratch folder: its package, its server and its data.
 *
 * Owns the installed packages and the server's process. Does not own what a case puts into the data folder.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The version whose behaviour the fixtures record. */
export const version = "1.19.0";

/** Installs SillyTavern and playwright-core into the folder, if they are not there. */
export const install = (folder) => {
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, "node_modules/sillytavern/server.js"))) return;
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
  const packages = [`sillytavern@${version}`, "playwright-core"];
  const options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  const { status } = spawnSync("npm", options, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install ${packages.join(" and ")} in ${folder}.`);
};

/**
 * Starts the server on loopback and waits until it listens: the first start compiles its front end for a minute.
 * `data` is the folder of its only user; `close` ends the process.
 */
export const start = async (folder, port) => {
  const root = join(folder, "data");
  const options = ["--dataRoot", root, "--configPath", join(folder, "config.yaml"), "--port", String(port)];
  const server = spawn(process.execPath, ["server.js", ...options, "--browserLaunchEnabled", "false"], {
    cwd: join(folder, "node_modules/sillytavern"),
    stdio: ["ignore", "pipe", openSync(join(folder, "server-errors.log"), "w")],
  });
  const ended = once(server, "exit");
  const listening = new Promise((resolve) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      if (line.includes("is listening on")) resolve(true);
    });
  });
  if ((await Promise.race([listening, ended])) !== true) throw new Error("SillyTavern ended before it listened.");
  return {
    address: `http://127.0.0.1:${port}/`,
    data: join(root, "default-user"),
    close: async () => {
      server.kill();
      await ended;
    },
  };
};
