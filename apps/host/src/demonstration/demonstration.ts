/**
 * `cahier demonstration`: a whole run on a chat and card of our own, in a fresh folder, with a scripted model or with
 * the real one that the environment names.
 */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import * as Output from "../cli/Output.ts";
import { has, type ParsedCommand } from "../cli/parse.ts";
import { run } from "../cli/run.ts";
import * as Models from "../composition/Models.ts";
import * as material from "./material.ts";

/** Exit code of the run. Says where everything lies. */
export const demonstration = Effect.fn("cli.demonstration")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const place = yield* lay;
  const real = Models.isConfigured(process.env);
  yield* Output.line(
    real
      ? "A demonstration with the model that your environment names."
      : "A demonstration with a script: no model is called. Set OPENAI_API_KEY to use a real one.",
  );
  const code = yield* run({
    name: "run",
    positionals: [],
    options: {
      chat: place.chat,
      card: place.card,
      data: place.data,
      ...(real ? {} : { script: place.script }),
      quiet: has(command, "quiet"),
    },
  });
  yield* Output.line("");
  yield* Output.line(`the chat        ${place.chat}`);
  yield* Output.line(`the card        ${place.card}`);
  yield* Output.line(`the script      ${place.script}`);
  yield* Output.line(`the data folder ${place.data}`);
  yield* Output.line(`Look closer:    ${program()} runs list --data ${place.data}`);
  return code;
});

/** How the user starts this program: through npm in a clone, by its name where it is installed. */
const program = (): string => (process.env["npm_lifecycle_event"] === undefined ? "cahier" : "npm run -s cahier --");

const lay = Effect.tryPromise({
  try: async () => {
    const folder = await mkdtemp(join(tmpdir(), "cahier-demonstration-"));
    const place = {
      chat: join(folder, "chats", "Odile - 2026-11-30.jsonl"),
      card: join(folder, "characters", "Odile.json"),
      script: join(folder, "script.json"),
      data: join(folder, "data"),
    };
    await mkdir(join(folder, "chats"));
    await mkdir(join(folder, "characters"));
    await writeFile(place.chat, material.chat);
    await writeFile(place.card, `${JSON.stringify(material.card, null, 2)}\n`);
    await writeFile(place.script, `${JSON.stringify(material.script, null, 2)}\n`);
    return place;
  },
  catch: (cause) => fatal("storage.failed", "The demonstration's folder cannot be made.", { cause }),
});
