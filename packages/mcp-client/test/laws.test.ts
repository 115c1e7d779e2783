import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServer } from "@cahier/ports/McpGateway";
import { type LawServer, laws, type McpGatewayHarness, type Pages } from "@cahier/testkit/laws/McpGatewayLaws";
import { mutants } from "@cahier/testkit/mutants/McpGatewayMutants";
import { verify, verifyMutants } from "@cahier/testkit/vitest";
import { createMcpHandler } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Gateway from "./support/Gateway.ts";
import * as LawServerOf from "./support/LawServer.ts";
import * as Loopback from "./support/Loopback.ts";
import { program } from "./support/program.ts";
import * as Reports from "./support/Reports.ts";
import * as Sessioned from "./support/Sessioned.ts";
import { isSlow } from "./support/slow.ts";

interface Wanted {
  readonly stated: LawServerOf.Stated;
  readonly allowsSampling: boolean;
  readonly secret: string | undefined;
  readonly id: string;
}

/** Starts a server of laws as a transport has it. */
type Start = (wanted: Wanted, reports: Reports.Reports) => Effect.Effect<Started, unknown, Scope.Scope>;

interface Started {
  readonly server: McpServer;
  readonly kill: Effect.Effect<void>;
}

/** What a server can say only beside its answer. */
const needsStreams = new Set(["MCP-11", "MCP-12", "MCP-13", "MCP-14"]);

/** Laws that say nothing of a server in memory: their mutants are shown nowhere else, those of the others by the testkit. */
const needsWire = new Set(["MCP-02", "MCP-03", "MCP-15"]);

const secretKey = "LAW";

const harnessOf = (start: Start, absent: McpServer) =>
  Effect.sync((): McpGatewayHarness => {
    let servers = 0;
    const serve = (wanted: Partial<Wanted>) =>
      Effect.gen(function* () {
        servers += 1;
        const reports = Reports.make();
        const whole = { stated: nothing, allowsSampling: false, secret: undefined, id: `server ${servers}`, ...wanted };
        const { server, kill } = yield* start(whole, reports);
        return {
          server,
          kill,
          received: Effect.sync(() =>
            reports.lines.filter((line) => line.startsWith("call ")).map((line) => line.slice("call ".length)),
          ),
          waiting: Effect.asVoid(reports.line("call ")),
          cancelled: Effect.asVoid(reports.line("cancelled ")),
        } satisfies LawServer;
      });
    return {
      open: Gateway.make({ secrets: { [secretKey]: "cahier-law-secret-0123456789" } }),
      absent,
      serve: (allowsSampling = false) => serve({ allowsSampling }),
      servePages: (pages: Pages) => serve({ stated: pages }),
      serveWithSecret: (secret) => serve({ secret }),
    };
  });

const nothing = { pages: [[]], isEndless: false };

const overHttp =
  (
    protocolVersion: McpServer["protocolVersion"],
    handlerOf: (factory: ReturnType<typeof LawServerOf.make>) => (request: Request) => Promise<Response>,
  ): Start =>
  (wanted, reports) =>
    Effect.gen(function* () {
      const seen = { header: "" };
      const handle = handlerOf(LawServerOf.make(wanted.stated, reports.report, () => seen.header));
      const { url, stop } = yield* Loopback.serveWeb((request) => {
        seen.header = request.headers.get("x-secret") ?? "";
        return handle(request);
      });
      const headers = wanted.secret === undefined ? {} : { "x-secret": { secret: { key: secretKey } } };
      const { id, allowsSampling } = wanted;
      return { server: Gateway.http(url, { id, allowsSampling, headers, protocolVersion }), kill: stop };
    });

const overStdio =
  (protocolVersion: McpServer["protocolVersion"]): Start =>
  (wanted, reports) =>
    Effect.gen(function* () {
      const port = yield* Reports.listen(reports);
      const environment = {
        STATED: yield* fileOf(JSON.stringify(wanted.stated)),
        REPORT: String(port),
        ...(wanted.secret === undefined ? {} : { TOKEN: { secret: { key: secretKey } } }),
      };
      const { id, allowsSampling } = wanted;
      return {
        server: program("lawServer.ts", { id, allowsSampling, environment, protocolVersion }),
        kill: Effect.map(
          reports.line("pid "),
          (line) => void process.kill(Number(line.slice("pid ".length)), "SIGKILL"),
        ),
      };
    });

/** A file with this text, removed with the scope: the environment of a process is too small for it. */
const fileOf = (text: string) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "cahier-mcp-"))),
      (made) => Effect.promise(() => rm(made, { recursive: true })),
    );
    const file = join(folder, "stated.json");
    yield* Effect.promise(() => writeFile(file, text));
    return file;
  });

const nowhere = Gateway.http("http://127.0.0.1:1/mcp");
const noProgram: McpServer = {
  ...nowhere,
  endpoint: { transport: "stdio", command: "cahier-no-such-command", arguments: [], environment: {} },
};

const modern = harnessOf(
  overHttp("auto", (factory) => createMcpHandler(factory).fetch),
  nowhere,
);

verify("McpClient over HTTP, without sessions", laws, modern);
verifyMutants(
  "McpClient",
  laws.filter(({ id }) => isSlow || needsWire.has(id)),
  mutants.filter(({ kills }) => isSlow || needsWire.has(kills)),
  modern,
);
verify(
  "McpClient over HTTP, with sessions",
  laws,
  harnessOf(
    overHttp("auto", (factory) => Sessioned.handler(factory).fetch),
    nowhere,
  ),
);
verify(
  "McpClient over HTTP, with sessions and without streams, at a stated version",
  laws.filter(({ id }) => !needsStreams.has(id)),
  harnessOf(
    overHttp("2025-06-18", (factory) => Sessioned.handler(factory, true).fetch),
    nowhere,
  ),
);
// A process for each law takes a while: see `slow.ts`.
if (isSlow) {
  verify("McpClient over stdio, in the newer protocol", laws, harnessOf(overStdio("2026-07-28"), noProgram));
  verify("McpClient over stdio, in the older protocol", laws, harnessOf(overStdio("2025-11-25"), noProgram));
}
