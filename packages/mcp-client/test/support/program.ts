/** How programs of tests are started: by the Node that runs the tests, in a folder of their own. */
import { fileURLToPath } from "node:url";
import type { McpServer, McpValue } from "@cahier/ports/McpGateway";

/** The program `test/programs/<name>` as a server. */
export const program = (
  name: string,
  given: {
    readonly arguments?: ReadonlyArray<string>;
    readonly environment?: Readonly<Record<string, McpValue>>;
    readonly protocolVersion?: McpServer["protocolVersion"];
    readonly allowsSampling?: boolean;
    readonly id?: string;
  } = {},
): McpServer => ({
  id: given.id ?? "process",
  endpoint: {
    transport: "stdio",
    command: process.execPath,
    arguments: [fileURLToPath(new URL(`../programs/${name}`, import.meta.url)), ...(given.arguments ?? [])],
    environment: given.environment ?? {},
  },
  protocolVersion: given.protocolVersion ?? "auto",
  allowsSampling: given.allowsSampling ?? false,
});
