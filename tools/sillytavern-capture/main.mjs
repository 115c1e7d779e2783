/**
 * Captures what SillyTavern does with material of our own writing.
 *
 *     node tools/sillytavern-capture/main.mjs prompts [CASE...]
 *     node tools/sillytavern-capture/main.mjs world-info
 *
 * `--scratch FOLDER` keeps SillyTavern (default: a folder of the system's temporary one), `--chromium FILE` names the
 * browser. Servers listen on loopback and end with the program.
 */
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as capture from "./capture.mjs";
import { cases } from "./cases.mjs";
import * as page from "./page.mjs";
import * as provider from "./provider.mjs";
import * as scratch from "./scratch.mjs";
import * as worldInfo from "./worldInfo.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scratch: { type: "string", default: join(tmpdir(), "sillytavern-capture") },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    port: { type: "string", default: "8124" },
  },
});

const [program, ...names] = positionals;

const fixtures = fileURLToPath(new URL("../../packages/sillytavern/test/fixtures/", import.meta.url));

const prompts = async (tools) => {
  const into = join(fixtures, "prompts");
  mkdirSync(into, { recursive: true });
  const chosen = cases.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const prompt of chosen) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the cases share one data folder
    await capture.capture({ ...tools, into }, prompt);
    console.log(`${prompt.name}: ${prompt.turns.length} requests`);
  }
};

const programs = { prompts, "world-info": (tools) => worldInfo.ask(tools, join(fixtures, "world-info")) };

const run = programs[program];
if (run === undefined) throw new Error(`Name a program: ${Object.keys(programs).join(" or ")}.`);

scratch.install(values.scratch);
const endpoint = await provider.start();
const server = await scratch.start(values.scratch, Number(values.port));
try {
  const browser = await page.start(values.scratch, server.address, values.chromium);
  try {
    await run({ server, browser, endpoint, base: capture.baseOf(values.scratch) });
  } finally {
    await browser.close();
  }
} finally {
  await server.close();
  await endpoint.close();
}
