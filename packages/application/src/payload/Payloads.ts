/**
 * Stores and reads the content that events refer to.
 *
 * Owns the choice of place (in the event, inside an earlier event, or a blob) and checking on the way back. Does not
 * own when an event that refers to the content is appended: content comes first, the event is the commit point.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { inlineLimitBytes, type Payload, type PayloadSource } from "@cahier/domain/payload/Payload";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import { BlobStore } from "@cahier/ports/BlobStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** Content shorter than this is not worth a reference to another event. */
const referenceFromBytes = 256;

/** How much recent content is kept in memory, so that what was just stored is read without the storage. */
const rememberedChars = 4_000_000;

/** The payloads of one run. */
export interface Payloads {
  /** Names `text` as `path`. With `from`, another event already holds exactly this text. */
  readonly store: (path: string, text: string, from?: PayloadSource) => Effect.Effect<Payload, Fatal>;
  /** The text of a payload, checked against its hash. */
  readonly read: (payload: Payload) => Effect.Effect<string, Fatal>;
}

/** The ports that payloads are kept in. */
export type Requirements = BlobStore | RunJournal;

/** Payloads of `runId` over the run's journal and blobs. */
export const make = Effect.fnUntraced(function* (runId: RunId) {
  const blobs = yield* BlobStore;
  const journal = yield* RunJournal;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  // A UTF-16 unit is at most three bytes of UTF-8.
  const counted = new Uint8Array(inlineLimitBytes * 3);

  const remembered = new Map<string, string>();
  const size = { chars: 0 };
  const remember = (sha256: string, text: string): void => {
    if (remembered.has(sha256)) return;
    remembered.set(sha256, text);
    size.chars += text.length;
    for (const [oldest, old] of remembered) {
      if (size.chars <= rememberedChars || oldest === sha256) break;
      remembered.delete(oldest);
      size.chars -= old.length;
    }
  };

  const store: Payloads["store"] = (path, text, from) => {
    // Bytes are only made of what may become a blob; of shorter text their number is enough.
    const encoded = text.length > inlineLimitBytes ? encoder.encode(text) : undefined;
    const bytes = encoded?.length ?? encoder.encodeInto(text, counted).written;
    const named = { path, sha256: Sha256.ofText(text), bytes };
    remember(named.sha256, text);
    if (from !== undefined && bytes >= referenceFromBytes) return Effect.succeed({ ...named, from });
    if (bytes <= inlineLimitBytes) return Effect.succeed({ ...named, text });
    return blobs.put(runId, encoded ?? encoder.encode(text)).pipe(Effect.mapError(classifyStorage), Effect.as(named));
  };

  const read: Payloads["read"] = (payload) => {
    const known = remembered.get(payload.sha256);
    if (known !== undefined) return Effect.succeed(known);
    return content(payload).pipe(
      Effect.filterOrFail(
        (text) => Sha256.ofText(text) === payload.sha256,
        () => fatal("blob.hash_mismatch", `The content of ${payload.path} is not what its hash says.`),
      ),
      Effect.tap((text) => Effect.sync(() => remember(payload.sha256, text))),
    );
  };

  const content = (payload: Payload): Effect.Effect<string, Fatal> => {
    if (payload.text !== undefined) return Effect.succeed(payload.text);
    if (payload.from !== undefined) return derived(payload.path, payload.from);
    return blobs.get(runId, payload.sha256).pipe(
      Effect.mapError(classifyStorage),
      Effect.flatMap((bytes) =>
        Effect.try({
          try: () => decoder.decode(bytes),
          catch: (cause) => fatal("blob.hash_mismatch", `The content of ${payload.path} is not text.`, { cause }),
        }),
      ),
    );
  };

  const derived = Effect.fnUntraced(function* (path: string, source: PayloadSource): Effect.fn.Return<string, Fatal> {
    const page = yield* journal
      .read(runId, { afterSeq: source.seq - 1, limit: 1 })
      .pipe(Effect.mapError(classifyStorage));
    const holder = page.events[0];
    const held =
      holder === undefined ? undefined : (holder.payload as unknown as Record<string, Payload>)[source.field];
    if (held === undefined || holder?.seq !== source.seq)
      return yield* fatal("blob.missing", `Event ${source.seq}, which holds ${path}, is not in the journal.`);
    const found = at(source.field, yield* content(held), source.pointer);
    if (found === undefined)
      return yield* fatal("blob.missing", `Event ${source.seq} does not hold ${path} at ${source.pointer}.`);
    // Text is stored well-formed; what the other event holds may have halves of characters, escaped.
    return found.toWellFormed();
  });

  return { store, read } satisfies Payloads;
});

/** A pointer's token with `~` and `/` escaped (RFC 6901). */
export const pointerToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");

const at = (field: PayloadSource["field"], text: string, pointer: string): string | undefined => {
  const parsed = field === "argumentsRef" ? ToolArguments.fromRaw(text) : undefined;
  let value: unknown = parsed === undefined ? JSON.parse(text) : parsed._tag === "Usable" ? parsed.value : undefined;
  for (const token of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[token.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return typeof value === "string" ? value : undefined;
};
