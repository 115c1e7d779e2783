export * as Authorizer from "./Authorizer.ts";
export * as McpClient from "./McpClient.ts";
