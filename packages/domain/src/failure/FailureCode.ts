/**
 * The registry of every stable code: where it ends and what it means. Reference pages are generated from it.
 */
import { chatCodes } from "./codes/chatCodes.ts";
import { connectionCodes } from "./codes/connectionCodes.ts";
import { extensionCodes } from "./codes/extensionCodes.ts";
import { mcpCodes } from "./codes/mcpCodes.ts";
import { modelCodes } from "./codes/modelCodes.ts";
import { persistCodes } from "./codes/persistCodes.ts";
import { policyCodes } from "./codes/policyCodes.ts";
import { profileCodes } from "./codes/profileCodes.ts";
import { runCodes } from "./codes/runCodes.ts";
import { skillCodes } from "./codes/skillCodes.ts";
import { storageCodes } from "./codes/storageCodes.ts";
import { toolCodes } from "./codes/toolCodes.ts";

/**
 * `class` says where a failure of this code ends: at the model (`recoverable`), at policy (`denied`), at the run
 * (`fatal`), or at the caller before a run exists (`host`). `retryable`: the same request may succeed later.
 * `userRetryable`: worth offering a person "try again".
 */
export interface FailureEntry {
  readonly class: "recoverable" | "denied" | "fatal" | "host";
  readonly meaning: string;
  readonly retryable?: boolean;
  readonly userRetryable?: boolean;
}

export const failureCodes = {
  ...chatCodes,
  ...connectionCodes,
  ...extensionCodes,
  ...mcpCodes,
  ...modelCodes,
  ...persistCodes,
  ...policyCodes,
  ...profileCodes,
  ...runCodes,
  ...skillCodes,
  ...storageCodes,
  ...toolCodes,
} as const;

/** Every code of the registry. */
export type FailureCode = keyof typeof failureCodes;

/** The first segment of a code. */
export type FailureArea = FailureCode extends infer Code
  ? Code extends `${infer Area}.${string}`
    ? Area
    : never
  : never;

/** The area of a code. */
export const areaOf = (code: FailureCode): FailureArea => code.slice(0, code.indexOf(".")) as FailureArea;

/** Whether a string is a code of the registry. */
export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failureCodes, code);
