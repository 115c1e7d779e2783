import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as ReadRange from "../src/workspace/ReadRange.ts";
import * as TextLines from "../src/workspace/TextLines.ts";
import * as TextMetrics from "../src/workspace/TextMetrics.ts";
import * as Utf8 from "../src/workspace/Utf8.ts";

const characters = Arbitrary.schema(
  Schema.Literals(["a", "b", " ", "\n", "\r\n", "\r", "é", "\u0301", "字", "😀", "\u2028", "ー", "9", "한", "."]),
);
const prose = Arbitrary.map(Arbitrary.array(characters, { maxLength: 60 }), (parts) => parts.join(""));

describe("text metrics", () => {
  it.each([
    ["", 0, 0],
    ["two words", 9, 2],
    ["don't", 5, 2],
    ["第一章", 3, 3],
    ["Chapter1 第1章", 12, 4],
    ["カーテン", 4, 4],
    ["안녕 world", 8, 3],
    ["안녕".normalize("NFD"), 6, 2],
    ["café".normalize("NFD"), 5, 1],
    ["naïve—Überfluß", 14, 2],
    ["😀😀", 2, 0],
    ["𠮷野家", 3, 3],
    ["、。「」…!?", 7, 0],
    ["a\ud800b", 3, 2],
    ["привет мир", 10, 2],
    ["नमस्ते दुनिया", 13, 2],
  ])("%j has %i characters and %i words", (text, chars, words) => {
    assert.deepStrictEqual(TextMetrics.measure(text), { chars, words });
  });

  it.prop("characters are Unicode scalars", [Schema.String], ([text]) => {
    assert.strictEqual(TextMetrics.measure(text).chars, Array.from(text).length);
    assert.strictEqual(Utf8.scalarLength(text), Array.from(text).length);
  });

  it.prop("words of lines add up", [prose, prose], ([left, right]) => {
    const sum = TextMetrics.measure(left).words + TextMetrics.measure(right).words;
    assert.strictEqual(TextMetrics.measure(`${left}\n${right}`).words, sum);
  });

  it.prop("the byte length is that of the encoding", [Schema.String, prose], ([text, more]) => {
    for (const value of [text, more]) {
      const encoded = new TextEncoder().encode(value).length;
      assert.strictEqual(Utf8.byteLength(value), encoded);
      assert.strictEqual(Utf8.byteLength(`${value}${" ".repeat(1000)}`), encoded + 1000);
    }
  });

  it.prop(
    "a byte offset is found where a character begins, and only there",
    [prose, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))],
    ([text, repeats]) => {
      const long = text.repeat(repeats);
      const end = Utf8.byteLength(long);
      assert.strictEqual(Utf8.offsetOfByte(long, end), long.length);
      assert.strictEqual(Utf8.offsetOfByte(long, end + 1), undefined);
      const back = new TextDecoder("utf-8", { fatal: true });
      const encoded = new TextEncoder().encode(long);
      for (let byte = 0; byte < Math.min(end, 40); byte++) {
        const isInside = ((encoded[byte] ?? 0) & 0xc0) === 0x80;
        const expected = isInside ? undefined : back.decode(encoded.slice(0, byte)).length;
        assert.strictEqual(Utf8.offsetOfByte(long, byte), expected);
      }
    },
  );

  it("a megabyte is counted like any text", () => {
    const english = "The quick brown fox jumps over the lazy dog. ".repeat(23_000);
    const chinese = "天地玄黄，宇宙洪荒。".repeat(35_000);
    assert.deepStrictEqual(TextMetrics.measure(english), { chars: english.length, words: 9 * 23_000 });
    assert.deepStrictEqual(TextMetrics.measure(chinese), { chars: chinese.length, words: 8 * 35_000 });
  });
});

describe("text lines", () => {
  it.each([
    ["", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\nb", ["a", "b"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["\n\n", ["", ""]],
    ["a\rb", ["a\rb"]],
    ["a\u2028b\n", ["a\u2028b"]],
  ])("the lines of %j are %j", (text, expected) => {
    const lines = TextLines.make(text);
    const contents = lines.starts.map((_, index) => TextLines.content(lines, index + 1));
    assert.deepStrictEqual(contents, expected);
  });

  it.prop("the spans of all lines join to the text", [prose], ([text]) => {
    const lines = TextLines.make(text);
    const spans = lines.starts.map((_, index) => TextLines.spanOfLines(lines, index + 1, index + 1));
    assert.strictEqual(spans.map(({ start, end }) => text.slice(start, end)).join(""), text);
    assert.isTrue(spans.every(({ start, end }, index) => start < end && TextLines.lineAt(lines, start) === index + 1));
  });

  it.prop(
    "a range of characters is the same as slicing the scalars",
    [
      prose,
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70 })),
    ],
    ([text, start, length]) => {
      const { start: from, end } = TextLines.spanOfChars(text, start, length);
      const scalars = Array.from(text);
      assert.strictEqual(text.slice(from, end), scalars.slice(start, start + length).join(""));
      assert.strictEqual(TextLines.charAt(text, from), Math.min(start, scalars.length));
    },
  );

  it("numbered lines carry their numbers, also from inside a line", () => {
    const text = `${Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\r\n")}\r\n`;
    const lines = TextLines.make(text);
    const last = TextLines.numbered(lines, TextLines.spanOfLines(lines, 9, 10));
    assert.strictEqual(last, " 9\tline 9\n10\tline 10");
    assert.strictEqual(TextLines.numbered(lines, { start: 2, end: 10 }), "1\tne 1\n2\tli");
    assert.strictEqual(TextLines.numbered(lines, { start: 5, end: 5 }), "");
  });
});

describe("read range", () => {
  const text = "one 字\r\ntwo\nthree 😀\n";
  const lines = TextLines.make(text);

  const select = (request: ReadRange.ReadRequest, of: TextLines.TextLines = lines) =>
    ReadRange.select(of, request, "output/a.md");

  const codeOf = (request: ReadRange.ReadRequest, of?: TextLines.TextLines): string => {
    const result = select(request, of);
    return Result.isFailure(result) ? result.failure.code : "admitted";
  };

  it("without a range the whole file is read", () => {
    const part = Result.getOrThrow(select({}));
    assert.deepStrictEqual(part, {
      span: { start: 0, end: text.length },
      text,
      startLine: 1,
      endLine: 3,
      totalLines: 3,
      startChar: 0,
      endChar: 19,
      chars: 19,
      words: 4,
      totalChars: 19,
      totalWords: 4,
      truncated: false,
      fullRead: true,
    });
  });

  it("lines are read with their line ends and say where they lie", () => {
    const part = Result.getOrThrow(select({ startLine: 2, lineCount: 1 }));
    assert.strictEqual(part.text, "two\n");
    assert.deepStrictEqual([part.startLine, part.endLine, part.startChar, part.endChar], [2, 2, 7, 11]);
    assert.deepStrictEqual([part.truncated, part.fullRead], [true, false]);
    const rest = Result.getOrThrow(select({ startLine: 2 }));
    assert.deepStrictEqual([rest.text, rest.truncated, rest.fullRead], ["two\nthree 😀\n", false, false]);
    assert.isTrue(Result.getOrThrow(select({ lineCount: 3 })).fullRead);
  });

  it("characters are read without cutting one", () => {
    const part = Result.getOrThrow(select({ startChar: 17, maxChars: 1 }));
    assert.deepStrictEqual([part.text, part.startLine, part.endLine, part.endChar], ["😀", 3, 3, 18]);
    assert.isTrue(Result.getOrThrow(select({ startChar: 0 })).fullRead);
  });

  it("an empty file is read whole by any range that begins at its start", () => {
    for (const request of [{}, { startLine: 1 }, { startChar: 0 }]) {
      const part = Result.getOrThrow(select(request, TextLines.make("")));
      assert.deepStrictEqual([part.startLine, part.endLine, part.totalLines, part.fullRead], [1, 0, 0, true]);
    }
  });

  it("each broken range has its own code", () => {
    assert.strictEqual(codeOf({ startLine: 1, maxChars: 5 }), "workspace.mixed_read_range");
    for (const request of [
      { startLine: 0 },
      { startLine: 4 },
      { startLine: 1.5 },
      { lineCount: 0 },
      { lineCount: Number.NaN },
    ]) {
      assert.strictEqual(codeOf(request), "workspace.invalid_line_range");
    }
    assert.strictEqual(codeOf({ lineCount: 1201 }), "workspace.read_line_count_too_large");
    for (const request of [
      { startChar: -1 },
      { startChar: 19 },
      { maxChars: 0 },
      { startChar: Number.POSITIVE_INFINITY },
    ]) {
      assert.strictEqual(codeOf(request), "workspace.invalid_char_range");
    }
    assert.strictEqual(codeOf({ maxChars: 80_001 }), "workspace.read_char_count_too_large");
  });

  it("a file that is too long is read in parts only", () => {
    const long = TextLines.make("x\n".repeat(1201));
    assert.strictEqual(codeOf({}, long), "workspace.read_too_large");
    assert.strictEqual(codeOf({ lineCount: 1200 }, long), "admitted");
    const wide = TextLines.make("字".repeat(87_382));
    assert.strictEqual(codeOf({}, wide), "workspace.read_too_large");
    assert.strictEqual(codeOf({ startChar: 80_000 }, wide), "admitted");
    assert.strictEqual(codeOf({}, TextLines.make("x\n".repeat(1200))), "admitted");
  });

  it.prop(
    "consecutive parts join to the file",
    [prose, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))],
    ([content, size]) => {
      const of = TextLines.make(content);
      const total = TextMetrics.measure(content).chars;
      let joined = "";
      for (let startChar = 0; startChar < total;) {
        const part = Result.getOrThrow(select({ startChar, maxChars: size }, of));
        assert.strictEqual(part.truncated, part.endChar < total);
        joined += part.text;
        startChar = part.endChar;
      }
      assert.strictEqual(joined, content);
    },
  );
});
