/**
 * Edits as models make them, and the files that must come of them.
 *
 * `result` is the whole file afterwards, or the code of the refusal; then the file stays as it was.
 */
export interface EditCase {
  readonly title: string;
  readonly file: string;
  readonly old: string;
  readonly next: string;
  readonly all?: boolean;
  readonly result: string;
  readonly adopted?: ReadonlyArray<string>;
}

const notFound = "workspace.patch_old_string_not_found";
const notUnique = "workspace.patch_old_string_not_unique";
const noChange = "workspace.patch_no_change";
const empty = "workspace.patch_empty_old_string";
const bom = "\ufeff";
const nbsp = "\u00a0";

type Row = readonly [
  title: string,
  file: string,
  old: string,
  next: string,
  result: string,
  ...adopted: ReadonlyArray<string>,
];

const rows: ReadonlyArray<Row> = [
  // Exact passages
  ["an exact passage", "one two three", "two", "2", "one 2 three"],
  ["an exact curly passage", "“Hi”", "“Hi”", '"Hi"', '"Hi"'],
  ["an exact passage beside one that only folds to it", '“a” "a"', '"a"', "b", "“a” b"],
  ["a whole file", "all", "all", "new", "new"],
  ["a whole file that becomes empty", "all\n", "all\n", "", ""],
  ["nothing instead of a passage", "one two", " two", "", "one"],
  ["replacement patterns of other languages", "x.y", ".", "$&$1", "x$&$1y"],
  ["trailing spaces that are part of the passage", "end  \nnext", "end  \n", "end\n", "end\nnext"],
  ["a NUL and U+2028", "a\u0000b\u2028c", "b\u2028", "B", "a\u0000Bc"],
  ["an emoji", "a 😀 b", "😀", "🙂", "a 🙂 b"],
  // Refusals
  ["an empty passage", "abc", "", "x", empty],
  ["equal texts", "abc", "b", "b", noChange],
  ["an empty file", "", "a", "b", notFound],
  ["other words", "one two", "three", "3", notFound],
  ["trailing spaces that the file has not", "end\nnext", "end  \nnext", "x", notFound],
  ["trailing spaces that only the file has", "end  \nnext", "end\nnext", "x", notFound],
  ["other letters", "Cafe", "Café", "x", notFound],
  ["other case", "Hello", "hello", "x", notFound],
  ["two exact places", "a b a", "a", "x", notUnique],
  ["overlapping exact places", "aaa", "aa", "x", notUnique],
  ["two places that only fold to the passage", "“a” and „a‟", '"a"', "x", notUnique],
  ["overlapping places that only fold to the passage", "”a”a”", '"a"', "x", notUnique],
  ["half of a letter", "e\u0301a", "\u00e9b", "x", notFound],
  ["half of an emoji", "😀", "\ud83d", "x", notFound],
  ["an edit that only undoes the file's own typography", "“Hi” there", '"Hi" there', "“Hi” there", noChange],
  ["an edit that asks for what the file says", "wait — no", "wait - no", "wait — no", noChange],
  // Quotation marks
  [
    "straight quotes for curly ones",
    "“Hi,” she said.",
    '"Hi," she said.',
    '"Hi," she whispered.',
    "“Hi,” she whispered.",
    "quotation marks",
  ],
  [
    "curly quotes for straight ones",
    '"Hi," she said.',
    "“Hi,” she said.",
    "“Hi,” she sang.",
    '"Hi," she sang.',
    "quotation marks",
  ],
  ["an apostrophe", "It’s late", "It's late", "It's early", "It’s early", "quotation marks"],
  ["a curly apostrophe for a straight one", "It's late", "It’s late", "It’s early", "It's early", "quotation marks"],
  [
    "a new quotation in the file's quotes",
    "“Yes.”",
    '"Yes."',
    '"Yes." He paused. "No."',
    "“Yes.” He paused. “No.”",
    "quotation marks",
  ],
  [
    "a new closing quote where only an opening one was",
    "“Yes, he",
    '"Yes, he',
    '"Yes," he',
    "“Yes,” he",
    "quotation marks",
  ],
  [
    "low German quotes that are kept",
    "„Ja“, sagte er",
    '"Ja", sagte er',
    '"Ja", rief er',
    "„Ja“, rief er",
    "quotation marks",
  ],
  [
    "quotes of two levels",
    "“She said ‘no’ twice.”",
    "\"She said 'no' twice.\"",
    "\"She said 'no' once.\"",
    "“She said ‘no’ once.”",
    "quotation marks",
  ],
  ["an edit that takes the quotes away", "“Hi” x", '"Hi" x', "Hi x", "Hi x", "quotation marks"],
  ["quotes outside of the passage stay", "“a” “b c”", "b c”", "b d”", "“a” “b d”"],
  // Dashes and ellipses
  ["a hyphen for an em dash", "wait — no", "wait - no", "wait - yes", "wait — yes", "dashes"],
  ["two hyphens for an em dash", "wait—no", "wait--no", "wait--yes", "wait—yes", "dashes"],
  ["an em dash for two hyphens", "wait -- no", "wait — no", "wait — yes", "wait -- yes", "dashes"],
  ["an en dash in a range", "1914–1918 ended", "1914-1918 ended", "1914-1919 ended", "1914–1919 ended", "dashes"],
  ["a Chinese double dash", "他——走了", "他—走了", "他—来了", "他——来了", "dashes"],
  [
    "a hyphen within a word beside a dash",
    "well-known — yes",
    "well-known - yes",
    "well-read - yes",
    "well-read — yes",
    "dashes",
  ],
  ["a new dash in the file's form", "a — b c", "a - b c", "a - b - c", "a — b — c", "dashes"],
  ["three dots for an ellipsis", "well… no", "well... no", "well... yes", "well… yes", "ellipses"],
  ["an ellipsis for three dots", "well... no", "well… no", "well… yes", "well... yes", "ellipses"],
  ["a Chinese double ellipsis", "他……走了", "他...走了", "他...来了", "他……来了", "ellipses"],
  // Spaces
  ["a space for a no-break space", `100${nbsp}km`, "100 km", "200 km", `200${nbsp}km`, "spaces"],
  ["a new space is a plain one", `100${nbsp}km`, "100 km", "100 km north", `100${nbsp}km north`, "spaces"],
  ["a no-break space for a space", "a b", `a${nbsp}b`, `a${nbsp}c`, "a c", "spaces"],
  [
    "a narrow space before a French mark",
    "Quoi\u202f? dit-il",
    "Quoi ? dit-il",
    "Quoi ? fit-il",
    "Quoi\u202f? fit-il",
    "spaces",
  ],
  ["a full-width space", "\u3000春天", " 春天", " 夏天", "\u3000夏天", "spaces"],
  // Width
  ["ASCII marks for Chinese ones", "你好，世界！", "你好,世界!", "你好,朋友!", "你好，朋友！", "full-width characters"],
  [
    "Chinese marks for ASCII ones",
    "ni hao, shijie!",
    "ni hao， shijie！",
    "ni hao， pengyou！",
    "ni hao, pengyou!",
    "full-width characters",
  ],
  ["an ideographic full stop", "走了。来了。", "走了.来了.", "走了.又来了.", "走了。又来了。", "full-width characters"],
  [
    "full-width digits and brackets",
    "第１２章（完）",
    "第12章(完)",
    "第12章(续)",
    "第１２章（续）",
    "full-width characters",
  ],
  [
    "ruby text with its full-width bar",
    "｜漢字《かんじ》を読む",
    "|漢字《かんじ》を読む",
    "|漢字《かんじ》を書く",
    "｜漢字《かんじ》を書く",
    "full-width characters",
  ],
  ["ruby markup", "<ruby>漢<rt>かん</rt></ruby>", "<rt>かん</rt>", "<rt>カン</rt>", "<ruby>漢<rt>カン</rt></ruby>"],
  ["corner brackets are not folded", "「はい」", '"はい"', "x", notFound],
  // Letter forms
  [
    "composed letters for decomposed ones",
    "cafe\u0301 noir",
    "caf\u00e9 noir",
    "caf\u00e9 blanc",
    "cafe\u0301 blanc",
    "letter forms",
  ],
  [
    "decomposed letters for composed ones",
    "caf\u00e9 noir",
    "cafe\u0301 noir",
    "cafe\u0301 blanc",
    "caf\u00e9 blanc",
    "letter forms",
  ],
  [
    "a new letter in the file's form",
    "cafe\u0301",
    "caf\u00e9",
    "caf\u00e9 cr\u00e8me",
    "cafe\u0301 cre\u0300me",
    "letter forms",
  ],
  ["decomposed kana", "か\u3099き", "がき", "がく", "か\u3099く", "letter forms"],
  ["decomposed hangul", "한글".normalize("NFD"), "한글", "한말", "한말".normalize("NFD"), "letter forms"],
  // Line ends and byte order marks
  ["LF for CRLF", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "one\n2", "one\r\n2\r\nthree\r\n", "line ends"],
  ["a new line in a CRLF file", "one\r\ntwo\r\n", "two", "two\nthree", "one\r\ntwo\r\nthree\r\n", "line ends"],
  ["a new line in an LF file", "one\ntwo\n", "two", "two\r\nthree", "one\ntwo\nthree\n", "line ends"],
  ["CRLF for LF", "one\ntwo\n", "one\r\ntwo", "one\r\n2", "one\n2\n", "line ends"],
  ["mixed line ends that are kept", "a\r\nb\nc\r\nd", "a\nb\nc\n", "a\nB\nc\n", "a\r\nB\nc\r\nd", "line ends"],
  ["a new line within mixed line ends", "a\r\nb\nc", "a\nb\nc", "a\nx\nb\nc", "a\r\nx\r\nb\nc", "line ends"],
  ["a passage of one kind in a file of mixed line ends", "a\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\nx\nb\r\nc\r\n"],
  ["a lone CR is a character like others", "a\rb", "a\rb", "a\rc", "a\rc"],
  ["a byte order mark that the editor does not see", `${bom}one\n`, "one", "1", `${bom}1\n`],
  ["a byte order mark that the editor repeats", `${bom}one\n`, `${bom}one`, "1", `${bom}1\n`, "byte order mark"],
  ["a byte order mark that the editor makes up", "one\n", "one", `${bom}1`, "1\n", "byte order mark"],
  // Ends of files
  ["a final line end that would be lost", "one\ntwo\n", "two\n", "2", "one\n2\n", "final line end"],
  ["a final CRLF that would be lost", "one\r\ntwo\r\n", "two\r\n", "2", "one\r\n2\r\n", "final line end"],
  ["a last line that goes with the line end before it", "one\ntwo\n", "\ntwo\n", "", "one\n", "final line end"],
  ["a last line that goes", "one\ntwo\n", "two\n", "", "one\n"],
  ["a file without a final line end", "one\ntwo", "two", "2", "one\n2"],
  ["a final line end that only the editor sees", "one\ntwo", "two\n", "2\n", "one\n2", "final line end"],
  // Several at once
  [
    "quotes, dash, ellipsis and line ends at once",
    "“Wait…” — he said.\r\nGone.\r\n",
    '"Wait..." - he said.\nGone.',
    '"Wait..." - she said.\nShe was gone.',
    "“Wait…” — she said.\r\nShe was gone.\r\n",
    "quotation marks",
    "ellipses",
    "dashes",
    "line ends",
  ],
];

const everywhere: ReadonlyArray<Row> = [
  ["every exact place", "a b a", "a", "x", "x b x"],
  ["every exact place from the left without overlap", "aaaaa", "aa", "b", "bba"],
  ["every exact place in a CRLF file", "a\r\na\r\n", "a", "a\nb", "a\r\nb\r\na\r\nb\r\n", "line ends"],
  ["every exact place and none that only folds to it", "it's it’s it's", "it's", "is", "is it’s is"],
  ["one place that only folds to it", "It’s", "It's", "It is", "It is", "quotation marks"],
  ["two places that only fold to it", "it’s it’s", "it's", "is", notUnique],
];

const caseOf =
  (all: boolean) =>
  ([title, file, old, next, result, ...adopted]: Row): EditCase => ({ title, file, old, next, all, result, adopted });

/** Every case; titles are unique. */
export const editCases: ReadonlyArray<EditCase> = [...rows.map(caseOf(false)), ...everywhere.map(caseOf(true))];
