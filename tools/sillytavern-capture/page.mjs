/**
 * SillyTavern's page in headless Chromium.
 *
 * Owns the browser. Does not know cases: `capture` and `worldInfo` ask the page.
 */
import { createRequire } from "node:module";
import { join } from "node:path";

/** Starts the browser: `open` gives a ready page of the server, `close` ends the browser. */
export const start = async (folder, address, executablePath) => {
  const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--no-first-run", ...quiet] });
  return {
    open: async () => {
      const page = await browser.newPage();
      await page.addInitScript(giveModules);
      await page.goto(address, { waitUntil: "domcontentloaded", timeout: 180_000 });
      await page.waitForFunction(isReady, null, { timeout: 180_000 });
      return page;
    },
    close: () => browser.close(),
  };
};

/** In the page: a name for its modules, which are files of the server and not of this folder. */
const giveModules = () => {
  globalThis.pageModule = (path) => import(path);
};

/** In the page. The context cannot be asked before all modules ran. */
const isReady = () => {
  try {
    const context = globalThis.SillyTavern.getContext();
    return context.characters.length > 0 && context.onlineStatus !== "no_connection";
  } catch {
    return false;
  }
};
