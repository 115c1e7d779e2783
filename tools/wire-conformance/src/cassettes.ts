/**
 * Where cassettes lie, and what is in them for a scenario.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { Transport } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Cassette from "./Cassette.ts";
import { play } from "./play.ts";
import * as RecordingTransport from "./RecordingTransport.ts";
import type { Route } from "./routes.ts";
import type { Scenario } from "./scenarios.ts";
import * as Secrets from "./Secrets.ts";

/** The file of a scenario on a route. */
export const fileOf = (route: Route, scenario: Pick<Scenario, "name">): string =>
  resolve(import.meta.dirname, "../cassettes", route.name, `${scenario.name.replaceAll(" ", "-")}.json`);

export const exists = (route: Route, scenario: Scenario): boolean => existsSync(fileOf(route, scenario));

export const read = (route: Route, scenario: Scenario) =>
  Effect.suspend(() => Cassette.decode(readFileSync(fileOf(route, scenario), "utf8")));

export const write = (route: Route, scenario: Scenario, cassette: Cassette.Cassette) =>
  Effect.sync(() => {
    const file = fileOf(route, scenario);
    mkdirSync(resolve(file, ".."), { recursive: true });
    writeFileSync(file, Cassette.encode(cassette));
  });

/**
 * Plays the scenario in both modes, on the transport that `transportOf` gives for each, and keeps what went and came.
 * `secrets` are the values by key; they are in nothing that is kept.
 */
export const record = Effect.fn("cassettes.record")(function* (
  route: Route,
  scenario: Scenario,
  origin: Cassette.Cassette["origin"],
  transportOf: (stream: boolean) => Effect.Effect<Transport["Service"]>,
  secrets: Readonly<Record<string, string>>,
) {
  const modes = yield* Effect.forEach([true, false], (stream) =>
    Effect.gen(function* () {
      if (!stream && scenario.streamedOnly === true) return [];
      const recording = RecordingTransport.make(yield* transportOf(stream), Object.values(secrets));
      const layer = Gateway.layer().pipe(
        Layer.provide([Secrets.layer(secrets), Layer.succeed(Transport)(recording.transport)]),
      );
      yield* play(route, scenario, stream).pipe(Effect.provide(layer));
      return recording.exchanges();
    }),
  );
  const [streamed = [], whole = []] = modes;
  const cassette: Cassette.Cassette = {
    format: Cassette.format,
    route: route.name,
    scenario: scenario.name,
    origin,
    streamed,
    whole,
  };
  return cassette;
});
