/**
 * A table of commands with what they print.
 */
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { request } from "./Requests.ts";
import * as SharedShell from "./SharedShell.ts";
import * as control from "./table/control.ts";
import * as files from "./table/files.ts";
import * as gaps from "./table/gaps.ts";
import * as javascript from "./table/javascript.ts";
import * as jq from "./table/jq.ts";
import * as python from "./table/python.ts";
import * as redirections from "./table/redirections.ts";
import type { Row } from "./table/Row.ts";
import * as text from "./table/text.ts";
import * as words from "./table/words.ts";

const shared = SharedShell.make();

const topics: Readonly<Record<string, ReadonlyArray<Row>>> = {
  "words and expansions": words.rows,
  "control flow, functions and exit codes": control.rows,
  "redirections and pipes": redirections.rows,
  "globs and files": files.rows,
  "commands over text": text.rows,
  jq: jq.rows,
  Python: python.rows,
  JavaScript: javascript.rows,
};

const printed = Effect.fnUntraced(function* (command: string) {
  const shell = yield* shared.open;
  const { exitCode, output } = yield* shell.run(request(command));
  return { command, output: output.text, exitCode };
});

describe("commands print what they should", () => {
  for (const [topic, rows] of Object.entries(topics)) {
    it.live(
      `${topic}: ${rows.length} commands`,
      () =>
        Effect.gen(function* () {
          const expected = rows.map(([command, output, exitCode = 0]) => ({ command, output, exitCode }));
          const found = yield* Effect.forEach(rows, ([command]) => printed(command), { concurrency: 2 });
          assert.deepStrictEqual(found, expected);
        }),
      30_000,
    );
  }

  it("the table has at least 150 commands", () => {
    assert.isAtLeast(Object.values(topics).flat().length, 150);
  });

  it.live("what the interpreter is known to do otherwise it still does otherwise", () =>
    Effect.gen(function* () {
      const found = yield* Effect.forEach(gaps.rows, ([command]) => printed(command));
      const right = found.filter(({ output }, index) => output === gaps.rows[index]?.[1]);
      assert.deepStrictEqual(right, []);
    }),
  );
});

it.live("the processes end with the table", () => shared.close);
