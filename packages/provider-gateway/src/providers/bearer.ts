/**
 * `Authorization: Bearer …`.
 */
import * as Redacted from "effect/Redacted";
import type { Auth } from "../Route.ts";

export const bearer: Auth = (secret) => ({ authorization: `Bearer ${Redacted.value(secret)}` });
