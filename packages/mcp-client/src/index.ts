export * as McpClient from "./McpClient.ts";
