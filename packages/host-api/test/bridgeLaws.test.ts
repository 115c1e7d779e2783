import { ToolId } from "@cahier/domain/tool/ToolId";
import type { ExtensionFault, ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as LawExtension from "@cahier/testkit/doubles/LawExtension";
import * as MemoryExtensionTools from "@cahier/testkit/doubles/MemoryExtensionTools";
import { laws, type ToolSourceHarness } from "@cahier/testkit/laws/ToolSourceLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import * as Host from "./support/Host.ts";

const makeHarness = Effect.gen(function* () {
  const memory = MemoryExtensionTools.make();
  const host = yield* Host.make(memory);
  const client = host.connect();
  const run = yield* FiberSet.makeRuntimePromise();

  /** What is registered here goes the way over the bridge. */
  const register: ExtensionTools["Service"]["register"] = (tool, answer) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(() =>
          client.register(tool, (given, { signal, ...call }) =>
            run(Effect.mapError(answer(JSON.parse(JSON.stringify(given)), contextOf(call)), asError), { signal }),
          ),
        ),
        ({ unregister }) => Effect.promise(unregister),
      ),
      ({ toolId }) => ToolId.make(toolId),
    );

  const harness: ToolSourceHarness = {
    ...LawExtension.make({ register, source: memory.source }),
    lose: Effect.sync(host.cut),
  };
  return harness;
});

verify("A source over the bridge", laws, makeHarness);

/** A function of a page says why it failed by an error. */
const asError = ({ detail }: ExtensionFault): Error => new Error(detail);

const contextOf = (call: object): Parameters<Parameters<ExtensionTools["Service"]["register"]>[1]>[1] =>
  JSON.parse(JSON.stringify(call));
