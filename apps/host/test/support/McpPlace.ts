/**
 * A folder with an MCP server that runs as a process, for one test.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cahier, type Ended, objectOf, type Running, start, type StartOptions } from "./Cahier.ts";
import { node, repository } from "./node.ts";
import * as Place from "./Place.ts";

/** `offers` says what the server offers from then on; `reported` are the lines of what has happened to it. */
export interface McpPlace extends Place.Place {
  readonly endpoint: object;
  readonly offers: (...tools: ReadonlyArray<object>) => void;
  readonly reported: () => ReadonlyArray<string>;
  /** Resolves with the first line that matches, once there is one. */
  readonly reports: (pattern: RegExp) => Promise<string>;
  /** Starts a server of the same tools that is reached over HTTP; with `waits`, its tool `wait` does not answer. */
  readonly serve: (port: number, waits: boolean) => Promise<HttpServer>;
  readonly on: (...args: ReadonlyArray<string>) => Promise<Ended>;
  readonly ask: (...args: ReadonlyArray<string>) => Promise<Readonly<Record<string, unknown>>>;
}

/** A server that goes on until it is ended. */
export interface HttpServer {
  readonly running: Running;
  readonly port: number;
}

/** A tool that takes a text. */
export const tool = (name: string, description: string, more: object = {}): object => ({
  name,
  description,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  ...more,
});

/** `options` are how commands are started. */
export const make = async (options: StartOptions = {}): Promise<McpPlace> => {
  const place = await Place.make();
  const [tools, report] = [place.path("tools.json"), place.path("report.txt")];
  const offers = (...offered: ReadonlyArray<object>): void => void place.write("tools.json", JSON.stringify(offered));
  offers(tool("echo", "Says it again."), tool("wait", "Takes its time."), tool("fail", "Fails."));
  const on = (...args: ReadonlyArray<string>): Promise<Ended> => cahier([...args, "--data", place.data], options);
  const reported = (): ReadonlyArray<string> => (existsSync(report) ? readFileSync(report, "utf8").split("\n") : []);
  const reports = async (pattern: RegExp): Promise<string> => {
    const found = reported().find((line) => pattern.test(line));
    if (found !== undefined) return found;
    await wait(5);
    return reports(pattern);
  };
  return {
    ...place,
    endpoint: {
      transport: "stdio",
      command: node,
      arguments: [join(repository, "apps/host/test/programs/mcpServer.ts"), tools, report],
      environment: { GREETING: "Good  evening." },
    },
    offers,
    serve: async (port, waits) => {
      const program = join(repository, "apps/host/test/programs/mcpHttpServer.ts");
      const running = start([program, tools, report, String(port), waits ? "waits" : ""], {
        command: [node, "--no-warnings"],
        isOpen: true,
      });
      return { running, port: Number((await running.says(/port (\d+)\n/))[1]) };
    },
    reported,
    reports,
    on,
    ask: async (...args) => objectOf(await on(...args, "--json")),
  };
};

/** Registers the server, or one of another way and name; it is paused. */
export const register = async (place: McpPlace, more: object = {}): Promise<string> => {
  const file = place.write("server.json", { displayName: "The lighthouse", endpoint: place.endpoint, ...more });
  const { registration } = await place.ask("mcp", "add", file);
  return (registration as { readonly id: string }).id;
};

/** Registers the server, activates it and asks for its tools. */
export const activate = async (place: McpPlace, more: object = {}): Promise<string> => {
  const id = await register(place, more);
  await place.ask("mcp", "resume", id, "--yes");
  await place.ask("mcp", "discover", id);
  return id;
};

/** A profile of an agent that writes and publishes, and has these tools beside. */
export const profileWith = (...tools: ReadonlyArray<string>): object => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "keeper",
  displayName: "Keeper",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 10,
    allow: [...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`), ...tools],
  },
});
