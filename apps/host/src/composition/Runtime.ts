/**
 * The whole runtime: storage, host, models, SillyTavern's files, and the application on top.
 */
import * as Runs from "@cahier/application/run/Runs";
import * as Tools from "@cahier/application/tool/Tools";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import * as Layer from "effect/Layer";
import * as Host from "./Host.ts";
import * as Models from "./Models.ts";

/** `chat` is what the caller knows of the character better than the chat file. */
export interface RuntimeOptions {
  readonly directory: string;
  readonly chat?: SillyTavernChatHost.Options;
}

export const layer = ({ directory, chat }: RuntimeOptions) =>
  Runs.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Tools.layer(),
        Models.layer,
        SillyTavernChatHost.layer(chat),
        SillyTavernPromptAssembler.layer,
        Host.layer(directory),
      ),
    ),
  );
