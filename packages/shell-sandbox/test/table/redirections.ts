/**
 * Commands of redirections and pipes, and what they print. The expected output is that of the real programs on the same files.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["echo x > output/a; cat output/a", "x\n"],
  ["echo 1 > output/a; echo 2 >> output/a; cat output/a", "1\n2\n"],
  ["cat < output/main.md | head -n 1", "first line\n"],
  ["cat <<EOF\nplain $((1+1))\nEOF", "plain 2\n"],
  ["cat <<'EOF'\nraw $((1+1))\nEOF", "raw $((1+1))\n"],
  ["cat <<-EOF\n\tindented\n\tEOF", "indented\n"],
  ['cat <<< "here string"', "here string\n"],
  ["ls nope 2>/dev/null; echo $?", "2\n"],
  ["echo err >&2 2>/dev/null", ""],
  ["{ echo out; echo err >&2; } 2>&1 | sort", "err\nout\n"],
  ["echo both &> output/b; cat output/b", "both\n"],
  ["cat output/main.md | grep second | tr a-z A-Z", "SECOND LINE\n"],
  ["sort scratch/numbers.txt", "1\n10\n2\n3\n"],
  ["sort -n scratch/numbers.txt | tail -1", "10\n"],
  ["exec 3> output/fd; echo three >&3; exec 3>&-; cat output/fd", "three\n"],
  ["diff <(echo a) <(echo a) && echo same", "same\n"],
  ["echo abc | tee output/t | rev; cat output/t", "cba\nabc\n"],
  ["set -o noclobber; echo a > output/n; echo b > output/n; echo $?; cat output/n", "1\na\n"],
  [": > output/empty; [ -s output/empty ] || echo empty", "empty\n"],
  ["echo a b c | xargs -n 1 echo item", "item a\nitem b\nitem c\n"],
  ["yes_or() { echo y; }; yes_or | cat -", "y\n"],
  ["true | false | true; echo ${PIPESTATUS[@]}", "0 1 0\n"],
];
