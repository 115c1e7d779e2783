export * as JustBash from "./JustBash.ts";
