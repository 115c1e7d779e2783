export * as BridgeLimits from "./extension/BridgeLimits.ts";
export * as BridgeSession from "./extension/BridgeSession.ts";
export * as BridgeSocket from "./extension/BridgeSocket.ts";
export * as ExtensionClient from "./extension/ExtensionClient.ts";
export * as ExtensionMessages from "./extension/ExtensionMessages.ts";
