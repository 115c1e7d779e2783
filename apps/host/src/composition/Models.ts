/**
 * The model ring: the gateway with its transport and secrets, and which model a command line asks for.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as EnvironmentSecretStore from "../process/EnvironmentSecretStore.ts";

/** The variable that holds OpenAI's key, and by that name the secret that a binding refers to. */
const keyName = "OPENAI_API_KEY";

/** What is called when a key is set and no model is named. */
const defaultModel = "gpt-4o-mini";

export const layer = Gateway.layer().pipe(
  Layer.provide(Layer.merge(UndiciTransport.layer(), EnvironmentSecretStore.layer(process.env))),
);

/** The binding of a run: a script, or a model at OpenAI or at the base URL of the environment. */
export const bindingOf = (
  choice: { readonly model?: string | undefined; readonly script?: string | undefined },
  environment: EnvironmentSecretStore.Environment,
): Effect.Effect<ModelBinding, Fatal> => {
  if (choice.script !== undefined)
    return Effect.succeed({ source: "scripted", format: "scripted", modelId: "script", script: choice.script });
  const baseUrl = environment["OPENAI_BASE_URL"];
  const hasKey = (environment[keyName] ?? "") !== "";
  const hasBaseUrl = baseUrl !== undefined && baseUrl !== "";
  if (!hasKey && !hasBaseUrl)
    return Effect.fail(
      fatal(
        "model.none_configured",
        `No model is set up. Set ${keyName} (and OPENAI_BASE_URL for another server), or give --script FILE.json.`,
      ),
    );
  if (hasBaseUrl && !isPlainEndpoint(baseUrl))
    return Effect.fail(
      fatal(
        "usage.invalid",
        `OPENAI_BASE_URL must be an http or https address without a user, a password or a key in it. Put the key into ${keyName}.`,
      ),
    );
  return Effect.succeed({
    source: hasBaseUrl ? "custom" : "openai",
    format: "openai-chat",
    modelId: choice.model ?? environment["OPENAI_MODEL"] ?? defaultModel,
    ...(hasBaseUrl ? { baseUrl } : {}),
    ...(hasKey ? { secret: { key: keyName } } : {}),
  });
};

/** The address of an endpoint is kept with the run, so nothing secret may stand in it. */
const isPlainEndpoint = (address: string): boolean => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return false;
  return ![...url.searchParams.keys()].some((name) => /key|token|secret|password|auth|sig/i.test(name));
};
