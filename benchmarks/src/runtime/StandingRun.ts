/**
 * A run that stands before a model request, as a lost process leaves one.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { Runs } from "@cahier/application/run/Runs";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as path from "node:path";
import type { ConversationKind } from "../model/replies.ts";
import * as StallingModel from "../model/StallingModel.ts";
import type { Storage } from "../storage/Storage.ts";
import { startRun } from "./agentRun.ts";
import { writeChat } from "./chatFile.ts";
import * as EchoTool from "./EchoTool.ts";
import * as Runtime from "./Runtime.ts";

export interface StandingRun {
  readonly runId: RunId;
  /** The request that it stands before. */
  readonly request: Uint8Array;
}

/** Makes the run: so many tool rounds, whose process then goes. */
export const make = async (
  storage: Storage,
  folder: string,
  kind: ConversationKind,
  rounds: number,
): Promise<StandingRun> => {
  const chatFile = writeChat(path.join(folder, "chat.jsonl"));
  const model = StallingModel.make(kind, rounds);
  const effects = ManagedRuntime.make(Runtime.layer(storage.layer, [EchoTool.tool], model.layer));
  const tools = [EchoTool.tool.descriptor.id];
  const { runId } = await effects.runPromise(startRun({ chatFile, baseUrl: StallingModel.baseUrl, rounds, tools }));
  const request = await model.asked;
  await effects.dispose();
  return { runId, request };
};

/** A process that is up and does nothing yet. */
export interface Resumer extends AsyncDisposable {
  /** Resumes the run up to its next request, and gives that. */
  readonly resume: (runId: RunId) => Promise<Uint8Array>;
}

export const open = async (storage: Storage): Promise<Resumer> => {
  const model = StallingModel.make("echo", 0);
  const effects = ManagedRuntime.make(Runtime.layer(storage.layer, [EchoTool.tool], model.layer));
  const runs = await effects.runPromise(Runs.useSync((service) => service));
  return {
    resume: async (runId) => {
      await effects.runPromise(runs.resume(runId));
      return model.asked;
    },
    [Symbol.asyncDispose]: () => effects.dispose(),
  };
};
