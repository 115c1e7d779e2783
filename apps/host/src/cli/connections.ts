/**
 * `cahier connections list|add|show|remove|test`: the stored ways to models.
 *
 * Secrets are named here and said to be there or not; their values are never read out.
 */
import * as Connections from "@cahier/application/connection/Connections";
import { tryModel } from "@cahier/application/connection/tryModel";
import { bindingOf, type LlmConnection } from "@cahier/domain/connection/LlmConnection";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { textOf } from "@cahier/domain/model/Message";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Host from "../composition/Host.ts";
import * as Models from "../composition/Models.ts";
import * as HostSecretStore from "../process/HostSecretStore.ts";
import { lookAtTools } from "./lookAtTools.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { statedSettings, withSettings } from "./connectionSettings.ts";
import { readConnection } from "./readInput.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";
import { table } from "./table.ts";

/** Every stored connection; one that cannot be used is named with why. */
export const list = Effect.fn("cli.connections.list")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const work = Effect.gen(function* () {
    const { connections, unusable } = yield* Connections.list();
    const rows = yield* Effect.forEach(connections, ({ connection, revision }) =>
      Effect.map(secretOf(connection), (secret) => ({ ...summaryOf(connection), revision, secret })),
    );
    const broken = unusable.map(({ failure, id }) => ({
      id,
      error: { code: failure.reason.code, message: failure.reason.message },
    }));
    if (has(command, "json")) {
      yield* Output.json({ connections: rows, unusable: broken });
      return 0;
    }
    if (rows.length === 0 && broken.length === 0)
      yield* Output.line("No connection is stored; cahier connections add FILE.json stores one.");
    if (rows.length > 0) yield* Effect.forEach(tableOf(rows), Output.line, { discard: true });
    for (const { error, id } of broken) yield* Output.line(printable(`${id}: ${error.message} [${error.code}]`));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Stores a connection; one that is wrong is refused and changes nothing. */
export const add = Effect.fn("cli.connections.add")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [path = ""] = command.positionals;
  const settings = yield* statedSettings(command);
  const input = withSettings(yield* readConnection(path), settings);
  const work = Effect.gen(function* () {
    const { connection, revision } = yield* Connections.put(input);
    const secret = yield* secretOf(connection);
    if (has(command, "json")) yield* Output.json({ connection, revision, secret });
    else {
      yield* Output.line(`${connection.id} is stored${revision === 1 ? "" : ` in place of the one before`}.`);
      if (secret !== null && !secret.isSet)
        yield* Output.line(`Its secret has no value here: ${secret.trouble ?? `set the variable ${secret.key}.`}`);
    }
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** One connection as it is stored. */
export const show = Effect.fn("cli.connections.show")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const { connection, revision } = yield* Connections.get(id);
    const secret = yield* secretOf(connection);
    if (has(command, "json")) yield* Output.json({ connection, revision, secret });
    else yield* Effect.forEach(inFull(connection, revision, secret), Output.line, { discard: true });
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Removes a connection. */
export const remove = Effect.fn("cli.connections.remove")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    yield* Connections.remove(id);
    yield* has(command, "json") ? Output.json({ removed: id }) : Output.line(`${id} is removed.`);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Calls a model by a connection once. A failure is the one that a run would meet. */
export const test = Effect.fn("cli.connections.test")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const model = valueOf(command, "model")?.trim() ?? "";
  if (model === "") return yield* invalid('"connections test" needs --model NAME.');
  const work = Effect.gen(function* () {
    const binding = yield* Connections.bind(id, model);
    const { connection } = yield* Connections.get(id);
    const tried = { ...summaryOf(connection), model, secret: yield* secretOf(connection) };
    if (!has(command, "json")) yield* Output.line(printable(triedText(tried)));
    const response = yield* tryModel(binding);
    const text = textOf(response.message).trim();
    const { finish, usage } = response;
    if (has(command, "json"))
      yield* Output.json({
        id,
        status: "answered",
        tried,
        model: response.model,
        finish,
        text,
        ...(usage === undefined ? {} : { usage }),
      });
    else
      yield* Output.line(
        printable(
          `${id} answers: ${text === "" ? "no text" : JSON.stringify(text.slice(0, 200).toWellFormed())} (${response.model}, ${finish}${usage === undefined ? "" : `, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`})`,
        ),
      );
    return 0;
  });
  return yield* stoppable(command, work).pipe(
    Effect.provide(Layer.merge(Models.layer, Host.layer(storageOf(command)))),
    Effect.scoped,
  );
});

/** Where the secret is looked for and where its value was found; `trouble` is why a place could not be looked into. */
interface Secret {
  readonly key: string;
  readonly isSet: boolean;
  readonly place: HostSecretStore.Place;
  readonly trouble?: string;
}

const secretOf = ({ auth }: LlmConnection): Effect.Effect<Secret | null> => {
  if (auth === undefined) return Effect.succeed(null);
  const { key } = auth.secretRef;
  return HostSecretStore.placeOf(process.env, key).pipe(
    Effect.map((place): Secret => ({ key, isSet: place !== "nowhere", place })),
    // A place that cannot be looked into has no value for anybody; a call by the connection fails with the same.
    Effect.catchTag("Unavailable", ({ detail }) =>
      Effect.succeed<Secret>({ key, isSet: false, place: "nowhere", trouble: detail }),
    ),
  );
};

const summaryOf = (connection: LlmConnection) => {
  const { baseUrl, format, network, promptCacheTtl, source, transport } = bindingOf(connection, "");
  return {
    id: connection.id,
    displayName: connection.displayName,
    source,
    format,
    baseUrl: baseUrl ?? null,
    ...(transport === undefined ? {} : { transport }),
    ...(promptCacheTtl === undefined ? {} : { promptCacheTtl }),
    ...(network === undefined ? {} : { network }),
  };
};

type Summary = ReturnType<typeof summaryOf>;

interface Row extends Summary {
  readonly secret: Secret | null;
}

const tableOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  table(
    ["ID", "NAME", "SOURCE", "FORMAT", "SETTINGS", "SECRET", "ADDRESS"],
    rows.map((row) => [
      row.id,
      printable(row.displayName),
      row.source,
      row.format,
      settingsText(row),
      secretText(row.secret),
      printable(row.baseUrl ?? ""),
    ]),
    process.stdout.isTTY ? process.stdout.columns : undefined,
  );

const secretText = (secret: Secret | null): string =>
  secret === null ? "none" : `${secret.key} (${secret.isSet ? "set" : "not set"})`;

/** The settings that are not the usual ones, in the words in which `add` takes them. */
const settingsText = ({ network, promptCacheTtl, transport }: Summary): string =>
  [transport, promptCacheTtl === undefined ? undefined : `cache ${promptCacheTtl}`, network]
    .filter((word) => word !== undefined)
    .join(", ");

const triedText = (tried: Row & { readonly model: string }): string =>
  `Trying ${tried.model} in the format ${tried.format} at ${tried.baseUrl ?? `the address of ${tried.source}`}${
    tried.transport === undefined ? "" : " over a WebSocket"
  }, secret ${placeText(tried.secret)}`;

const placeText = (secret: Secret | null): string =>
  secret === null
    ? "none"
    : `${secret.key} (${placeNames[secret.place]})${secret.trouble === undefined ? "" : `: ${printable(secret.trouble)}`}`;

const placeNames = {
  environment: "set in the environment",
  file: "set in the secrets file",
  keyring: "set in the keyring",
  nowhere: "not set anywhere",
} as const satisfies Record<HostSecretStore.Place, string>;

const inFull = (connection: LlmConnection, revision: number, secret: Secret | null): ReadonlyArray<string> => {
  const { baseUrl, displayName, format, id, network, promptCacheTtl, source, transport } = summaryOf(connection);
  const { description, prices } = connection;
  return [
    `${id}: ${printable(displayName)}, revision ${revision}`,
    ...(description === undefined ? [] : [`about    ${printable(description)}`]),
    `source   ${source}`,
    `format   ${format}`,
    `address  ${printable(baseUrl ?? "the source's own")}`,
    ...(network === undefined ? [] : ["network  private: its name may lead to a private address"]),
    ...(transport === undefined ? [] : ["over     one WebSocket for each agent"]),
    ...(promptCacheTtl === undefined ? [] : [`cache    the server is asked to keep prompts for ${promptCacheTtl}`]),
    `secret   ${placeText(secret)}`,
    prices === undefined
      ? "prices   not stated, so no cost is counted"
      : `prices   ${prices.input} in, ${prices.cached ?? prices.input} cached, ${prices.output} out (${printable(prices.currency)} for a million tokens)`,
  ];
};
