/**
 * Writes the cassettes that no real server has given, after the documentation of each format. Recorded ones stay.
 */
import * as Effect from "effect/Effect";
import * as cassettes from "./cassettes.ts";
import * as routes from "./routes.ts";
import * as scenarios from "./scenarios.ts";
import { writers } from "./written/writers.ts";
import * as WrittenTransport from "./written/WrittenTransport.ts";

/** Stands for every key, and is looked for in what is written. */
const secrets = {
  OPENAI_API_KEY: "written-for-openai",
  ANTHROPIC_API_KEY: "written-for-anthropic",
  GEMINI_API_KEY: "written-for-gemini",
};

const program = Effect.forEach(routes.overHttp, (route) =>
  Effect.forEach(scenarios.all, (scenario) =>
    Effect.gen(function* () {
      const writer = writers[route.name];
      if (writer === undefined || scenario.without?.[route.name] !== undefined) return;
      if (cassettes.exists(route, scenario) && (yield* cassettes.read(route, scenario)).origin === "recorded") return;
      const transportOf = (stream: boolean) => Effect.succeed(WrittenTransport.make(writer, scenario.turns, stream));
      const cassette = yield* cassettes.record(route, scenario, "written", transportOf, secrets);
      yield* cassettes.write(route, scenario, cassette);
    }),
  ),
);

await Effect.runPromise(program);
