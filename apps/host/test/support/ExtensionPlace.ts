/**
 * A folder for runs whose tools are those of an extension in another process.
 */
import { join } from "node:path";
import { cahier, type Ended, objectOf, type Running, start, type StartOptions } from "./Cahier.ts";
import { profileWith } from "./McpPlace.ts";
import { node, repository } from "./node.ts";
import * as Place from "./Place.ts";

export interface ExtensionPlace extends Place.Place {
  /** Starts a run whose agent has these tools of the extension beside those of files, and plays these turns. */
  readonly run: (
    tools: ReadonlyArray<string>,
    turns: ReadonlyArray<Readonly<Record<string, unknown>>>,
    more: ReadonlyArray<string>,
    options?: StartOptions,
  ) => Running;
  /** Starts a command that is told the token. */
  readonly start: (args: ReadonlyArray<string>) => Running;
  readonly on: (args: ReadonlyArray<string>, options?: StartOptions) => Promise<Ended>;
  /** The payloads of a run's events of this type. */
  readonly payloadsOf: (runId: string, type: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>;
}

/** The token of a bridge; it can be looked for. */
export const token = "planted-token-9c41e7";

/** How a command is told the token. */
export const environment = { CAHIER_EXTENSION_TOKEN: token };

export const make = async (): Promise<ExtensionPlace> => {
  const place = await Place.make();
  const on: ExtensionPlace["on"] = (args, options = { environment }) =>
    cahier([...args, "--data", place.data], options);
  return {
    ...place,
    on,
    start: (args) => start(args, { environment }),
    run: (tools, turns, more, options = { environment }) => {
      const profile = place.write("profile.json", profileWith(...tools.map((name) => `extension/desk:${name}`)));
      const script = place.write("script.json", Place.script(...turns));
      const words = ["run", "--chat", place.chat, "--data", place.data, "--profile", profile, "--script", script];
      return start([...words, ...more], options);
    },
    payloadsOf: async (runId, type) => {
      const { events } = objectOf(await on(["runs", "events", runId, "--limit", "500", "--json"]));
      return (events as ReadonlyArray<{ readonly type: string; readonly payload: Readonly<Record<string, unknown>> }>)
        .filter((event) => event.type === type)
        .map(({ payload }) => payload);
    },
  };
};

/** The address that a command says extensions connect to. */
export const addressOf = async (running: Running): Promise<string> => {
  const [, url = ""] = await running.complains(/Extensions connect to (ws:\S+)\n/);
  return url;
};

const program = join(repository, "apps/host/test/programs/extension.ts");

/** Starts the extension with these tools. It goes on until its input ends. */
export const extension = (url: string, tools: ReadonlyArray<string>, said = token): Running =>
  start([program, url, ...tools], {
    command: [node, "--conditions=@cahier/source", "--no-warnings"],
    environment: { TOKEN: said },
    isOpen: true,
  });

/** Ends the extension. */
export const leave = async ({ child, ended }: Running): Promise<Ended> => {
  child.stdin?.end();
  return ended;
};
