/**
 * Commands of words and expansions, and what they print. The expected output is that of the real programs on the same files.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["echo hello world", "hello world\n"],
  ["echo \"a  b\" 'c  d' e\\ f", "a  b c  d e f\n"],
  ["printf '%s-%d-%05.2f\\n' x 42 3.14159", "x-42-03.14\n"],
  ["x=5; echo $x ${x}y \"$x\" '$x'", "5 5y 5 $x\n"],
  ["echo ${unset:-default} ${unset:=assigned} $unset", "default assigned assigned\n"],
  ["x=hello; echo ${#x} ${x:1:3} ${x^^} ${x/l/L} ${x//l/L}", "5 ell HELLO heLlo heLLo\n"],
  ["f=a/b/c.tar.gz; echo ${f##*/} ${f%%.*} ${f#*/} ${f%.*}", "c.tar.gz a/b/c b/c.tar.gz a/b/c.tar\n"],
  ["echo {a,b,c}{1,2} {1..5} {10..0..5} {a..e}", "a1 a2 b1 b2 c1 c2 1 2 3 4 5 10 5 0 a b c d e\n"],
  ["echo $((2 + 3 * 4)) $(( (7 % 3) ** 2 )) $((0x1f)) $((5 > 3))", "14 1 31 1\n"],
  ["echo $(echo nested $(echo deep))", "nested deep\n"],
  ["echo `echo backticks`", "backticks\n"],
  ['a=(one two three); echo ${a[1]} ${#a[@]} "${a[@]:1}"', "two 3 two three\n"],
  ["declare -A m=([x]=1 [y]=2); echo ${m[x]} ${m[y]} ${#m[@]}", "1 2 2\n"],
  ['set -- a b c; echo $# $1 "$@"; shift; echo $*', "3 a a b c\nb c\n"],
  ["echo \"tab\\tno\" $'tab\\tyes'", "tab\\tno tab\tyes\n"],
  ["IFS=,; set -- $(echo a,b,c); echo $2", "b\n"],
  ["echo ~", "/\n"],
  ["x='a b'; for w in $x; do echo \"[$w]\"; done", "[a]\n[b]\n"],
  ['unset x; echo "${x+set}"; x=; echo "${x+set}"', "\nset\n"],
  ["y=abc; echo ${y: -2} ${y:0:-1}", "bc ab\n"],
  ["v=name; name=value; echo ${!v}", "value\n"],
];
