/**
 * Runs one command line and gives its exit code. Nothing that a command fails with escapes from here.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Logger from "effect/Logger";
import { exitCodeOfFailure } from "./exitCode.ts";
import { has, parse, type ParsedCommand } from "./parse.ts";
import { sayFailed } from "./sayFailed.ts";

type Command = (command: ParsedCommand) => Effect.Effect<number, Fatal>;

/** The exit code of a command line. */
export const execute = (argv: ReadonlyArray<string>): Effect.Effect<number> => {
  const asJson = argv.includes("--json");
  return parse(argv).pipe(
    Effect.flatMap((command) =>
      Effect.flatMap(
        Effect.promise(() => load(command)),
        (run) => run(command),
      ).pipe(
        Effect.catchDefect((defect) => Effect.fail(broken(defect))),
        Effect.catch((failure) => report(failure, has(command, "json"))),
      ),
    ),
    Effect.catch((failure) => report(failure, asJson)),
    Effect.provide(toStandardError),
  );
};

/** What is logged is for the operator; standard output belongs to the command. */
const toStandardError = Logger.layer([
  Logger.make(({ logLevel, message }) => {
    process.stderr.write(`cahier: ${logLevel}: ${[message].flat().map(String).join(" ")}\n`);
  }),
]);

/** Each command's code is loaded when it is asked for: a list does not pay for a model gateway. */
const load = async ({ name }: ParsedCommand): Promise<Command> => {
  switch (name) {
    case "run":
      return (await import("./run.ts")).run;
    case "runs resume":
      return (await import("./resume.ts")).resume;
    case "runs cancel":
      return (await import("./run.ts")).cancel;
    case "runs guide":
      return (await import("./guide.ts")).guide;
    case "runs list":
      return (await import("./inspect.ts")).list;
    case "runs show":
      return (await import("./show.ts")).show;
    case "runs events":
      return (await import("./inspect.ts")).events;
    case "runs file":
      return (await import("./inspect.ts")).file;
    case "runs diff":
      return (await import("./diff.ts")).diff;
    case "runs fork":
      return (await import("./fork.ts")).fork;
    case "runs revise":
      return (await import("./revise.ts")).revise;
    case "runs rollback":
      return (await import("./rollback.ts")).rollback;
    case "runs answer":
      return (await import("./answerQuestion.ts")).answerQuestion;
    case "runs approve":
      return (await import("./answer.ts")).approve;
    case "runs deny":
      return (await import("./answer.ts")).deny;
    case "tools list":
      return (await import("./tools.ts")).list;
    case "policy explain":
      return (await import("./policy.ts")).explain;
    case "policy show":
      return (await import("./policy.ts")).show;
    case "policy set":
      return (await import("./policy.ts")).set;
    case "profiles list":
      return (await import("./profiles/look.ts")).list;
    case "profiles show":
      return (await import("./profiles/look.ts")).show;
    case "profiles save":
      return (await import("./profiles/save.ts")).save;
    case "profiles delete":
      return (await import("./profiles/change.ts")).remove;
    case "profiles new":
      return (await import("./profiles/save.ts")).create;
    case "profiles import":
      return (await import("./profiles/import.ts")).importFiles;
    case "profiles export":
      return (await import("./profiles/look.ts")).exportOne;
    case "profiles diagnose":
      return (await import("./profiles/diagnose.ts")).diagnose;
    case "profiles repair":
      return (await import("./profiles/change.ts")).repair;
    case "profiles retarget":
      return (await import("./profiles/change.ts")).retarget;
    case "skills list":
      return (await import("./skills/look.ts")).list;
    case "skills show":
      return (await import("./skills/look.ts")).show;
    case "skills export":
      return (await import("./skills/look.ts")).exportOne;
    case "skills install":
      return (await import("./skills/install.ts")).install;
    case "skills move":
      return (await import("./skills/change.ts")).move;
    case "skills remove":
      return (await import("./skills/change.ts")).remove;
    case "connections list":
      return (await import("./connections.ts")).list;
    case "connections add":
      return (await import("./connections.ts")).add;
    case "connections show":
      return (await import("./connections.ts")).show;
    case "connections remove":
      return (await import("./connections.ts")).remove;
    case "connections test":
      return (await import("./connections.ts")).test;
    case "mcp list":
      return (await import("./mcp/look.ts")).list;
    case "mcp show":
      return (await import("./mcp/look.ts")).show;
    case "mcp discover":
      return (await import("./mcp/look.ts")).discover;
    case "mcp add":
      return (await import("./mcp/change.ts")).add;
    case "mcp permit":
      return (await import("./mcp/change.ts")).permit;
    case "mcp resume":
      return (await import("./mcp/change.ts")).resume;
    case "mcp pause":
      return (await import("./mcp/change.ts")).pause;
    case "mcp remove":
      return (await import("./mcp/change.ts")).remove;
    case "mcp serve":
      return (await import("./mcp/serve.ts")).serve;
    case "mcp call":
      return (await import("./mcp/request.ts")).call;
    case "mcp resources":
      return (await import("./mcp/request.ts")).resources;
    case "mcp prompts":
      return (await import("./mcp/request.ts")).prompts;
    case "storage copy":
      return (await import("./copy.ts")).copy;
    case "retention plan":
      return (await import("./retention.ts")).plan;
    case "retention apply":
      return (await import("./retention.ts")).apply;
    case "retention settings":
      return (await import("./retention.ts")).settings;
    case "chats forget":
      return (await import("./forget.ts")).forget;
    case "states prune":
      return (await import("./forget.ts")).prune;
    case "doctor":
      return (await import("./doctor.ts")).doctor;
    case "demonstration":
      return (await import("../demonstration/demonstration.ts")).demonstration;
    default:
      return name satisfies never;
  }
};

/** Says what went wrong: as a sentence with its code, or as the one JSON object. */
const report = (failure: Fatal, asJson: boolean): Effect.Effect<number> => {
  const { code, message } = failure.reason;
  return Effect.as(sayFailed({ code, message }, asJson), exitCodeOfFailure(failure));
};

const broken = (defect: unknown): Fatal =>
  fatal("agent.internal_error", `This is a bug of Cahier. ${Cause.pretty(Cause.die(defect))}`);
