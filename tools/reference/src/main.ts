/** Prints every generated page as one JSON array of `{path, text}`. */
import { pages } from "./pages.ts";

process.stdout.write(JSON.stringify(await pages()));
