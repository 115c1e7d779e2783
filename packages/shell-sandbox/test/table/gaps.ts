/**
 * Commands that the interpreter does not run as bash does, with what bash prints. A row whose command has come to be right
 * belongs into the table.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["trap 'echo bye' EXIT; echo hi", "hi\nbye\n"],
  ["f() { echo 3; }; echo $((1 + $(f)))", "4\n"],
  ["seq 5 | paste -sd+", "1+2+3+4+5\n"],
  ["printf 'a\\0b\\0' | xargs -0 -n1 echo", "a\nb\n"],
  ["od -An -tx1 <<< A | tr -d ' '", "410a\n"],
  ["jq -c unique <<< '[3,1,3]'", "[1,3]\n"],
  ["jq -r @csv <<< '[1,\"a\"]'", '1,"a"\n'],
];
