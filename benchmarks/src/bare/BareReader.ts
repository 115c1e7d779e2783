/**
 * The least that brings a run back: its journal read and parsed, and so the contents that its next request is made of.
 *
 * The other side of the resume comparison. It checks no sum and no hash, folds nothing and makes no request.
 */
import { loadState } from "@cahier/application/run/loadState";
import { rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import type { Payload } from "@cahier/domain/payload/Payload";
import * as Log from "@cahier/domain/run/Log";
import type { RunState } from "@cahier/domain/run/RunState";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as PgClient from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Reactivity from "effect/reactivity/Reactivity";
import * as Redacted from "effect/Redacted";
import * as fs from "node:fs";
import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { journalFile } from "../runtime/batches.ts";
import type { Storage } from "../storage/Storage.ts";

/** Reads what is stored of the one run of a storage. */
export interface BareReader extends AsyncDisposable {
  /** Parses everything; gives how many events there are. */
  readonly read: () => Promise<number>;
}

/** Where the contents stand that the run's next request is made of, found beforehand. */
interface Needed {
  readonly inEvents: ReadonlyArray<{ readonly seq: number; readonly field: string }>;
  readonly blobs: ReadonlyArray<string>;
}

/** A reader of a storage that holds one run and is not open. */
export const open = async (storage: Storage, runId: RunId): Promise<BareReader> => {
  const needed = await findNeeded(storage, runId);
  const source = sourceOf(storage);
  return {
    read: async () => {
      const events = (await source.lines()).flatMap((line) => JSON.parse(line) as Event | ReadonlyArray<Event>);
      for (const { field, seq } of needed.inEvents) JSON.parse(events[seq - 1]?.payload[field]?.text ?? "");
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as the least reader does.
      for (const sha256 of needed.blobs) JSON.parse(await source.blob(sha256));
      return events.length;
    },
    [Symbol.asyncDispose]: source.close,
  };
};

interface Event {
  readonly payload: Readonly<Record<string, Payload | undefined>>;
}

/** A line holds one event, or neighbouring ones as an array. */
interface Source {
  readonly lines: () => Promise<ReadonlyArray<string>>;
  readonly blob: (sha256: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

const selectEvents = "SELECT body FROM cahier_event ORDER BY event_key";

const sourceOf = ({ place }: Storage): Source => {
  switch (place.kind) {
    case "folder":
      return fromFolder(place.data);
    case "file":
      return fromSqlite(place.filename);
    case "server":
      return fromPostgres(place.url);
    default:
      return place satisfies never;
  }
};

const fromFolder = (data: string): Source => {
  const journal = journalFile(data);
  const found = fs.readdirSync(data, { withFileTypes: true, recursive: true });
  const files = new Map(found.map((entry) => [entry.name, path.join(entry.parentPath, entry.name)]));
  return {
    lines: async () => fs.readFileSync(journal, "utf8").trimEnd().split("\n"),
    blob: async (sha256) => fs.readFileSync(files.get(sha256) ?? "", "utf8"),
    close: async () => undefined,
  };
};

const fromSqlite = (filename: string): Source => {
  const database = new DatabaseSync(filename);
  const events = database.prepare(selectEvents);
  const blob = database.prepare("SELECT bytes FROM cahier_blob WHERE sha256 = ?");
  return {
    lines: async () => events.all().map((row) => String(row["body"])),
    blob: async (sha256) => Buffer.from(blob.get(sha256)?.["bytes"] as Uint8Array).toString("utf8"),
    close: async () => database.close(),
  };
};

const fromPostgres = (url: string): Source => {
  const client = PgClient.layer({ url: Redacted.make(url), maxConnections: 1, maxMessageSize: 1 << 28 });
  const effects = ManagedRuntime.make(Layer.orDie(client.pipe(Layer.provide(Reactivity.layer))));
  const query = <A extends object>(text: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<A>> =>
    effects.runPromise(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<A>(text, values)));
  return {
    lines: async () => (await query<{ readonly body: string }>(selectEvents, [])).map(({ body }) => body),
    blob: async (sha256) => {
      const [row] = await query<{ readonly bytes: Uint8Array }>("SELECT bytes FROM cahier_blob WHERE sha256 = $1", [
        sha256,
      ]);
      return Buffer.from(row?.bytes ?? []).toString("utf8");
    },
    close: () => effects.dispose(),
  };
};

const findNeeded = async (storage: Storage, runId: RunId): Promise<Needed> => {
  const places = new Map<string, Needed["inEvents"][number]>();
  const loading = Effect.gen(function* () {
    const journal = yield* RunJournal;
    return yield* loadState(journal, runId, ({ payload, seq }) => {
      for (const [field, value] of Object.entries(payload as Event["payload"]))
        if (value?.text !== undefined) places.set(value.sha256, { seq, field });
    });
  });
  const { state } = await Effect.runPromise(Effect.provide(loading, storage.layer));
  const inEvents: Array<Needed["inEvents"][number]> = [];
  const blobs: Array<string> = [];
  for (const { from, sha256 } of payloadsOf(state)) {
    const place = from ?? places.get(sha256);
    if (place === undefined) blobs.push(sha256);
    else inEvents.push(place);
  }
  return { inEvents, blobs };
};

const payloadsOf = (state: RunState): ReadonlyArray<Payload> => {
  const root = state.invocations[rootInvocation];
  if (root === undefined) throw new Error("the run was never admitted");
  const frozen = [root.binding, state.resolvedProfile, root.context?.promptSnapshot, root.context?.toolSnapshot];
  return [...frozen.flatMap((one) => one ?? []), ...Log.toArray(root.messages).map(({ payload }) => payload)];
};
