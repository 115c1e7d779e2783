import { assert, describe, it } from "@effect/vitest";
import * as MacroEngine from "../src/macros/MacroEngine.ts";
import type { MacroScene } from "../src/macros/MacroScene.ts";

const scene = (changes: Partial<MacroScene> = {}): MacroScene => ({
  user: "Tomas",
  character: "Ilse",
  group: ["Ilse"],
  card: {
    description: "keeps {{user}} away",
    personality: "",
    scenario: "",
    persona: "",
    exampleMessages: "",
    systemPrompt: "",
    postHistoryInstructions: "",
    depthPrompt: "",
    creatorNotes: "",
    version: "",
    firstMessage: "",
  },
  messages: [],
  context: 4095,
  response: 300,
  model: "gpt-4o",
  generationType: "normal",
  outlets: new Map(),
  authorsNote: "",
  variables: { local: new Map(), global: new Map() },
  now: Date.UTC(2026, 0, 5, 15, 4, 9),
  zoneMinutes: 60,
  random: () => 0.5,
  seed: "chat",
  ...changes,
});

type Pairs = ReadonlyArray<readonly [string, string]>;

/** Of texts with what is to become of them, those that become something else; all in one scene. */
const differing = (pairs: Pairs, changes: Partial<MacroScene> = {}): Pairs => {
  const shared = scene(changes);
  return pairs
    .map(([text, wanted]) => [text, MacroEngine.expand(text, shared), wanted] as const)
    .filter(([, found, wanted]) => found !== wanted)
    .map(([text, found]) => [text, found]);
};

describe("macros", () => {
  it("are named in any case, with spaces, by a colon, two colons or a space before their arguments", () => {
    assert.deepStrictEqual(
      differing([
        ["{{user}} {{ CHAR }} <user>", "Tomas Ilse Tomas"],
        ["{{reverse::abc}}{{reverse:abc}}{{reverse abc}}{{ reverse :: abc }}", "cbacbacbacba"],
        ["{{newline::2}}|{{space}}|{{noop}}", "\n\n| |"],
      ]),
      [],
    );
  });

  it("with a name that every object answers to are not known", () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      const texts = [`{{${name}}}`, `{{${name}::a::b}}`, `{{ ${name} }}x{{/${name}}}`];
      assert.deepStrictEqual(differing(texts.map((text) => [text, text] as const)), []);
      assert.deepStrictEqual(differing([[`{{if ${name}}}yes{{/if}}`, "yes"]]), []);
    }
  });

  it("that are not known, or have too many arguments, stay as they are with the macros inside them replaced", () => {
    assert.deepStrictEqual(
      differing([
        ["{{nobody}} {{nobody::{{user}}}} {{char::1}}", "{{nobody}} {{nobody::Tomas}} {{char::1}}"],
        ["{{}} {{ }} {{::}}", "{{}} {{ }} {{::}}"],
        ["{{nobody}}{{user}}{{/nobody}}", "{{nobody}}Tomas{{/nobody}}"],
      ]),
      [],
    );
  });

  it("with braces that have no partner leave them as text", () => {
    assert.deepStrictEqual(
      differing([
        ["{{user {{char}}", "{{user Ilse"],
        ["{{{char}}} }} {", "{Ilse} }} {"],
        ["\\{\\{char\\}\\}", "{{char}}"],
      ]),
      [],
    );
  });

  it("give text that is not read again", () => {
    assert.deepStrictEqual(differing([["{{description}}", "keeps {{user}} away"]]), []);
  });

  it("take time by the length of the text, however braces nest or fail to close", () => {
    const open = "{{".repeat(100_000);
    assert.strictEqual(MacroEngine.expand(open, scene()), open);
    const lines = `${"\n".repeat(100_000)}x{{trim}}`;
    assert.strictEqual(MacroEngine.expand(lines, scene()).length, 100_001);
    const nested = `${"{{reverse::".repeat(10_000)}a${"}}".repeat(10_000)}`;
    assert.isAbove(MacroEngine.expand(nested, scene()).length, 0);
  });

  it("keep variables, add numbers and join texts", () => {
    const variables = { local: new Map<string, string | number>(), global: new Map<string, string | number>() };
    assert.deepStrictEqual(
      differing(
        [
          ["{{setvar::coins::7}}{{addvar::coins::5}}{{getvar::coins}}", "12"],
          ["{{incvar::coins}} {{decvar::coins}} {{hasvar::coins}} {{hasvar::none}}", "13 12 true false"],
          ["{{setvar::name::Orm}}{{addvar::name:: the Cooper}}{{getvar::name}}", "Ormthe Cooper"],
          ["{{setglobalvar::coins::1}}{{getglobalvar::coins}} {{$coins}} {{.coins}}", "1 1 12"],
          ["{{.coins += 3}}{{.coins}} {{.coins -= 1}}{{.coins++}} {{.coins--}}", "15 15 14"],
          [
            "{{.coins == 14}} {{.coins != 14}} {{.coins > 9}} {{.coins >= 14}} {{.coins < 2}} {{.coins <= 14}}",
            "true false true true false true",
          ],
          ["{{.none ?? a}} {{.none || b}} {{.none ??= c}} {{.none}} {{.none ||= d}}", "a b c c c"],
          ["{{deletevar::coins}}[{{getvar::coins}}]", "[]"],
          ["{{setvar long}}\n  one\n  two\n{{/setvar}}{{getvar long}}", "one\ntwo"],
        ],
        { variables },
      ),
      [],
    );
    assert.deepStrictEqual(
      [...variables.local],
      [
        ["name", "Ormthe Cooper"],
        ["none", "c"],
        ["long", "one\ntwo"],
      ],
    );
  });

  it("choose a branch and replace macros in that alone", () => {
    assert.deepStrictEqual(
      differing([
        ["{{if user}}yes{{else}}no{{/if}} {{if personality}}yes{{else}}no{{/if}}", "yes no"],
        ["{{if !personality}}none{{/if}}[{{if 0}}x{{/if}}{{if off}}x{{/if}}{{if false}}x{{/if}}]", "none[]"],
        ["{{if user}}{{setvar::a::1}}{{else}}{{setvar::b::1}}{{/if}}{{hasvar::a}} {{hasvar::b}}", "true false"],
        ["{{if user}}a{{if scenario}}b{{else}}c{{/if}}d{{else}}e{{/if}}", "acd"],
        ["{{if::{{user}}::inline}} {{if {{personality}}::inline}}", "inline "],
        ["{{if user}}\n    # Head\n      more\n{{/if}}|{{#if user}} kept {{/if}}", "# Head\n  more| kept "],
        ["{{if user}} without an end", "{{if user}} without an end"],
        ["{{.flag = on}}{{if .flag}}on{{/if}}", "on"],
      ]),
      [],
    );
  });

  it("of comments vanish, and a trim takes the newlines around it", () => {
    assert.deepStrictEqual(
      differing([
        ["a{{// note}}b{{//}} a block of\n{{user}} {{///}}c", "abc"],
        ["one\n\n{{trim}}\n\ntwo {{trim}}  x  {{/trim}}", "onetwo x"],
      ]),
      [],
    );
  });

  it("tell the time of the scene's clock and zone", () => {
    assert.deepStrictEqual(
      differing([
        ["{{time}} {{date}} {{weekday}} {{isotime}} {{isodate}}", "4:04 PM January 5, 2026 Monday 16:04 2026-01-05"],
        ["{{time_UTC-5}} {{time_UTC+2}} {{time::UTC+0}}", "10:04 AM 5:04 PM 3:04 PM"],
        ["{{datetimeformat DD.MM.YY [at] HH:mm:ss Do ddd MMM Z}}", "05.01.26 at 16:04:09 5th Mon Jan +01:00"],
        [
          "{{timeDiff::2026-01-02::2026-01-01}} {{timeDiff::2026-01-01::2026-01-01T05:00Z}} {{timeDiff::x::y}}",
          "in a day 5 hours ago ",
        ],
        ["{{idle_duration}}", "just now"],
      ]),
      [],
    );
    const sentAt = Date.UTC(2026, 0, 5, 11, 4);
    const asked = { text: "", isUser: true, isSystem: false, swipes: null, swipe: null, sentAt };
    assert.deepStrictEqual(differing([["{{idleDuration}}", "4 hours"]], { messages: [asked] }), []);
  });

  it("choose by the chance that is given, and a pick chooses alike in a chat", () => {
    assert.deepStrictEqual(
      differing([["{{random::a::b::c}} {{random:a,b\\,c}} {{roll 2d6+1}} {{roll::20}} {{roll x}}", "b b,c 9 11 "]]),
      [],
    );
    const picks = Array.from({ length: 40 }, (_, at) =>
      MacroEngine.expand("{{pick::a::b::c}}", scene({ seed: `${at}` })),
    );
    assert.deepStrictEqual(new Set(picks), new Set(["a", "b", "c"]));
    assert.strictEqual(picks[7], MacroEngine.expand("{{pick::a::b::c}}", scene({ seed: "7", random: () => 0 })));
  });

  it("of a card's own prompt repeat the preset's text once", () => {
    assert.strictEqual(MacroEngine.expand("[{{original}}] [{{original}}]", scene(), "$& {{user}}"), "[$& {{user}}] []");
    assert.strictEqual(MacroEngine.expand("{{original}}", scene()), "{{original}}");
  });

  it("tell of the last messages, which are as the chat has them", () => {
    const said = (text: string, isUser: boolean, isSystem = false) => ({
      text,
      isUser,
      isSystem,
      swipes: isUser ? null : 3,
      swipe: isUser ? null : 2,
      sentAt: null,
    });
    assert.deepStrictEqual(
      differing(
        [
          ["{{lastMessage}} {{lastUserMessage}} {{lastCharMessage}} {{lastMessageId}}", "{{b}} a {{b}} 2"],
          ["{{lastSwipeId}} {{currentSwipeId}} {{allChatRange}}", "3 2 0-2"],
        ],
        { messages: [said("a", true), said("hidden", true, true), said("{{b}}", false)] },
      ),
      [],
    );
    assert.deepStrictEqual(
      differing([["[{{lastMessage}}{{lastMessageId}}{{allChatRange}}{{lastSwipeId}}]", "[]"]]),
      [],
    );
  });
});
