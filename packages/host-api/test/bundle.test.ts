import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { bundleClient } from "./support/bundle.ts";

describe("The client in a browser", () => {
  it.live("is a small script without anything of Node or of Effect", () =>
    Effect.gen(function* () {
      const { text, modules } = yield* Effect.promise(bundleClient);
      assert.isBelow(text.length, 10 * 1024, "bytes of the minified script");
      assert.deepStrictEqual(
        modules.filter((path) => !path.includes("/host-api/src/") && !path.startsWith("packages/host-api/src/")),
        [],
      );
      assert.notMatch(text, /node:|require\(/u);
    }),
  );
});
