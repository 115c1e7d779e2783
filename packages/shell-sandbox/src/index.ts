export * as Bubblewrap from "./Bubblewrap.ts";
export * as JustBash from "./JustBash.ts";
