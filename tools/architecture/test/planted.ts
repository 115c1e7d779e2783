/**
 * A small repository that breaks no rule, and for each rule the changes to it that must be noticed.
 */

const manifest = (name: string, dependencies: ReadonlyArray<string>, devDependencies: ReadonlyArray<string> = []) =>
  JSON.stringify({
    name,
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, "*"])),
    devDependencies: Object.fromEntries(devDependencies.map((dependency) => [dependency, "*"])),
  });

const port = (members: string, key = "@cahier/ports/Clock"): string =>
  `import * as Context from "effect/Context";
   export class Clock extends Context.Service<Clock, {${members}}>()("${key}") {}`;

const threeMembers = "readonly now: () => number; readonly zone: string; readonly stop: () => void";

/** Paths and texts of the clean repository. */
export const clean: Readonly<Record<string, string>> = {
  "packages/domain/package.json": manifest("@cahier/domain", ["effect"]),
  "packages/domain/src/Run.ts": `import * as Schema from "effect/Schema"; export const Run = Schema.String;`,
  "packages/domain/src/failure/FailureCode.ts": `export const failureCodes = { "run.lost": { class: "fatal" } };`,
  "packages/domain/test/Run.test.ts": `import { failureCodes } from "../src/failure/FailureCode.ts"; failureCodes["run.lost"];`,
  "packages/ports/package.json": manifest("@cahier/ports", ["effect", "@cahier/domain"]),
  "packages/ports/src/Clock.ts": port(threeMembers),
  "packages/application/package.json": manifest("@cahier/application", ["effect", "@cahier/domain", "@cahier/ports"]),
  "packages/application/src/Loop.ts": `import * as Clock from "@cahier/ports/Clock"; export const loop = Clock.Clock;`,
  "packages/testkit/package.json": manifest("@cahier/testkit", ["effect", "@cahier/ports"], ["@effect/vitest"]),
  "packages/testkit/src/laws/ClockLaws.ts": `export const laws = [];`,
  "packages/testkit/src/mutants/ClockMutants.ts": `export const mutants = [];`,
  "packages/testkit/src/vitest.ts": `import { it } from "@effect/vitest"; export const verify = it;`,
  "packages/clock-wall/package.json": manifest("@cahier/clock-wall", ["effect", "@cahier/ports"], ["@cahier/testkit"]),
  "packages/clock-wall/src/WallClock.ts": `import * as Clock from "@cahier/ports/Clock";
    import * as Layer from "effect/Layer";
    import * as Path from "node:path";
    export const layer = Layer.succeed(Clock.Clock, Path);`,
  "packages/clock-wall/test/WallClock.test.ts": `import { laws } from "@cahier/testkit/laws/ClockLaws";
    import { mutants } from "@cahier/testkit/mutants/ClockMutants"; laws; mutants;`,
  "apps/host/package.json": manifest("@cahier/host", ["effect", "@cahier/application", "@cahier/clock-wall"]),
  "examples/letters/package.json": manifest("@cahier/letters", ["@cahier/application"], ["@cahier/clock-wall"]),
  "examples/letters/src/Letter.ts": `import * as Loop from "@cahier/application/Loop"; export const letter = Loop.loop;`,
  "examples/letters/test/Letter.test.ts": `import * as WallClock from "@cahier/clock-wall/WallClock"; WallClock;`,
  "apps/host/src/main.ts": `import * as Effect from "effect/Effect"; Effect.runFork(Effect.void);`,
};

export interface Planted {
  readonly rule: string;
  readonly title: string;
  /** Files that replace or join those of the clean repository; `null` takes one away. */
  readonly files: Readonly<Record<string, string | null>>;
  /** The path at which the rule must complain. */
  readonly at: string;
}

const domain = "packages/domain/src/Planted.ts";
const ports = "packages/ports/src/Planted.ts";
const application = "packages/application/src/Planted.ts";
const adapter = "packages/clock-wall/src/Planted.ts";
const testkit = "packages/testkit/src/Planted.ts";
const example = "examples/letters/src/Planted.ts";

const refused = (title: string, at: string, specifier: string): Planted => ({
  rule: "import-table",
  title,
  files: { [at]: `import * as Planted from "${specifier}"; Planted;` },
  at,
});

const barrel = (title: string, at: string, specifier: string): Planted => ({
  ...refused(title, at, specifier),
  rule: "barrel",
});

const ambient = (title: string, at: string, expression: string): Planted => ({
  rule: "ambient",
  title,
  files: { [at]: `export const planted = () => ${expression};` },
  at,
});

const shaped = (title: string, text: string): Planted => ({
  rule: "port-shape",
  title,
  files: { "packages/ports/src/Clock.ts": text },
  at: "packages/ports/src/Clock.ts",
});

export const planted: ReadonlyArray<Planted> = [
  refused("domain imports Effect", domain, "effect/Effect"),
  refused("domain imports a family", domain, "effect/http/HttpClient"),
  refused("domain imports ports", domain, "@cahier/ports/Clock"),
  refused("domain imports node", domain, "node:crypto"),
  refused("domain imports a package that is not on the allow-list", domain, "lodash"),
  {
    rule: "import-table",
    title: "domain imports Effect only for its types",
    files: { [domain]: `import type * as Effect from "effect/Effect"; export type Planted = Effect.Effect<void>;` },
    at: domain,
  },
  {
    rule: "import-table",
    title: "domain re-exports node",
    files: { [domain]: `export { join } from "node:path";` },
    at: domain,
  },
  {
    rule: "import-table",
    title: "domain imports node dynamically",
    files: { [domain]: `export const planted = () => import("node:fs");` },
    at: domain,
  },
  refused("ports import Layer", ports, "effect/Layer"),
  refused("ports import application", ports, "@cahier/application/Loop"),
  refused("ports import node", ports, "node:fs"),
  refused("an example imports an app", example, "@cahier/host/main"),
  refused("an example's test imports an app", "examples/letters/test/Planted.test.ts", "@cahier/host/main"),
  refused("an example imports what only its tests may", example, "@cahier/clock-wall/WallClock"),
  refused("application imports an adapter", application, "@cahier/clock-wall/WallClock"),
  refused("application imports the testkit", application, "@cahier/testkit/laws/ClockLaws"),
  refused("application imports the file system service", application, "effect/FileSystem"),
  refused("application imports a family", application, "effect/sql/SqlClient"),
  refused("application imports node", application, "node:path"),
  refused("application imports a test module", application, "effect/testing/TestClock"),
  refused("the testkit imports application", testkit, "@cahier/application/Loop"),
  refused("the testkit imports an adapter", testkit, "@cahier/clock-wall/WallClock"),
  refused("the testkit imports the test runner outside its entry", testkit, "@effect/vitest"),
  refused("an adapter imports application", adapter, "@cahier/application/Loop"),
  refused("an adapter imports an undeclared package", adapter, "undici"),
  refused("an adapter's source imports the testkit", adapter, "@cahier/testkit/laws/ClockLaws"),
  {
    ...refused(
      "an adapter imports another adapter",
      "packages/clock-sun/src/SunClock.ts",
      "@cahier/clock-wall/WallClock",
    ),
    files: {
      "packages/clock-sun/package.json": manifest("@cahier/clock-sun", ["@cahier/clock-wall"]),
      "packages/clock-sun/src/SunClock.ts": `import * as WallClock from "@cahier/clock-wall/WallClock"; WallClock;`,
    },
  },
  refused("a module reaches into another package's internals", adapter, "@cahier/ports/internal/Hidden"),
  refused("a relative import leaves the package", adapter, "../../ports/src/Clock.ts"),
  refused(
    "a test imports what its package does not declare",
    "packages/domain/test/Planted.test.ts",
    "@cahier/ports/Clock",
  ),
  {
    ...refused("a browser package imports node", "packages/host-api/src/Api.ts", "node:http"),
    files: {
      "packages/host-api/package.json": manifest("@cahier/host-api", ["effect"]),
      "packages/host-api/src/Api.ts": `import * as http from "node:http"; http;`,
    },
  },

  barrel("a module imports the barrel of a package", application, "@cahier/ports"),
  barrel("a module imports an index by its path", application, "@cahier/ports/index"),
  barrel("a module imports the index beside it", application, "./index.ts"),
  barrel("a test imports the barrel of effect", "packages/ports/test/Planted.test.ts", "effect"),
  barrel("an adapter imports the barrel of a family", adapter, "effect/http"),

  {
    rule: "cycle",
    title: "two modules import each other",
    files: {
      [domain]: `import { other } from "./Other.ts"; export const planted = other;`,
      "packages/domain/src/Other.ts": `import { planted } from "./Planted.ts"; export const other = planted;`,
    },
    at: domain,
  },
  {
    rule: "cycle",
    title: "three modules import each other across packages by name",
    files: {
      "packages/ports/src/A.ts": `import { b } from "@cahier/ports/B"; export const a = b;`,
      "packages/ports/src/B.ts": `import { c } from "./C.ts"; export const b = c;`,
      "packages/ports/src/C.ts": `export { a as c } from "./A.ts";`,
    },
    at: "packages/ports/src/A.ts",
  },
  {
    rule: "cycle",
    title: "a module imports itself",
    files: { [domain]: `import * as Self from "./Planted.ts"; export const planted = Self;` },
    at: domain,
  },
  {
    rule: "cycle",
    title: "two packages depend on each other by their manifests",
    files: { "packages/domain/package.json": manifest("@cahier/domain", ["effect", "@cahier/ports"]) },
    at: "packages/domain",
  },
  {
    rule: "cycle",
    title: "two packages depend on each other by an import of types",
    files: {
      "packages/domain/src/Planted.ts": `import type { Clock } from "@cahier/ports/Clock"; export type Planted = Clock;`,
      "packages/ports/src/Other.ts": `import type { Run } from "@cahier/domain/Run"; export type Other = typeof Run;`,
    },
    at: "packages/domain",
  },

  {
    rule: "effect-run",
    title: "an adapter runs an effect",
    files: {
      [adapter]: `import * as Effect from "effect/Effect"; export const planted = Effect.runPromise(Effect.void);`,
    },
    at: adapter,
  },
  {
    rule: "effect-run",
    title: "an adapter runs an effect by a name of its own",
    files: { [adapter]: `import { runSync } from "effect/Effect"; export const planted = runSync;` },
    at: adapter,
  },
  {
    rule: "effect-run",
    title: "a test runs an effect",
    files: { "packages/domain/test/Planted.test.ts": `import * as Fx from "effect/Effect"; Fx.runForkWith({});` },
    at: "packages/domain/test/Planted.test.ts",
  },
  {
    rule: "effect-run",
    title: "an example runs an effect in another file than its main",
    files: { [example]: `import * as Effect from "effect/Effect"; Effect.runFork(Effect.void);` },
    at: example,
  },
  {
    rule: "effect-run",
    title: "a second main runs the program",
    files: {
      "apps/host/src/other.ts": `import * as NodeRuntime from "@effect/platform-node/NodeRuntime"; NodeRuntime.runMain();`,
    },
    at: "apps/host/src/other.ts",
  },

  ambient("domain reads the clock", domain, "Date.now()"),
  ambient("domain reads the clock through a date", domain, "new Date()"),
  ambient("domain asks for randomness", domain, "Math.random()"),
  ambient("domain asks for a random id", domain, "crypto.randomUUID()"),
  ambient("application reads the environment", application, "process.env"),
  ambient("application reads the environment by a string", application, `process["env"]`),
  ambient("application reads the environment through the global object", application, "globalThis.process"),
  ambient("ports print", ports, `console.log("")`),

  shaped("a port has two members", port("readonly now: () => number; readonly zone: string")),
  shaped(
    "a port has nine members",
    port(
      "abcdefghi"
        .split("")
        .map((name) => `readonly ${name}: string`)
        .join(";"),
    ),
  ),
  shaped("a port's member can be changed", port(threeMembers.replace("readonly zone", "zone"))),
  shaped("a port's member is a method", port(threeMembers.replace("readonly stop: () => void", "stop(): void"))),
  shaped("a port's member is optional", port(threeMembers.replace("zone", "zone?"))),
  shaped("a port is keyed by another name", port(threeMembers, "@cahier/ports/Watch")),
  shaped(
    "a port's shape is written as an interface with too few members",
    `import * as Context from "effect/Context";
     export interface Shape { readonly now: () => number }
     export class Clock extends Context.Service<Clock, Shape>()("@cahier/ports/Clock") {}`,
  ),
  shaped(
    "a port's shape is written elsewhere",
    `import * as Context from "effect/Context";
     import type { Shape } from "./Shape.ts";
     export class Clock extends Context.Service<Clock, Shape>()("@cahier/ports/Clock") {}`,
  ),

  {
    rule: "port-laws",
    title: "a port has no laws",
    files: { "packages/testkit/src/laws/ClockLaws.ts": null },
    at: "packages/ports/src/Clock.ts",
  },
  {
    rule: "port-laws",
    title: "a port has no mutants",
    files: { "packages/testkit/src/mutants/ClockMutants.ts": null },
    at: "packages/ports/src/Clock.ts",
  },
  {
    rule: "port-laws",
    title: "no test runs a port's mutants",
    files: {
      "packages/clock-wall/test/WallClock.test.ts": `import { laws } from "@cahier/testkit/laws/ClockLaws"; laws;`,
    },
    at: "packages/ports/src/Clock.ts",
  },
  {
    rule: "port-conformance",
    title: "an adapter that provides a port in a layer does not run its laws",
    files: { "packages/clock-wall/test/WallClock.test.ts": null },
    at: "packages/clock-wall/src/WallClock.ts",
  },
  {
    rule: "port-conformance",
    title: "an adapter that makes a port under another name does not run its laws",
    files: {
      "packages/clock-sun/package.json": manifest("@cahier/clock-sun", ["@cahier/ports"]),
      "packages/clock-sun/src/SunClock.ts": `import { Clock as Watch } from "@cahier/ports/Clock"; export const make = Watch.of({});`,
    },
    at: "packages/clock-sun/src/SunClock.ts",
  },

  {
    rule: "code-registered",
    title: "a source file states a code that the registry does not have",
    files: { [application]: `export const failure = { code: "run.forgotten", message: "" };` },
    at: application,
  },
  {
    rule: "code-tested",
    title: "no test states a code of the registry",
    files: { "packages/domain/test/Run.test.ts": `export const notTheCode = "run.lost.later";` },
    at: "packages/domain/src/failure/FailureCode.ts",
  },
  {
    rule: "code-tested",
    title: "no test states a code of one of the registry's files",
    files: {
      "packages/domain/src/failure/codes/runCodes.ts": `export const runCodes = { "run.late": { class: "host" } };`,
    },
    at: "packages/domain/src/failure/codes/runCodes.ts",
  },

  {
    rule: "size",
    title: "a source file has 401 lines",
    files: { [domain]: "export {};\n".repeat(401) },
    at: domain,
  },
  {
    rule: "size",
    title: "a test file has 701 lines",
    files: { "packages/domain/test/Planted.test.ts": "export {};\n".repeat(701) },
    at: "packages/domain/test/Planted.test.ts",
  },
  {
    rule: "name",
    title: "a folder is called shared",
    files: { "packages/domain/src/shared/Run.ts": "export {};" },
    at: "packages/domain/src/shared/Run.ts",
  },
  {
    rule: "name",
    title: "a file is called Utils",
    files: { "packages/domain/src/Utils.ts": "export {};" },
    at: "packages/domain/src/Utils.ts",
  },
  {
    rule: "name",
    title: "a test is called types",
    files: { "packages/domain/test/types.test.ts": "export {};" },
    at: "packages/domain/test/types.test.ts",
  },
  {
    rule: "name",
    title: "a package is called common",
    files: { "packages/core/package.json": manifest("@cahier/common", []) },
    at: "packages/core",
  },
  {
    rule: "name",
    title: "an export is named by its mechanism",
    files: { [adapter]: "export const ClockLive = 1;" },
    at: adapter,
  },
  { rule: "syntax", title: "a file does not parse", files: { [domain]: "export const = ;" }, at: domain },
];
