/** `npm run setup`: installs what the lockfile says, and nothing else. */
import { ensureInstalled } from "./install.mjs";

await ensureInstalled();
