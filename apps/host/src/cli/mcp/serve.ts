/**
 * `cahier mcp serve`: what this host has, for other clients of the Model Context Protocol.
 *
 * Reading is always offered; `--allow` names what else. On standard input and output for a client that starts this program, or
 * with `--http` on loopback for whoever has the token.
 */
import { randomBytes } from "node:crypto";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { fatal } from "@cahier/domain/failure/Failure";
import * as HttpServer from "@cahier/mcp-server/HttpServer";
import type { Offer } from "@cahier/mcp-server/Offer";
import * as StdioServer from "@cahier/mcp-server/StdioServer";
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Runtime from "../../composition/Runtime.ts";
import { type ActionName, actionNames, make as makeActions } from "../../mcpOffer/runActions.ts";
import { make as makeOffer } from "../../mcpOffer/runOffer.ts";
import { invalid, numberOf, type ParsedCommand, valuesOf } from "../parse.ts";
import { printable } from "../printable.ts";
import { storageOf } from "../storageOf.ts";

/** Serves until the client goes, or the process is asked to stop; exit code 0 either way. */
export const serve = Effect.fn("cli.mcp.serve")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const allowed = yield* allowedActions(command);
  const port = yield* numberOf(command, "http", 0, 65_535);
  return yield* Effect.gen(function* () {
    const actions = yield* makeActions(allowed);
    const offer: Offer = { ...(yield* makeOffer), ...(allowed.length === 0 ? {} : { actions }) };
    const host = yield* HostProcess;
    const serving = port === undefined ? StdioServer.run(offer) : onHttp(offer, port);
    yield* Effect.raceFirst(serving, host.stopRequested);
    return 0;
  }).pipe(Effect.provide(Runtime.layer({ storage: storageOf(command) })), Effect.scoped);
});

const allowedActions = (command: ParsedCommand): Effect.Effect<ReadonlyArray<ActionName>, Fatal> => {
  const asked = valuesOf(command, "allow");
  const wrong = asked.find((name) => !isAction(name));
  return wrong === undefined
    ? Effect.succeed(asked.filter(isAction))
    : Effect.fail(invalid(`--allow takes ${actionNames.join(", ")}; "${printable(wrong)}" is none of them.`));
};

const isAction = (name: string): name is ActionName => (actionNames as ReadonlyArray<string>).includes(name);

/** The variable that has the token; without it one is made and told. */
const tokenVariable = "CAHIER_MCP_TOKEN";

const onHttp = Effect.fnUntraced(function* (offer: Offer, port: number) {
  const stated = process.env[tokenVariable] ?? "";
  const token = stated === "" ? randomBytes(24).toString("base64url") : stated;
  const { url } = yield* HttpServer.make(offer, { token: Redacted.make(token), port }).pipe(
    Effect.mapError(({ message, reason }) =>
      fatal(
        "usage.invalid",
        reason === "token"
          ? `${tokenVariable} cannot be used. ${message}`
          : `Port ${port} cannot be served at: ${message}`,
      ),
    ),
  );
  // Standard output is for nobody here; a person or a program that waits reads the other one.
  yield* say(`Serving at ${url}`);
  if (stated === "") yield* say(`Clients send the header Authorization: Bearer ${token}`);
  else yield* say(`Clients send the token of ${tokenVariable} as Authorization: Bearer`);
  return yield* Effect.never;
});

const say = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stderr.write(`${text}\n`));
