import { assert, describe, it } from "@effect/vitest";
import { EventMold } from "../src/internal/EventMold.ts";
import * as jsonText from "../src/internal/jsonText.ts";
import { dice } from "./support/dice.ts";

const paths = [
  ["delta", "text"],
  ["choices", 0, "delta", "content"],
] as const;

/** What a mold reads of each event, as it is when it is read. */
const readAll = (events: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const mold = new EventMold(paths);
  return events.map((event) => structuredClone(mold.read(event)));
};

const parseAll = (events: ReadonlyArray<string>): ReadonlyArray<unknown> => events.map(jsonText.parse);

const delta = (text: string, rest = ""): string => `{"index":0,"delta":{"type":"text_delta","text":${text}}${rest}}`;

describe("an event of a stream that is like one before it", () => {
  it("is read without being parsed again", () => {
    const mold = new EventMold(paths);
    const first = mold.read(delta('"a b"'));
    assert.strictEqual(mold.read(delta('"c"')), first);
    assert.deepStrictEqual(first, { index: 0, delta: { type: "text_delta", text: "c" } });
    assert.strictEqual(mold.read(delta('"d"', "    ")), first, "blanks between the brackets");
    assert.strictEqual(mold.read(delta(String.raw`"\"\u0041\n"`)), first, "an escape");
    assert.deepNestedInclude(first, { "delta.text": '"A\n' });
  });

  it("is the same value as when it is parsed, and broken where it is broken", () => {
    const texts = [
      '"plain"',
      '""',
      '" "',
      String.raw`"\\"`,
      String.raw`"\""`,
      String.raw`"\"`,
      '"a"b"',
      '"a" "b"',
      '"line\nbreak"',
      '"tab\t"',
      '"世🙂"',
      String.raw`"\ud83d\ude42"`,
      String.raw`"\x"`,
      '"}}"',
      '"}"},"delta":{"text":"x"',
      '"x","text":"y"',
      '"x","more":"y"',
      "null",
      "1",
      "",
      '"text"',
      '"text_delta"',
      '"index',
    ];
    const cases = texts.flatMap((first) => texts.map((second) => [delta(first), delta(second), delta('"end"')]));
    const endings = [" ", "}", " }", "]", ' ,"index":1', ',"index":1', "  \n", "x"].map((rest) => [
      delta('"a"'),
      delta('"b"', rest),
      delta('"c"', rest),
      delta('"d"'),
    ]);
    for (const events of [...cases, ...endings]) assert.deepStrictEqual(readAll(events), parseAll(events));
  });

  it.each([
    [['{"delta":{"text":"delta"}}', '{"other":{"text":"delta"}}', '{"delta":{"text":"other"}}']],
    [[String.raw`{"a":"x","delta":{"text":"\u0078"}}`, String.raw`{"a":"y","delta":{"text":"\u0078"}}`]],
    [['{"delta":{"text":"a","text":"b"}}', '{"delta":{"text":"c","text":"b"}}', '{"delta":{"text":"a","text":"d"}}']],
  ])("is told from one in which the text of before stands elsewhere: %j", (events) => {
    assert.deepStrictEqual(readAll(events), parseAll(events));
  });

  it("is found again after other events, but not looked for where no two are alike", () => {
    const other = '{"choices":[{"delta":{"content":"x y"}}]}';
    const events = [delta('"a"'), '{"type":"ping"}', delta('"b"'), other, delta('"c"'), other.replace("x", "z")];
    assert.deepStrictEqual(readAll(events), parseAll(events));
    const mold = new EventMold(paths);
    const counted = Array.from({ length: 30 }, (_, index) => delta('"a"', `,"sequence_number":${index}`));
    for (const event of counted) mold.read(event);
    assert.notStrictEqual(mold.read(delta('"b"')), mold.read(delta('"c"')));
  });

  it("is read as it is parsed, whatever comes", () => {
    for (let seed = 0; seed < 4000; seed += 1) {
      const { below, of } = dice(seed);
      const text = () =>
        Array.from({ length: below(5) }, () => of(['"', "\\", "}", "{", ",", ":", " ", "a", "u", "\n"])).join("");
      const event = () => {
        const [one, other] = [text(), text()];
        return of([
          delta(JSON.stringify(one)),
          delta(`"${one}"`),
          delta(JSON.stringify(one), other),
          JSON.stringify({ delta: { [one]: other, text: other }, one }),
        ]);
      };
      const events = Array.from({ length: 6 }, event);
      assert.deepStrictEqual(readAll(events), parseAll(events), JSON.stringify(events));
    }
  });
});
