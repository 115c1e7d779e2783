import { assert, describe, it } from "@effect/vitest";
import { ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Effect from "effect/Effect";
import * as LawExtension from "../src/doubles/LawExtension.ts";
import * as MemoryExtensionTools from "../src/doubles/MemoryExtensionTools.ts";
import { laws as extensionLaws } from "../src/laws/ExtensionToolsLaws.ts";
import { laws as sourceLaws } from "../src/laws/ToolSourceLaws.ts";
import { mutants as extensionMutants } from "../src/mutants/ExtensionToolsMutants.ts";
import { mutants as sourceMutants } from "../src/mutants/ToolSourceMutants.ts";
import { verify, verifyMutants } from "../src/vitest.ts";

const makeExtensions = Effect.sync(() => ({ open: Effect.sync(MemoryExtensionTools.make) }));

verify("MemoryExtensionTools", extensionLaws, makeExtensions);
verifyMutants("MemoryExtensionTools", extensionLaws, extensionMutants, makeExtensions);

const makeSource = Effect.sync(() => LawExtension.make(MemoryExtensionTools.make()));

verify("The source of MemoryExtensionTools", sourceLaws, makeSource);
verifyMutants("The source of MemoryExtensionTools", sourceLaws, sourceMutants, makeSource);

describe("MemoryExtensionTools", () => {
  it.effect("is a layer in which nothing is registered", () =>
    Effect.gen(function* () {
      const tools = yield* ExtensionTools;
      assert.deepStrictEqual(yield* tools.list, []);
    }).pipe(Effect.provide(MemoryExtensionTools.layer)),
  );
});
