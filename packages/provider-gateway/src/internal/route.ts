/**
 * From a binding to its source, protocol and URL.
 */
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import { ModelFault, type ModelFaultReason } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import type { Protocol, Source } from "../Route.ts";

export const notConfigured = (
  what: Extract<ModelFaultReason, { readonly _tag: "NotConfigured" }>["what"],
  detail: string,
): ModelFault => new ModelFault({ reason: { _tag: "NotConfigured", what }, detail });

/** The source that a binding names, and its protocol of the binding's format. */
export const routeOf = Effect.fnUntraced(function* (sources: ReadonlyArray<Source>, binding: ModelBinding) {
  const speaking = sources.flatMap((source) =>
    source.protocols.flatMap((protocol) => (protocol.format === binding.format ? [{ source, protocol }] : [])),
  );
  if (speaking.length === 0) return yield* notConfigured("format", `no model source speaks ${binding.format}`);
  const route = speaking.find(({ source }) => source.source === binding.source);
  if (route !== undefined) return route;
  return sources.some(({ source }) => source === binding.source)
    ? yield* notConfigured("format", `the source ${binding.source} does not speak ${binding.format}`)
    : yield* notConfigured("source", `no model source is called ${binding.source}`);
});

/** Where the requests of a binding go; fails for a base URL that is missing or no good. */
export const endpointOf = Effect.fnUntraced(function* (source: Source, request: ModelRequest, protocol: Protocol) {
  const base = request.binding.baseUrl ?? source.baseUrl;
  if (base === undefined) return yield* notConfigured("endpoint", `the source ${source.source} needs a base URL`);
  const url = URL.parse(base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return yield* notConfigured("endpoint", "the base URL is not an http or https URL");
  }
  if (url.username !== "" || url.password !== "") {
    return yield* notConfigured("endpoint", "the base URL holds credentials; put them into a secret");
  }
  const [path = "", query] = protocol.path(request).split("?");
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  url.hash = "";
  return url;
});
