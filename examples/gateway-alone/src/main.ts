/**
 * `npm start -- BASE_URL MODEL QUESTION`: asks and prints the answer while it comes. A key is taken from MODEL_KEY.
 */
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Result from "effect/Result";
import { ask } from "./ask.ts";
import * as secrets from "./secrets.ts";

const [baseUrl = "http://127.0.0.1:11434/v1", modelId = "qwen3", question = "Who are you?"] = process.argv.slice(2);
const secret = (process.env["MODEL_KEY"] ?? "") === "" ? {} : { secret: { key: "MODEL_KEY" } };
const gateway = Gateway.layer().pipe(Layer.provide(Layer.merge(UndiciTransport.layer(), secrets.layer(process.env))));

const asking = ask({ source: "custom", format: "openai-chat", modelId, baseUrl, ...secret }, question, (delta) => {
  if (delta.type === "text") process.stdout.write(delta.text);
});
const outcome = await Effect.runPromise(asking.pipe(Effect.provide(gateway), Effect.result));
if (Result.isSuccess(outcome)) process.stdout.write("\n");
else {
  process.stderr.write(`${outcome.failure.detail}\n`);
  process.exitCode = 1;
}
