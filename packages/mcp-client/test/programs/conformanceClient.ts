/**
 * The gateway as the official conformance tests start clients: the address of their server is the last argument. Asks
 * for whatever the server has, calls every tool once with arguments made from its schema, accepts every question with
 * what the question states as defaults, and ends with 1 when something of that fails.
 *
 *     conformance client --command "node --conditions=@cahier/source packages/mcp-client/test/programs/conformanceClient.ts"
 */
import type { McpAuthorization, McpHost, McpTool } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as Gateway from "../support/Gateway.ts";
import * as Person from "../support/Person.ts";

const url = process.argv.at(-1) ?? "";

/** Some scenarios state what is to be called, or what this client is registered as. */
const stated = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly toolCalls?: ReadonlyArray<Call>;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly issuer?: string;
};

const registration =
  stated.client_id === undefined
    ? undefined
    : {
        id: stated.client_id,
        ...(stated.issuer === undefined ? {} : { issuer: stated.issuer }),
        ...(stated.private_key_pem === undefined
          ? { secret: stated.client_secret ?? "" }
          : { secret: stated.private_key_pem, signedWith: stated.signing_algorithm ?? "ES256" }),
      };

const isForClient = process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/client-credentials") === true;

const authorization: McpAuthorization =
  registration !== undefined && isForClient
    ? { grant: "client", registration }
    : { grant: "person", ...(registration === undefined ? {} : { registration }) };

const server = Gateway.http(url, { allowsSampling: true, authorization });

const host: McpHost = {
  ask: () => Effect.succeed({ action: "accept", content: {} }),
  sample: () =>
    Effect.succeed({
      role: "assistant",
      content: { type: "text", text: "an answer" },
      model: "a model",
      stopReason: "endTurn",
    }),
};

const valueOf = (schema: unknown): Schema.Json => {
  if (typeof schema !== "object" || schema === null || !("type" in schema)) return "text";
  if (schema.type === "number" || schema.type === "integer") return 1;
  if (schema.type === "boolean") return true;
  if (schema.type === "array") return [];
  return schema.type === "object" ? argumentsOf(schema) : "text";
};

const argumentsOf = (schema: object): Readonly<Record<string, Schema.Json>> => {
  const properties = "properties" in schema && typeof schema.properties === "object" ? (schema.properties ?? {}) : {};
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valueOf(property)]));
};

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, Schema.Json>>;
}

/** A tool that takes a schema is given that of the first tool, as it came. */
const callsOf = (tools: ReadonlyArray<McpTool>): ReadonlyArray<Call> =>
  tools.map(({ name, inputSchema }) => {
    const given = argumentsOf(inputSchema);
    return { name, arguments: "schema" in given ? { ...given, schema: tools[0]?.inputSchema ?? {} } : given };
  });

const report = (what: string, found: unknown) =>
  Effect.sync(() => void process.stdout.write(`${what}: ${JSON.stringify(found)}\n`));

const run = Effect.gen(function* () {
  const gateway = yield* Gateway.make({
    authorizer: Person.make("https://conformance-test.local/client-metadata.json"),
  });
  const catalogue = yield* gateway.discover(server, host);
  yield* report("catalogue", catalogue);
  const outcomes = yield* Effect.forEach(stated.toolCalls ?? callsOf(catalogue.tools), (call) =>
    Effect.tap(
      gateway.call(server, { tool: call.name, arguments: call.arguments, timeoutMs: 25_000 }, host),
      (outcome) => report(call.name, outcome),
    ),
  );
  yield* report("prompts", yield* gateway.list(server, "prompts"));
  yield* report("resources", yield* gateway.list(server, "resources"));
  return outcomes.every(({ _tag }) => _tag === "Known");
}).pipe(
  Effect.scoped,
  Effect.catchTag("McpFault", (fault) => Effect.as(report("fault", fault), false)),
);

process.exit((await Effect.runPromise(run)) ? 0 : 1);
