/**
 * Records a scenario on a route against the real service: `npm run record -- --route R --scenario S`.
 *
 * Needs the vendor's key in the environment and sends nothing without it. Only scenarios whose answer a server gives of
 * itself can be recorded; the others stay written.
 */
import { parseArgs } from "node:util";
import { Transport } from "@cahier/provider-gateway/transport/Transport";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as Effect from "effect/Effect";
import * as cassettes from "./cassettes.ts";
import * as routes from "./routes.ts";
import * as scenarios from "./scenarios.ts";

const listed = (names: ReadonlyArray<string>): string => names.join(", ");

const program = Effect.gen(function* () {
  const { values } = parseArgs({ options: { route: { type: "string" }, scenario: { type: "string" } } });
  const route = routes.overHttp.find(({ name }) => name === values.route);
  if (route?.key === undefined)
    return yield* refuse(`Name a route: ${listed(routes.overHttp.map(({ name }) => name))}.`);
  const scenario = scenarios.all.find(({ name }) => name === values.scenario);
  if (scenario === undefined) {
    return yield* refuse(`Name a scenario: ${listed(scenarios.all.map(({ name }) => name))}.`);
  }
  const secret = process.env[route.key];
  if (secret === undefined || secret === "") {
    return yield* refuse(`Set ${route.key} to record ${route.name}; nothing was sent.`);
  }
  const transport = yield* Transport;
  const cassette = yield* cassettes.record(route, scenario, "recorded", () => Effect.succeed(transport), {
    [route.key]: secret,
  });
  yield* cassettes.write(route, scenario, cassette);
  console.log(`Recorded ${cassettes.fileOf(route, scenario)}. Run npm run golden to hold it to the table.`);
});

const refuse = (sentence: string) =>
  Effect.sync(() => {
    console.error(sentence);
    process.exitCode = 2;
  });

await Effect.runPromise(program.pipe(Effect.provide(UndiciTransport.layer())));
