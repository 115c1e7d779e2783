import { assert, describe, it } from "@effect/vitest";
import * as Ajv2020 from "ajv/dist/2020.js";
import * as Effect from "effect/Effect";
import * as bodies from "../src/bodies.ts";
import * as corpusModules from "../src/corpusModules.ts";
import * as routes from "../src/routes.ts";
import { expectedBodies } from "./support/expectedBodies.ts";
import * as randomRequests from "./support/randomRequests.ts";

const ajv = new Ajv2020.Ajv2020({ strict: false, logger: false });

describe("a body", () => {
  for (const route of routes.overHttp) {
    it.effect(`for ${route.name} has the members that its protocol knows and no other`, () =>
      Effect.gen(function* () {
        const check = ajv.compile(expectedBodies[route.name] ?? false);
        const byChance = yield* bodies.of(yield* randomRequests.of(route, 200, 11));
        for (const { body, fault } of byChance) assert.isDefined(body, fault?.detail);
        const named = [
          ...(yield* corpusModules.bodiesOf(route)),
          ...byChance.map(({ body }, index) => [`request ${index}`, body ?? "null"] as const),
        ];
        for (const [name, body] of named) {
          const complaints = check(JSON.parse(body)) ? [] : check.errors;
          assert.deepStrictEqual(complaints, [], `${name}: ${body}`);
        }
      }),
    );
  }
});
