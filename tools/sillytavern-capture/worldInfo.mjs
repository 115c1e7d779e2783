/**
 * What the page's own scan activates for generated lorebooks.
 *
 * Owns the questions to the page and the file of answers. Does not own the generator.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as capture from "./capture.mjs";
import * as lorebooks from "./lorebooks.mjs";
import * as material from "./material.mjs";

/** Scans every generated case in the page and writes `cases.jsonl`, one case a line. */
export const ask = async (tools, into) => {
  const page = await capture.open(tools, scene);
  await page.evaluate(prepare);
  const cases = Array.from({ length: count }, (_, seed) => lorebooks.generate(seed));
  const answers = [];
  for (const question of cases) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- the scans share the page's state
    answers.push({ ...question, results: await page.evaluate(scan, { question, defaults: material.entryDefaults }) });
  }
  await page.close();
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "cases.jsonl"), `${answers.map((answer) => JSON.stringify(answer)).join("\n")}\n`);
  console.log(`${answers.length} cases, ${answers.reduce((sum, { results }) => sum + results.length, 0)} scans`);
};

const count = 420;

const scene = {
  card: material.card(),
  preset: material.preset(),
  books: {},
  settings: material.settings(),
  chat: material.chat(["The door shut."]),
};

/** In the page: the tag that filters ask for. */
const prepare = () => {
  SillyTavern.getContext().tagMap["Ilse.png"] = ["tag-sea"];
};

/** In the page: the scans of one case, one after the other, with the timed effects that each leaves to the next. */
const scan = async ({ question, defaults }) => {
  const context = SillyTavern.getContext();
  const {
    checkWorldInfo,
    updateWorldInfoSettings,
    world_info: world,
    worldInfoCache,
  } = await pageModule("/scripts/world-info.js");
  const { power_user: powerUser } = await pageModule("/scripts/power-user.js");
  const { books, links, settings } = question;
  for (const [name, entries] of Object.entries(books)) {
    worldInfoCache.set(name, {
      entries: Object.fromEntries(entries.map((entry) => [entry.uid, { ...defaults, ...entry }])),
    });
  }
  updateWorldInfoSettings({ ...settings }, [...links.everywhere]);
  world.charLore = links.extra === undefined ? [] : [{ name: "Ilse", extraBooks: links.extra }];
  context.characters[0].data.extensions.world = links.card ?? "";
  powerUser.persona_description_lorebook = links.persona ?? "";
  const metadata = context.chatMetadata;
  metadata.timedWorldInfo = {};
  if (links.chat === undefined) delete metadata.world_info;
  else metadata.world_info = links.chat;
  context.setExtensionPrompt("capture", question.injected, -1, 0, true);
  const data = {
    personaDescription: "",
    characterDescription: "",
    characterPersonality: "",
    characterDepthPrompt: "",
    scenario: "",
    creatorNotes: "",
    ...question.sources,
    trigger: question.trigger,
  };
  const filled = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value.length > 0));
  const timed = (effects) =>
    Object.entries(effects).map(([key, { start, end, protected: kept }]) => [key, start, end, kept]);
  const results = [];
  const random = Math.random;
  for (const chat of question.steps) {
    const texts = chat
      .map(([name, text]) => (settings.world_info_include_names ? `${name}: ${text}` : text))
      .toReversed();
    Math.random = () => question.random;
    // oxlint-disable-next-line eslint/no-await-in-loop -- a scan leaves its timed effects to the next
    const found = await checkWorldInfo(texts, question.context, false, data);
    Math.random = random;
    results.push(
      filled({
        activated: [...found.allActivatedEntries].map((entry) => `${entry.world}.${entry.uid}`),
        before: found.worldInfoBefore,
        after: found.worldInfoAfter,
        noteTop: found.ANBeforeEntries,
        noteBottom: found.ANAfterEntries,
        examples: found.EMEntries.map(({ position, content }) => [position, content]),
        depth: found.WIDepthEntries.map(({ depth, role, entries }) => [depth, role, entries]),
        outlets: Object.entries(found.outletEntries),
        sticky: timed(metadata.timedWorldInfo.sticky),
        cooldown: timed(metadata.timedWorldInfo.cooldown),
      }),
    );
  }
  return results;
};
