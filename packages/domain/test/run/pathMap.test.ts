import { assert, describe, it } from "@effect/vitest";
import * as PathMap from "@cahier/domain/run/PathMap";
import * as Schema from "effect/Schema";
import * as Arbitrary from "effect/Arbitrary";

const steps = Arbitrary.schema(
  Schema.Array(
    Schema.Tuple([Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })), Schema.NullOr(Schema.Int)]),
  ).check(Schema.isMaxLength(200)),
);

describe("PathMap", () => {
  it.prop(
    "holds what an object holds that was given and rid of the same, and every earlier map stays as it was",
    [steps],
    ([given]) => {
      let [map, plain]: [PathMap.PathMap<number>, { [path: string]: number }] = [PathMap.empty, {}];
      const earlier: Array<readonly [PathMap.PathMap<number>, object]> = [];
      for (const [number, value] of given) {
        const path = `output/${number}.md`;
        const { [path]: _removed, ...rest } = plain;
        [map, plain] =
          value === null
            ? [PathMap.remove(map, path), rest]
            : [PathMap.set(map, path, value), { ...plain, [path]: value }];
        earlier.push([map, plain]);
      }
      for (const [known, expected] of earlier) assert.deepStrictEqual(PathMap.toRecord(known), expected);
      assert.sameMembers([...PathMap.paths(map)], Object.keys(plain));
      assert.sameMembers([...PathMap.values(map)], Object.values(plain));
      for (const path of Object.keys(plain)) assert.strictEqual(PathMap.get(map, path), plain[path]);
      assert.isUndefined(PathMap.get(map, "output/none.md"));
    },
  );

  it("is the same map when nothing is removed", () => {
    const map = PathMap.set(PathMap.of({ "output/a.md": 1 }), "output/b.md", 2);
    assert.strictEqual(PathMap.remove(map, "output/c.md"), map);
    const without = PathMap.remove(map, "output/a.md");
    assert.strictEqual(PathMap.remove(without, "output/a.md"), without);
    assert.deepStrictEqual(PathMap.toRecord(without), { "output/b.md": 2 });
  });

  it("copies a small part of itself with each entry", () => {
    let map: PathMap.PathMap<number> = PathMap.empty;
    let settled = 0;
    for (let number = 0; number < 10_000; number += 1) {
      const next = PathMap.set(map, `output/${number}.md`, number);
      if (next.settled !== map.settled) settled += 1;
      assert.isAtMost(next.recent.size, 101);
      map = next;
    }
    assert.isAtMost(settled, 400);
    for (let number = 0; number < 10_000; number += 1) map = PathMap.remove(map, `output/${number}.md`);
    assert.isEmpty(PathMap.paths(map));
  });
});
