import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as bodies from "../src/bodies.ts";
import * as corpus from "../src/corpus.ts";
import * as corpusModules from "../src/corpusModules.ts";
import * as routes from "../src/routes.ts";
import * as PublishedSchemas from "./support/PublishedSchemas.ts";
import * as randomRequests from "./support/randomRequests.ts";

const test = PublishedSchemas.arePresent ? it.effect : it.effect.skip;
const why = PublishedSchemas.absence;

/** Compiling a vendor's whole interface takes its time on a busy machine. */
const timeout = 120_000;

const complaintsOf = (validate: PublishedSchemas.Validate, named: ReadonlyArray<readonly [string, string]>) =>
  named.flatMap(([name, body]) => validate(JSON.parse(body)).map((complaint) => `${name}: ${complaint}`));

/** A schema is compiled once: that takes longer than all that is asked of it. */
const validators = new Map<string, PublishedSchemas.Validate>();
const validatorOf = (format: string): PublishedSchemas.Validate => {
  const validate = validators.get(format) ?? PublishedSchemas.validator(format, { closed: "everywhere" });
  validators.set(format, validate);
  return validate;
};

describe("the published request schemas, with unknown fields refused everywhere", () => {
  for (const route of routes.overHttp) {
    test(
      `take every body of the corpus for ${route.name}${why}`,
      () =>
        Effect.gen(function* () {
          const validate = validatorOf(route.name);
          assert.deepStrictEqual(complaintsOf(validate, yield* corpusModules.bodiesOf(route)), []);
        }),
      timeout,
    );

    test(
      `take 200 requests by chance for ${route.name}${why}`,
      () =>
        Effect.gen(function* () {
          const validate = validatorOf(route.name);
          const made = yield* bodies.of(yield* randomRequests.of(route, 200, 5));
          const named = made.map(({ body }, index) => [`request ${index}`, body ?? "null"] as const);
          assert.deepStrictEqual(complaintsOf(validate, named).slice(0, 5), []);
        }),
      timeout,
    );

    test(
      `refuse a body for ${route.name} with a field that nobody knows, at the root and within a message${why}`,
      () =>
        Effect.gen(function* () {
          const validate = validatorOf(route.name);
          const [made] = yield* bodies.of(
            corpus
              .of(route)
              .slice(0, 1)
              .map(({ request }) => request),
          );
          const body = made?.body ?? "";
          assert.deepStrictEqual(validate(JSON.parse(body)), []);
          assert.isNotEmpty(validate(JSON.parse(`{"misspelt":1,${body.slice(1)}`)));
          const within = body
            .replace('{"role":"user"', '{"misspelt":1,"role":"user"')
            .replace('{"type":"user_input"', '{"misspelt":1,"type":"user_input"')
            .replace('{"type":"message"', '{"misspelt":1,"type":"message"');
          assert.notStrictEqual(within, body);
          assert.isNotEmpty(validate(JSON.parse(within)));
        }),
      timeout,
    );
  }
});

/** How many recorded requests, which real servers took, a schema with this loosening refuses. */
const refusedOf = (format: string, loosened: PublishedSchemas.Loosening): number => {
  const validate = PublishedSchemas.validator(format, { closed: "everywhere", loosened });
  return PublishedSchemas.acceptedRequests(format).filter((request) => validate(request).length > 0).length;
};

/** The loosening with one thing less, for each thing in it. */
const lessened = (loosened: PublishedSchemas.Loosening): ReadonlyArray<readonly [string, PublishedSchemas.Loosening]> =>
  Object.entries(loosened).flatMap(([kind, value]) => {
    const without = (key: string, members: object) =>
      Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
    return typeof value === "object"
      ? Object.keys(value).map((name) => [name, { ...loosened, [kind]: without(name, value) }] as const)
      : [[kind, without(kind, loosened)] as const];
  });

/** Requests with fields, tools or forms that the vendor has not published, and with what recorders cut out. */
const refused: Readonly<Record<string, number>> = {
  "openai-chat": 5,
  "openai-responses": 21,
  "anthropic-messages": 13,
  "gemini-generate-content": 53,
  "gemini-interactions": 2,
};

describe("what is loosened in a published schema", () => {
  for (const [format, { loosened }] of Object.entries(PublishedSchemas.published)) {
    test(
      `for ${format} lets the requests through that real servers took, and nothing in it is needless${why}`,
      () =>
        Effect.sync(() => {
          const left = refusedOf(format, loosened);
          const all = PublishedSchemas.acceptedRequests(format).length;
          console.log(`${format}: ${all} recorded requests, ${left} refused`);
          assert.isAtMost(left, refused[format] ?? 0);
          for (const [what, less] of lessened(loosened)) assert.isAbove(refusedOf(format, less), left, what);
        }),
      timeout,
    );
  }
});
