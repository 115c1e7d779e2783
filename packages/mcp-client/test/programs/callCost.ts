/**
 * What a call through the gateway costs, as a ratio to the same call through the protocol's own client library, against
 * one loopback server in this process; pairs, warm. Exits with 1 when the median of the ratios is over 1.5.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import * as Gateway from "../support/Gateway.ts";
import * as LawServer from "../support/LawServer.ts";
import * as Loopback from "../support/Loopback.ts";
import * as Sessioned from "../support/Sessioned.ts";

const calls = 200;
const rounds = 11;

const timed = (work: () => Promise<unknown>) =>
  Effect.promise(async () => {
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    await work();
    const used = process.cpuUsage(cpu);
    return { wall: (performance.now() - wall) / calls, cpu: (used.user + used.system) / 1000 / calls };
  });

const inTurn = async (call: () => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < calls; index += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one call after the other is what is measured
    await call();
  }
};

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const measured = (era: "2026-07-28" | "2025-11-25") =>
  Effect.gen(function* () {
    const factory = LawServer.make(
      { pages: [[]], isEndless: false },
      () => undefined,
      () => "",
    );
    const { url } = yield* Loopback.serveWeb(
      era === "2026-07-28" ? createMcpHandler(factory).fetch : Sessioned.handler(factory).fetch,
    );
    const library = new Client(
      { name: "library", version: "1" },
      era === "2026-07-28" ? { versionNegotiation: { mode: { pin: era } } } : {},
    );
    yield* Effect.promise(() => library.connect(new StreamableHTTPClientTransport(new URL(url))));
    const gateway = yield* Gateway.make();
    const server = Gateway.http(url, { protocolVersion: era });
    const call = { tool: "echo", arguments: { text: "x" }, timeoutMs: 10_000 };
    const ours = () => inTurn(() => Effect.runPromise(gateway.call(server, call)));
    const theirs = () => inTurn(() => library.callTool({ name: "echo", arguments: { text: "x" } }));
    yield* timed(ours);
    yield* timed(theirs);
    const ratios = yield* Effect.forEach(Array.from({ length: rounds }), () =>
      Effect.gen(function* () {
        const [own, other] = [yield* timed(ours), yield* timed(theirs)];
        return { cpu: own.cpu / other.cpu, wall: own.wall / other.wall, own };
      }),
    );
    yield* Effect.promise(() => library.close());
    const found = {
      era,
      cpuRatio: median(ratios.map(({ cpu }) => cpu)),
      wallRatio: median(ratios.map(({ wall }) => wall)),
      wallMs: median(ratios.map(({ own }) => own.wall)),
    };
    process.stdout.write(`${JSON.stringify(found)}\n`);
    return found.wallRatio;
  }).pipe(Effect.scoped);

const worst = Math.max(...(await Effect.runPromise(Effect.forEach(["2026-07-28", "2025-11-25"] as const, measured))));
process.exit(worst > 1.5 ? 1 : 0);
