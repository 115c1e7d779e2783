/**
 * Commands of globs and files, and what they print. The expected output is that of the real programs on the same files.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["cd skills/count; echo *", "SKILL.md scripts\n"],
  ["echo output/*.json", "output/data.json\n"],
  ["echo nomatch*", "nomatch*\n"],
  ["cd skills/count/scripts; echo *.{js,py}", "count.js words.js count.py\n"],
  ["cd skills/count/scripts; echo w?rds.js [c]ount.*", "words.js count.js count.py\n"],
  ["shopt -s nullglob; echo [nomatch*]; echo end", "\nend\n"],
  ["shopt -s globstar; echo skills/**/*.md", "skills/count/SKILL.md\n"],
  ["shopt -s extglob; cd skills/count/scripts; echo !(words).js", "", 2],
  ["find skills -name '*.js' | sort", "skills/count/scripts/count.js\nskills/count/scripts/words.js\n"],
  ["find output -type f | wc -l | tr -d ' '", "2\n"],
  ["mkdir -p output/x/y; touch output/x/y/z; find output/x | sort", "output/x\noutput/x/y\noutput/x/y/z\n"],
  [
    "cp output/main.md output/copy.md; cmp output/main.md output/copy.md 2>/dev/null; wc -l < output/copy.md | tr -d ' '",
    "3\n",
  ],
  ["mv output/main.md scratch/m; ls output scratch", "output:\ndata.json\n\nscratch:\nm\nnumbers.txt\n"],
  ["rm output/data.json; ls output", "main.md\n"],
  ["rm -r output/nope; echo $?", "1\n"],
  ["rm -f output/nope; echo $?", "0\n"],
  ["ln -s main.md output/l; cat output/l | head -1; readlink output/l", "first line\nmain.md\n"],
  ["basename /a/b.txt .txt; dirname /a/b.txt", "b\n/a\n"],
  ["mkdir output/d; rmdir output/d; ls output", "data.json\nmain.md\n"],
  ["[ -e output/main.md ] && [ ! -e output/none ] && echo ok", "ok\n"],
  ["stat -c %s output/main.md", "34\n"],
  ["chmod 600 output/main.md; stat -c %a output/main.md", "600\n"],
  ["ls -1 skills/count/scripts", "count.js\ncount.py\nwords.js\n"],
  ["cat output/none; echo $?", "1\n"],
  ["du -a output > /dev/null && echo ok", "ok\n"],
  ["touch output/{a,b,c}; ls output | tr '\\n' ' '", "a b c data.json main.md "],
];
