/**
 * What SillyTavern sends for a case: the files are laid out as a user has them, the page is opened, the model is asked.
 *
 * Owns the layout of the data folder and the recorded answer. Does not own the cases.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as card from "./card.mjs";
import * as provider from "./provider.mjs";

/** Captures one case and writes its folder anew: the inputs as files and `expected.json`. */
export const capture = async ({ server, browser, endpoint, base, into }, prompt) => {
  endpoint.begin(prompt.turns.map(({ reply }) => reply));
  const page = await open({ server, browser, endpoint, base }, prompt);
  const requests = [];
  for (const turn of prompt.turns) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- a turn follows the answer of the one before
    const recorded = await page.evaluate(ask, { send: turn.send ?? null });
    requests.push(answerOf(recorded, endpoint.requests().at(-1)));
  }
  if (endpoint.requests().length !== prompt.turns.length) {
    throw new Error(`${prompt.name}: ${endpoint.requests().length} requests for ${prompt.turns.length} turns.`);
  }
  const facts = await page.evaluate(describe);
  await page.close();
  writeCase(join(into, prompt.name), prompt, { ...facts, requests }, importedBooks(server.data, prompt));
};

/** A page with the case's chat open, from files laid out anew. */
export const open = async ({ server, browser, endpoint, base }, prompt) => {
  layOut(server.data, base, endpoint, prompt);
  const page = await browser.open();
  await page.evaluate(openChat, presetName);
  if (prompt.importBook === true) {
    await page.evaluate(importBook);
    await page.waitForFunction(() => SillyTavern.getContext().characters[0].data.extensions.world !== "");
  }
  return page;
};

/** The settings of a new installation, which a case changes: SillyTavern's own, never written into a fixture. */
export const baseOf = (folder) =>
  JSON.parse(readFileSync(join(folder, "node_modules/sillytavern/default/content/settings.json"), "utf8"));

const presetName = "capture";

const chatName = "capture";

const layOut = (data, base, endpoint, prompt) => {
  for (const folder of ["characters", "chats", "worlds"]) rmSync(join(data, folder), { recursive: true, force: true });
  const name = prompt.card.data.name;
  for (const folder of ["characters", "worlds", "User Avatars", `chats/${name}`]) {
    mkdirSync(join(data, folder), { recursive: true });
  }
  writeFileSync(join(data, "characters", `${name}.png`), card.pictureOf(prompt.card, chatName));
  writeFileSync(join(data, "User Avatars", "tomas.png"), card.pixel());
  writeFileSync(join(data, "chats", name, `${chatName}.jsonl`), lines(prompt.chat));
  writeFileSync(join(data, "OpenAI Settings", `${presetName}.json`), json(prompt.preset));
  writeBooks(join(data, "worlds"), prompt.books);
  writeFileSync(join(data, "settings.json"), json(settingsOf(base, endpoint, prompt.settings)));
};

const settingsOf = (base, endpoint, settings) => {
  const persona = settings.power_user.persona_descriptions[settings.user_avatar];
  return {
    ...base,
    firstRun: false,
    main_api: "openai",
    username: settings.username,
    user_avatar: settings.user_avatar,
    world_info_settings: { ...base.world_info_settings, ...settings.world_info_settings },
    power_user: {
      ...base.power_user,
      auto_connect: true,
      world_import_dialog: false,
      ...settings.power_user,
      persona_description: persona.description,
      persona_description_position: persona.position,
      persona_description_depth: persona.depth,
      persona_description_role: persona.role,
      persona_description_lorebook: persona.lorebook,
    },
    extension_settings: {
      ...base.extension_settings,
      note: { ...base.extension_settings.note, ...settings.extension_settings.note },
    },
    oai_settings: {
      ...base.oai_settings,
      chat_completion_source: "custom",
      custom_url: endpoint.address,
      custom_model: provider.model,
    },
  };
};

/** In the page: opens the case's chat with the case's preset, and listens. */
const openChat = async (preset) => {
  const context = SillyTavern.getContext();
  const { eventSource, eventTypes } = context;
  const { openai_setting_names: names } = await pageModule("/scripts/openai.js");
  const changed = new Promise((resolve) => eventSource.once(eventTypes.OAI_PRESET_CHANGED_AFTER, resolve));
  document.querySelector("#settings_preset_openai").value = String(names[preset]);
  globalThis.jQuery("#settings_preset_openai").trigger("change");
  await changed;
  await context.selectCharacterById(0);
  globalThis.captured = { activated: [], parts: [] };
  eventSource.on(eventTypes.WORLD_INFO_ACTIVATED, (entries) => {
    globalThis.captured.activated = entries.map(({ world, uid }) => ({ world, uid }));
  });
  const { promptManager } = await pageModule("/scripts/openai.js");
  eventSource.on(eventTypes.CHAT_COMPLETION_PROMPT_READY, ({ dryRun }) => {
    if (dryRun) return;
    const flat = (item) => (Array.isArray(item.collection) ? item.collection.flatMap(flat) : [item]);
    const parts = promptManager.messages.collection.flatMap(flat).filter((part) => part.content);
    globalThis.captured.parts = parts.map(({ identifier, tokens }) => [identifier, tokens]);
  });
};

/** In the page: makes a lorebook of the book in the card and links it, as the menu of the card's editor does. */
const importBook = async () => {
  const { select_selected_character: select } = await pageModule("/script.js");
  const { charUpdatePrimaryWorld, importEmbeddedWorldInfo } = await pageModule("/scripts/world-info.js");
  select(0);
  globalThis.jQuery("#import_character_info").data("chid", 0);
  await importEmbeddedWorldInfo(true);
  await charUpdatePrimaryWorld(SillyTavern.getContext().characters[0].data.character_book.name);
};

/** In the page: sends the user's text, if there is one, asks for the character's answer, and tells what was activated. */
const ask = async ({ send }) => {
  const context = SillyTavern.getContext();
  globalThis.captured = { activated: [], parts: [] };
  const run = async (command) => {
    const result = await context.executeSlashCommandsWithOptions(command, { handleExecutionErrors: false });
    if (result?.isError) throw new Error(result.errorMessage);
  };
  if (send !== null) await run(`/send ${send}`);
  await run("/trigger await=true");
  const { timedWorldInfo, variables } = context.chatMetadata;
  return { ...globalThis.captured, timedWorldInfo, variables };
};

/** In the page: which tokenizer counted, and the sizes that the budget is made of. */
const describe = async () => {
  const { oai_settings: settings } = await pageModule("/scripts/openai.js");
  const { getTokenizerModel } = await pageModule("/scripts/tokenizers.js");
  return {
    tokenizer: getTokenizerModel(),
    context: settings.openai_max_context,
    response: settings.openai_max_tokens,
  };
};

const answerOf = ({ activated, parts, timedWorldInfo, variables }, request) => ({
  messages: request.messages,
  parts: parts.length === request.messages.length ? parts : [],
  activated,
  ...(timedWorldInfo === undefined || isEmpty(timedWorldInfo) ? {} : { timedWorldInfo }),
  ...(variables === undefined ? {} : { variables }),
});

const isEmpty = (timed) => Object.values(timed).every((effects) => Object.keys(effects).length === 0);

const importedBooks = (data, prompt) =>
  prompt.importBook === true
    ? Object.fromEntries(
        readdirSync(join(data, "worlds")).map((file) => [
          file.replace(/\.json$/, ""),
          JSON.parse(readFileSync(join(data, "worlds", file), "utf8")),
        ]),
      )
    : {};

const writeCase = (folder, prompt, expected, imported) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "card.json"), json(prompt.card));
  writeFileSync(join(folder, "preset.json"), json(prompt.preset));
  writeFileSync(join(folder, "settings.json"), json(prompt.settings));
  writeFileSync(join(folder, "chat.jsonl"), lines(prompt.chat));
  if (prompt.turns.some(({ send }) => send !== undefined))
    writeFileSync(join(folder, "turns.json"), json(prompt.turns));
  writeBooks(join(folder, "lorebooks"), prompt.books);
  writeBooks(join(folder, "imported"), imported);
  writeFileSync(join(folder, "expected.json"), json(expected));
};

const writeBooks = (folder, books) => {
  for (const [book, content] of Object.entries(books)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${book}.json`), json(content));
  }
};

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

const lines = (values) => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
