/**
 * The program of a child.
 */
import * as Child from "./Child.ts";

await Child.serve(Child.loadShell);
