/**
 * The model ring: the gateway with its transport and secrets, and which model a command line asks for.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as HostSecretStore from "../process/HostSecretStore.ts";

/**
 * A vendor whose key stands in the environment, under the name that its own programs give it. `path` is what the base URL of
 * those programs lacks. `model` is what is called when no model is named, `names` what its models are called.
 */
interface Vendor {
  readonly source: string;
  readonly format: ModelBinding["format"];
  readonly key: string;
  readonly baseUrl: string;
  readonly path: string;
  readonly modelName: string;
  readonly model: string;
  readonly names: RegExp;
}

/** In the order in which they are taken where nothing else tells. */
const vendors: ReadonlyArray<Vendor> = [
  {
    source: "openai",
    format: "openai-chat",
    key: "OPENAI_API_KEY",
    baseUrl: "OPENAI_BASE_URL",
    path: "",
    modelName: "OPENAI_MODEL",
    model: "gpt-4o-mini",
    names: /^(?:gpt|o\d|chatgpt)/,
  },
  {
    source: "anthropic",
    format: "anthropic-messages",
    key: "ANTHROPIC_API_KEY",
    baseUrl: "ANTHROPIC_BASE_URL",
    path: "/v1",
    modelName: "ANTHROPIC_MODEL",
    model: "claude-sonnet-4-5",
    names: /^claude/,
  },
  {
    source: "gemini",
    format: "gemini-generate-content",
    key: "GEMINI_API_KEY",
    baseUrl: "GOOGLE_GEMINI_BASE_URL",
    path: "/v1beta",
    modelName: "GEMINI_MODEL",
    model: "gemini-2.5-flash",
    names: /^gemini/,
  },
];

/** Whether the environment names a model that can be called. */
export const isConfigured = (environment: HostSecretStore.Environment): boolean =>
  vendors.some((vendor) => isSetUp(vendor, environment));

/** The gateway over these secrets. */
const over = <E>(secrets: Layer.Layer<SecretStore, E>): Layer.Layer<ModelGateway, E> =>
  Gateway.layer().pipe(Layer.provide(Layer.merge(UndiciTransport.layer(), secrets)));

/** The gateway. A file of secrets that cannot be used is refused before anything begins. */
export const layer = over(HostSecretStore.layer(process.env));

/** The gateway for what calls no model: no file of secrets keeps a run from being cancelled. */
export const idleLayer = over(HostSecretStore.uncheckedLayer(process.env));

/** The binding of a run: a script, or a model of a vendor whose key or base URL is in the environment. */
export const bindingOf = (
  choice: { readonly model?: string | undefined; readonly script?: string | undefined },
  environment: HostSecretStore.Environment,
): Effect.Effect<ModelBinding, Fatal> => {
  if (choice.script !== undefined)
    return Effect.succeed({ source: "scripted", format: "scripted", modelId: "script", script: choice.script });
  const vendor = vendorOf(choice.model, environment);
  if (vendor === undefined)
    return Effect.fail(
      fatal(
        "model.none_configured",
        `No model is set up. Set ${keys} (and OPENAI_BASE_URL for another server), name a stored connection with --connection ID --model NAME, or give --script FILE.json.`,
      ),
    );
  const baseUrl = environment[vendor.baseUrl] ?? "";
  if (baseUrl !== "" && !isPlainEndpoint(baseUrl))
    return Effect.fail(
      fatal(
        "usage.invalid",
        `${vendor.baseUrl} must be an http or https address without a user, a password or a key in it. Put the key into ${vendor.key}.`,
      ),
    );
  return Effect.succeed({
    source: baseUrl === "" ? vendor.source : "custom",
    format: vendor.format,
    modelId: choice.model ?? environment[vendor.modelName] ?? vendor.model,
    // Whoever sets the variable says where their own server is, so its name may lead to a private address.
    ...(baseUrl === "" ? {} : { baseUrl: `${baseUrl.replace(/\/+$/, "")}${vendor.path}`, network: "private" as const }),
    ...((environment[vendor.key] ?? "") === "" ? {} : { secret: { key: vendor.key } }),
  });
};

const keys = new Intl.ListFormat("en", { type: "disjunction" }).format(vendors.map(({ key }) => key));

const isSetUp = ({ baseUrl, key }: Vendor, environment: HostSecretStore.Environment): boolean =>
  (environment[key] ?? "") !== "" || (environment[baseUrl] ?? "") !== "";

/**
 * Another server that somebody named is meant, whatever its models are called: what is written there stays there. Else the
 * vendor of a model's name, or of the model that the environment names.
 */
const vendorOf = (model: string | undefined, environment: HostSecretStore.Environment): Vendor | undefined => {
  const isGiven = (name: string): boolean => (environment[name] ?? "") !== "";
  const ready = vendors.filter((vendor) => isSetUp(vendor, environment));
  const fits = ({ modelName, names }: Vendor): boolean =>
    model === undefined ? isGiven(modelName) : names.test(model);
  return ready.find(({ baseUrl }) => isGiven(baseUrl)) ?? ready.find(fits) ?? ready[0];
};

/** The address of an endpoint is kept with the run, so nothing secret may stand in it. */
const isPlainEndpoint = (address: string): boolean => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return false;
  return ![...url.searchParams.keys()].some((name) => /key|token|secret|password|auth|sig/i.test(name));
};
