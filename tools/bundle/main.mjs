/** `npm run bundle`: makes the host's executable when an input changed, and prints where it lies. */
import { ensureInstalled } from "../bootstrap/install.mjs";
import { ensureBundled } from "./bundle.mjs";

process.stdout.write(`${await ensureBundled(await ensureInstalled())}\n`);
