/**
 * Commands of control flow, functions and exit codes, and what they print. The expected output is that of the real programs on the same files.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["if [ 1 -lt 2 ]; then echo yes; else echo no; fi", "yes\n"],
  ["for i in 1 2 3; do echo $i; done", "1\n2\n3\n"],
  ["for ((i=0; i<3; i++)); do echo -n $i; done; echo", "012\n"],
  ["i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i -eq 2 ] && continue; echo $i; done", "1\n3\n"],
  ["until false; do echo once; break; done", "once\n"],
  ["case hello in h*) echo starts;; *) echo other;; esac", "starts\n"],
  ["case b in a|b) echo ab;& c) echo c;; esac", "ab\nc\n"],
  ['f() { local x=inner; echo "$x $1"; return 3; }; x=outer; f arg; echo $? $x', "inner arg\n3 outer\n"],
  ["true && echo and || echo or", "and\n"],
  ["false || echo or", "or\n"],
  ["! false; echo $?", "0\n"],
  ["(exit 4); echo $?", "4\n"],
  ["{ echo a; echo b; } | wc -l | tr -d ' '", "2\n"],
  ["[[ abc == a* && 3 -gt 2 ]] && echo match", "match\n"],
  ["[[ foo123 =~ ([a-z]+)([0-9]+) ]] && echo ${BASH_REMATCH[2]}", "123\n"],
  ["test -f output/main.md -a -d output && echo there", "there\n"],
  ['[ -z "" ] && [ -n x ] && echo ok', "ok\n"],
  ["set -e; echo before; false; echo after", "before\n", 1],
  ["set -u; echo ${nope-fine}", "fine\n"],
  ["set -o pipefail; false | true; echo $?", "1\n"],
  ["eval 'echo eval$((1+1))'", "eval2\n"],
  ['while read -r a b; do echo "$b $a"; done <<< "x y"', "y x\n"],
  ["exit 9", "", 9],
  ["nosuchcommand; echo $?", "127\n"],
  ["printf '%s\\n' a b | while read l; do echo \"<$l>\"; done", "<a>\n<b>\n"],
  ["let x=3*4; echo $x", "12\n"],
  ["((1 > 2)) || echo false", "false\n"],
  ["select_one=1; echo ${select_one}", "1\n"],
  ["bash -c 'echo $0 $1' zero one", "zero one\n"],
  ["sh -c 'exit 5'; echo $?", "5\n"],
];
