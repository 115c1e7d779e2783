export * as Limits from "./Limits.ts";
