/**
 * Commands of Python, and what they print.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["python3 -c 'print(1 + 1)'", "2\n"],
  ['python3 -c \'print("a", 2, sep="-", end="!\\n")\'', "a-2!\n"],
  ["python3 -c 'print([x * x for x in range(5) if x % 2])'", "[1, 9]\n"],
  ['python3 -c \'print({"b": 1, "a": 2})\'', "{'b': 1, 'a': 2}\n"],
  ["python3 -c 'print(f\"{3.14159:.2f} {42:>5}|{7:03d}\")'", "3.14    42|007\n"],
  [
    "python3 -c 'print(2 ** 100, 7 // 2, -7 // 2, 7 % 3, divmod(7, 2))'",
    "1267650600228229401496703205376 3 -4 1 (3, 1)\n",
  ],
  ["python3 -c 'a, *b = [1, 2, 3]; print(a, b)'", "1 [2, 3]\n"],
  ['python3 -c \'print(sorted(["b", "a", "C"], key=lambda s: s.lower()))\'', "['a', 'b', 'C']\n"],
  ['python3 -c \'print("Hello"[::-1], "a,b".split(","), "x".join(["1", "2"]))\'', "olleH ['a', 'b'] 1x2\n"],
  ["python3 - <<'EOF'\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(15))\nEOF", "610\n"],
  [
    "python3 - <<'EOF'\ntry:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print('caught', error)\nfinally:\n    print('finally')\nEOF",
    "caught division by zero\nfinally\n",
  ],
  ["python3 -c 'import json; print(json.dumps({\"a\": [1, None, True]}))'", '{"a": [1, null, true]}\n'],
  ['python3 -c \'import json; print(json.loads(open("output/data.json").read())["name"])\'', "Ada\n"],
  ['python3 -c \'import re; print(re.findall(r"\\d+", "a1b22"))\'', "['1', '22']\n"],
  ["python3 -c 'import math; print(math.sqrt(16), math.floor(2.7))'", "4.0 2\n"],
  ["printf '1\\n2\\n3\\n' | python3 -c 'import sys; print(sum(int(line) for line in sys.stdin))'", "6\n"],
  ["echo hi | python3 -c 'import sys; sys.stdout.write(sys.stdin.read().upper())'", "HI\n"],
  ["python3 -c 'import sys; print(sys.argv[1:])' a b", "['a', 'b']\n"],
  ["python3 -c 'import sys; sys.exit(3)'; echo $?", "3\n"],
  ["python3 -c 'raise ValueError(\"bad\")' 2>&1 | tail -1", "ValueError: bad\n"],
  ["python3 -c '1/0'; echo $?", "1\n"],
  ["python3 skills/count/scripts/count.py output/main.md", "output/main.md 6\n"],
  ["echo 'print(\"from stdin\")' | python3", "from stdin\n"],
  ["echo 'print(\"from stdin\")' | python3 - x", "from stdin\n"],
  [
    "python3 - <<'EOF'\nwith open('output/new.txt', 'w') as file:\n    file.write('one\\ntwo\\n')\nprint(open('output/new.txt').readlines())\nEOF",
    "['one\\n', 'two\\n']\n",
  ],
  [
    "python3 - <<'EOF'\nfrom pathlib import Path\nprint(Path('output/main.md').exists(), Path('output/none').exists())\nEOF",
    "True False\n",
  ],
  [
    'python3 -c \'open("skills/x", "w")\' 2>&1 | tail -1',
    "PermissionError: [Errno 30] Read-only file system: 'skills/x'\n",
  ],
  ["cd output && python3 -c 'print(open(\"data.json\").read())'", '{"name":"Ada","tags":["a","b"],"age":36}\n\n'],
  ["python3 -c 'print(input(\"name? \"))' <<< Ada", "name? Ada\n"],
  ['python3 -c \'print(len("é漢"), "é".upper(), ord("é"))\'', "2 É 233\n"],
  ["python3 -c 's = {3, 1, 2}; print(len(s), 2 in s, sorted(s | {5}))'", "3 True [1, 2, 3, 5]\n"],
  [
    'python3 -c \'print(list(zip([1, 2], "ab")), list(enumerate("ab")), any([0, 1]), all([]))\'',
    "[(1, 'a'), (2, 'b')] [(0, 'a'), (1, 'b')] True True\n",
  ],
  ["python3 -c 'x = 5\nwhile x > 3:\n    x -= 1\nelse:\n    print(\"else\", x)'", "else 3\n"],
  [
    "python3 - <<'EOF'\ndef outer():\n    count = 0\n    def inner():\n        nonlocal count\n        count += 1\n        return count\n    return inner\ncounter = outer()\ncounter()\nprint(counter())\nEOF",
    "2\n",
  ],
  ['python3 -c \'print("a" if False else "b", not True, 1 < 2 < 3, None is None)\'', "b False True True\n"],
  ["python3 -c 'print(round(2.567, 1), abs(-3), max(1, 2), min([4, 3]), sum([1, 2]))'", "2.6 3 2 3 3\n"],
  ["python nope.py; echo $?", "2\n"],
];
