export * as Actions from "./Actions.ts";
export * as HttpServer from "./HttpServer.ts";
export * as Offer from "./Offer.ts";
export * as OfferedRun from "./OfferedRun.ts";
export * as StdioServer from "./StdioServer.ts";
