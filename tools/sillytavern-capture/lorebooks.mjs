/**
 * Seeded lorebooks and chats for the comparison with the page's own scan.
 *
 * Owns the generator: the same seed gives the same case. Does not own what the page answers.
 */

/** The case of a seed: books, links, settings and the chats to scan one after the other. */
export const generate = (seed) => {
  const random = randomOf(seed);
  const theme = themes[seed % themes.length];
  const books = booksOf(random, theme);
  return {
    seed,
    theme: theme.name,
    books,
    links: linksOf(random, Object.keys(books)),
    settings: settingsOf(random, theme),
    context: theme.budget ? random.one([200, 400, 800]) : 4000,
    trigger: random.one(["normal", "normal", "normal", "continue", "swipe"]),
    sources: random.chance(0.5) ? sources : {},
    injected: random.chance(0.1) ? random.line() : "",
    random: random.one([0.1, 0.5, 0.9]),
    steps: stepsOf(random, theme),
  };
};

const themes = [
  { name: "keys" },
  { name: "keys", logic: true },
  { name: "recursion", recursion: true },
  { name: "recursion with delays", recursion: true, delays: true },
  { name: "groups", groups: true },
  { name: "time", timed: true },
  { name: "budget", budget: true },
  { name: "minimum", minimum: true },
  { name: "filters", filters: true },
  {
    name: "everything",
    logic: true,
    recursion: true,
    delays: true,
    groups: true,
    timed: true,
    budget: true,
    minimum: true,
    filters: true,
  },
];

const words = [
  "bell",
  "Bell",
  "lamp",
  "LAMP",
  "storm",
  "harbour",
  "fog bank",
  "tide",
  "letter",
  "brass",
  "clock-maker",
  "clock",
  "ink",
  "salt",
  "oar",
  "Orm's boat",
  "gull",
  "rope",
  "stair",
  "well",
  "маяк",
  "туман",
  "灯台",
  "霧",
  "café",
  "naïve",
  "🔔",
  "R2",
];

const fillers = ["the", "was", "and", "no", "she", "heard", "under", "again", "slowly", "a", "of", "with"];

const patterns = [
  "/b[eu]ll/",
  "/LAMP/i",
  "/^the/m",
  "/tide|ink\\b/",
  "/\\x01Tomas:/",
  "/gull.*rope/s",
  "/a\\/b/",
  "/маяк/iu",
  "/(unclosed/",
  "/st(or|ai)/g",
];

const sources = {
  personaDescription: "He carries brass and rope.",
  characterDescription: "She keeps the lamp and fears no storm.",
  characterPersonality: "dry as salt",
  characterDepthPrompt: "She hums like a gull.",
  scenario: "A fog bank hides the harbour.",
  creatorNotes: "Written in ink.",
};

const booksOf = (random, theme) => {
  const names = random.chance(0.3) ? ["Coast", "Keeper", "Talk", "Self"].slice(0, random.from(2, 4)) : ["Coast"];
  const size = Math.ceil(random.from(6, theme.groups ? 14 : 11) / names.length);
  return Object.fromEntries(
    names.map((name) => [
      name,
      Array.from({ length: size }, (_, uid) => ({ uid, ...entryOf(random, theme, `${name} ${uid}`) })),
    ]),
  );
};

const entryOf = (random, theme, label) => {
  const values = { key: keysOf(random, random.from(1, 3)), content: contentOf(random, theme, label) };
  const put = (chance, name, value) => {
    if (random.chance(chance)) values[name] = value();
  };
  put(0.6, "order", () => random.one([10, 50, 50, 150, 200]));
  put(0.6, "position", () => random.one([0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 7]));
  if (values.position === 4) {
    put(0.7, "depth", () => random.from(0, 3));
    put(0.6, "role", () => random.from(0, 2));
  }
  if (values.position === 7) put(0.9, "outletName", () => random.one(["one", "two"]));
  put(0.12, "constant", () => true);
  put(0.05, "disable", () => true);
  put(0.2, "caseSensitive", () => random.chance(0.5));
  put(0.2, "matchWholeWords", () => random.chance(0.5));
  put(0.2, "scanDepth", () => random.from(0, 6));
  put(theme.logic ? 0.7 : 0.15, "keysecondary", () => keysOf(random, random.from(1, 3)));
  if (values.keysecondary !== undefined) {
    values.selectiveLogic = random.from(0, 3);
    put(0.1, "selective", () => false);
  }
  put(theme.recursion ? 0.2 : 0.05, "excludeRecursion", () => true);
  put(theme.recursion ? 0.2 : 0.05, "preventRecursion", () => true);
  put(theme.delays ? 0.4 : 0.03, "delayUntilRecursion", () => random.one([true, 1, 2, 3, 5]));
  put(theme.groups ? 0.75 : 0.05, "group", () => random.one(["a", "a", "b", "a, b", "c"]));
  if (values.group !== undefined) {
    put(0.25, "groupOverride", () => true);
    put(0.3, "groupWeight", () => random.one([0, 10, 500]));
    put(0.3, "useGroupScoring", () => random.chance(0.7));
  }
  put(theme.timed ? 0.4 : 0.03, "sticky", () => random.from(1, 4));
  put(theme.timed ? 0.35 : 0.03, "cooldown", () => random.from(1, 4));
  put(theme.timed ? 0.25 : 0.03, "delay", () => random.from(1, 6));
  put(0.08, "probability", () => random.one([0, 30, 60, 100]));
  if (values.probability !== undefined) put(0.2, "useProbability", () => false);
  put(theme.budget ? 0.2 : 0.02, "ignoreBudget", () => true);
  if (theme.filters) {
    put(0.25, "characterFilter", () => ({
      isExclude: random.chance(0.5),
      names: random.one([[], ["Ilse"], ["Orm"], ["Orm", "Ilse"]]),
      tags: random.one([[], ["tag-sea"], ["tag-land"]]),
    }));
    put(0.25, "triggers", () => random.one([["normal"], ["continue", "swipe"], ["quiet"]]));
    for (const flag of flags) put(0.2, flag, () => true);
  }
  return values;
};

const flags = [
  "matchPersonaDescription",
  "matchCharacterDescription",
  "matchCharacterPersonality",
  "matchCharacterDepthPrompt",
  "matchScenario",
  "matchCreatorNotes",
];

const keysOf = (random, count) =>
  Array.from({ length: count }, () => {
    if (random.chance(0.12)) return random.one(patterns);
    if (random.chance(0.03)) return random.one(["{{user}}", "{{char}}", "", " salt "]);
    return random.one(words);
  });

const contentOf = (random, theme, label) => {
  const decorator = theme.filters && random.chance(0.2) ? random.one(decorators) : "";
  const text = random.chance(0.03) ? "" : `[${label}] ${random.line()}`;
  return `${decorator}${theme.budget ? `${text} ${random.line()} ${random.line()}` : text}${random.chance(0.05) ? " {{char}}" : ""}`;
};

const decorators = [
  "@@activate\n",
  "@@dont_activate\n",
  "@@@activate\n",
  "@@other\n@@@activate\n",
  "@@activate\n@@dont_activate\n",
];

const linksOf = (random, names) => {
  const [first, ...others] = names;
  const [second, third, fourth] = others;
  return {
    everywhere: second !== undefined && random.chance(0.2) ? [first, second] : [first],
    ...(second === undefined ? {} : { card: second }),
    ...(third === undefined ? {} : random.chance(0.3) ? { extra: [third] } : { chat: third }),
    ...(fourth === undefined ? {} : { persona: fourth }),
  };
};

const settingsOf = (random, theme) => ({
  world_info_depth: random.one([0, 1, 2, 2, 3, 5]),
  world_info_min_activations: theme.minimum ? random.from(1, 6) : 0,
  world_info_min_activations_depth_max: theme.minimum ? random.one([0, 0, 2, 4]) : 0,
  world_info_budget: theme.budget ? random.one([10, 25, 50]) : 100,
  world_info_budget_cap: theme.budget ? random.one([0, 0, 60, 120]) : 0,
  world_info_include_names: random.chance(0.7),
  world_info_recursive: theme.recursion ? random.chance(0.9) : random.chance(0.4),
  world_info_overflow_alert: false,
  world_info_case_sensitive: random.chance(0.3),
  world_info_match_whole_words: random.chance(0.6),
  world_info_character_strategy: random.from(0, 2),
  world_info_use_group_scoring: random.chance(0.3),
  world_info_max_recursion_steps: random.chance(0.15) ? random.from(1, 3) : 0,
});

const stepsOf = (random, theme) => {
  const speak = (index) => [index % 2 === 0 ? "Ilse" : "Tomas", random.line()];
  const chat = Array.from({ length: random.from(1, 7) }, (_, index) => speak(index));
  const steps = [chat];
  for (let step = theme.timed ? random.from(3, 5) : 1; step > 1; step -= 1) {
    const before = steps.at(-1);
    const kept = random.chance(0.15) ? before.slice(0, -1) : before;
    const added = random.chance(0.15) ? 0 : random.from(1, 2);
    steps.push([...kept, ...Array.from({ length: added }, (_, index) => speak(kept.length + index))]);
  }
  return steps.filter(({ length }) => length > 0);
};

/** Numbers of a seed: a 32-bit counter, mixed. */
const randomOf = (seed) => {
  const state = { value: Math.imul(seed + 1, 0x9e3779b1) >>> 0 };
  const next = () => {
    state.value = (state.value + 0x6d2b79f5) >>> 0;
    const first = Math.imul(state.value ^ (state.value >>> 15), state.value | 1);
    const second = first ^ (first + Math.imul(first ^ (first >>> 7), first | 61));
    return ((second ^ (second >>> 14)) >>> 0) / 4294967296;
  };
  const from = (low, high) => low + Math.floor(next() * (high - low + 1));
  const one = (values) => values[from(0, values.length - 1)];
  const chance = (share) => next() < share;
  const line = () =>
    Array.from({ length: from(3, 8) }, () => (chance(0.45) ? one(words) : one(fillers))).join(" ") +
    one([".", "!", "?", "…", ""]);
  return { from, one, chance, line };
};
