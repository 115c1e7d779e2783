/**
 * The whole runtime: storage, host, models, SillyTavern's files, and the application on top.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Runs from "@cahier/application/run/Runs";
import type { Tool } from "@cahier/application/tool/Tool";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import type * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Host from "./Host.ts";
import * as Models from "./Models.ts";
import * as RequestLogging from "./RequestLogging.ts";
import type * as Storage from "./Storage.ts";
import * as Tools from "./Tools.ts";

/**
 * `chat` is what the caller knows of the character better than the chat file; `prompt` is what prompts are made of
 * beside card and chat; `tools` are added to the built-in ones.
 * `callsModels: false` is for what only ends runs. `logRequests` keeps what models are sent and answer; without it the
 * variable CAHIER_LOG_REQUESTS says so, when it is 1.
 */
export interface RuntimeOptions {
  readonly storage: Effect.Effect<Storage.Chosen, Fatal>;
  readonly chat?: SillyTavernChatHost.Options;
  readonly prompt?: SillyTavernPromptAssembler.Options;
  readonly tools?: ReadonlyArray<Tool>;
  readonly callsModels?: false;
  readonly logRequests?: boolean;
}

export const layer = ({ callsModels, chat, logRequests, prompt, storage, tools }: RuntimeOptions) => {
  const host = Host.layer(storage);
  const isLogging = logRequests === true || process.env["CAHIER_LOG_REQUESTS"] === "1";
  const models = callsModels === false ? Models.idleLayer : Models.layer;
  return Runs.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Tools.layer(tools).pipe(Layer.provide(host)),
        isLogging ? models.pipe(Layer.provide(RequestLogging.layer), Layer.provide(host)) : models,
        SillyTavernChatHost.layer(chat),
        SillyTavernPromptAssembler.layerWith(prompt ?? {}),
        host,
      ),
    ),
  );
};
