/**
 * Chats with every spelling that JSON allows, from a seed: the same seed gives the same chat.
 */

/** Numbers in [0, 1) from a seed. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

/** A chat whose last message is the assistant's. */
export const chat = (seed: number): string => {
  const random = randomOf(seed);
  const lineEnd = random() < 0.5 ? "\n" : "\r\n";
  const header = object(random, [
    [
      "chat_metadata",
      object(random, [["integrity", string(random, `chat-${seed}`)], ["tainted", "true"], ...odd(random)]),
    ],
    ["user_name", '"unused"'],
    ["character_name", '"unused"'],
  ]);
  const count = 1 + Math.floor(random() * 4);
  const lines = Array.from({ length: count }, (_, at) => message(random, (count - at) % 2 === 0));
  return [header, ...lines].join(lineEnd) + (random() < 0.5 ? lineEnd : "");
};

/** Any JSON value, spelled at random. */
export const value = (random: () => number, depth: number): string => {
  const kind = Math.floor(random() * (depth > 0 ? 6 : 4));
  if (kind === 0) return pick(random, ["12345678901234567890", "1.0", "1E+2", "-0", "0.10", "3"]);
  if (kind === 1) return pick(random, ["null", "true", "false"]);
  if (kind < 4) return string(random, words(random));
  if (kind === 4)
    return array(
      random,
      Array.from({ length: Math.floor(random() * 3) }, () => value(random, depth - 1)),
    );
  return object(random, odd(random));
};

const message = (random: () => number, isUser: boolean): string => {
  const text = string(random, words(random));
  const extra = object(random, odd(random));
  const members: Array<readonly [string, string]> = [
    ["name", isUser ? '"Mira"' : '"Orla"'],
    ["is_user", String(isUser)],
    ["is_system", "false"],
    ["send_date", string(random, "2026-11-30T01:00:00.000Z")],
    ["mes", text],
    ["extra", extra],
    ...odd(random),
  ];
  const kind = isUser ? 0 : random();
  if (kind > 0.3) {
    const swipes = Array.from({ length: 1 + Math.floor(random() * 3) }, () => string(random, words(random)));
    const shown = Math.floor(random() * swipes.length);
    const isEdited = random() < 0.3;
    const info = (at: number): string =>
      object(random, [
        ["send_date", '"2026-11-30T01:00:00.000Z"'],
        ["extra", at === shown && !isEdited ? extra : object(random, odd(random))],
        ...odd(random),
      ]);
    members.push(
      [
        "swipes",
        array(
          random,
          swipes.map((swipe, at) => (at === shown && !isEdited ? text : swipe)),
        ),
      ],
      ["swipe_id", String(shown)],
    );
    // Older programs wrote swipes without their details.
    if (kind > 0.5)
      members.push([
        "swipe_info",
        array(
          random,
          swipes.map((_, at) => info(at)),
        ),
      ]);
    if (random() < 0.5) members.push(["gen_started", '"2026-11-30T00:59:59.000Z"']);
  }
  return object(random, shuffled(random, members));
};

const odd = (random: () => number): ReadonlyArray<readonly [string, string]> =>
  Array.from({ length: Math.floor(random() * 3) }, (_, at) => [`odd${at}`, value(random, 2)] as const);

const object = (random: () => number, members: ReadonlyArray<readonly [string, string]>): string =>
  `{${space(random)}${members
    .map(([key, text]) => `${string(random, key)}${space(random)}:${space(random)}${text}${space(random)}`)
    .join(`,${space(random)}`)}}`;

const array = (random: () => number, elements: ReadonlyArray<string>): string =>
  `[${space(random)}${elements.map((element) => element + space(random)).join(`,${space(random)}`)}]`;

const string = (random: () => number, text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => character(random, text.charAt(at))).join("")}"`;

const character = (random: () => number, unit: string): string => {
  const code = unit.charCodeAt(0);
  const mustEscape = unit === '"' || unit === "\\" || code < 0x20 || (code >= 0xd800 && code <= 0xdfff);
  if (unit === "/" && random() < 0.5) return "\\/";
  return mustEscape || random() < 0.1 ? `\\u${code.toString(16).padStart(4, "0")}` : unit;
};

const words = (random: () => number): string =>
  Array.from({ length: Math.floor(random() * 5) }, () =>
    pick(random, ['say "no"', "a\\b", "{[", "]}", "été", "你好", "\u2028", "line\nbreak", "😀", "and/or", ",", ":"]),
  ).join(" ");

const space = (random: () => number): string => pick(random, ["", "", "", " ", "\t", "  "]);

const pick = (random: () => number, choices: ReadonlyArray<string>): string =>
  choices[Math.floor(random() * choices.length)] ?? "";

const shuffled = <A>(random: () => number, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => ({ item, order: random() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ item }) => item);
