/**
 * The payloads that an event names: always fields of its own.
 */
import * as Schema from "effect/Schema";
import { Payload } from "./Payload.ts";

const isPayload = Schema.is(Payload);

/** Every payload among the fields of an event's payload. */
export const payloadsIn = (fields: Schema.Json): ReadonlyArray<Payload> =>
  typeof fields === "object" && fields !== null ? Object.values(fields).filter(isPayload) : [];
