/**
 * The page about the built-in tools, from the catalogue.
 */
import type { Tool } from "@cahier/application/tool/Tool";
import { decide } from "@cahier/domain/policy/decide";
import { effectClassOf, type ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { builtinAlias } from "@cahier/domain/tool/ToolSnapshot";
import * as JsonSchema from "./JsonSchema.ts";
import * as Page from "./Page.ts";

const lead = [
  "These are the tools that a model can be given without anything else installed. Profiles, policies and journals name a tool by its id; the model sees the shorter name, because providers allow letters, digits, `_` and `-` only. A profile chooses the tools of an agent in `tools.allow`, and may reword what the model is told of them.",
  "Arguments that a tool does not know are refused. An answer to a call that does not fit names the argument and what is wrong with it, so that the model can correct itself. What else a call may be answered with stands on the page about [codes](error-codes.md). How to add a tool: [a guide](../guides/add-a-tool.md).",
];

/** The page; tools in the order given. */
export const toolsPage = (tools: ReadonlyArray<Tool>): Promise<Page.Page> =>
  Page.make("docs/reference/tools.md", "Tools", [
    ...lead,
    Page.table(
      ["tool", "for the model", "does"],
      tools.map(({ descriptor }) => [
        `[${nameOf(descriptor)}](#${nameOf(descriptor)})`,
        Page.code(builtinAlias(descriptor.id)),
        descriptor.title,
      ]),
    ),
    words,
    ...tools.flatMap(({ descriptor }) => sectionOf(descriptor)),
  ]);

const words = [
  "What is said of each tool:",
  "",
  "- **Permission**: whether a call runs at once or waits until a person allows it, as long as no [policy](../guides/decide-what-a-model-may-do.md) says something else.",
  "- **After a crash**: what happens with a call that had begun. A tool without effects, or with effects inside the run only, runs again; one that carries an id of its own is asked for again under that id; any other is not repeated, and the model is told that its outcome is unknown.",
  "- **Limits**: the most calls of one agent, and the time after which a call is given up.",
].join("\n");

const sectionOf = (descriptor: ToolDescriptor): ReadonlyArray<string> => {
  const fields = JsonSchema.fields(descriptor.inputSchema);
  return [
    Page.anchor(nameOf(descriptor)),
    `## ${nameOf(descriptor)}`,
    descriptor.description,
    [
      `- **Id**: ${Page.code(descriptor.id)}; for the model ${Page.code(builtinAlias(descriptor.id))}`,
      `- **Permission**: ${permissionOf(descriptor)}${traitsOf(descriptor)}`,
      `- **After a crash**: ${afterCrash[effectClassOf(descriptor)]}`,
      `- **Limits**: ${limitsOf(descriptor)}`,
    ].join("\n"),
    fields.length === 0
      ? "It takes no arguments."
      : Page.table(
          ["argument", "type", "", "meaning"],
          fields.map((field) => [
            Page.code(field.name),
            [field.type, field.limits].filter((text) => text !== "").join(", "),
            field.required ? "required" : "optional",
            [field.description, field.default === undefined ? "" : `Default ${Page.code(field.default)}.`]
              .filter((text) => text !== "")
              .join(" "),
          ]),
        ),
  ];
};

/** The id without its provider. */
const nameOf = ({ id }: ToolDescriptor): string => id.slice(id.indexOf(":") + 1);

/** What policy says where nobody but the profile that allows the tool says something. */
const permissionOf = (descriptor: ToolDescriptor): string => {
  const silent = { allow: [descriptor.id], deny: [], maxCallsPerTool: {}, policy: [], timeoutMs: {} };
  const { approval, callable, visible } = decide({ profile: silent }, descriptor);
  if (!callable) return visible ? "never runs" : "not for models";
  return approval ? "asks a person first" : "runs at once";
};

const traitsOf = ({ annotations }: ToolDescriptor): string => {
  const traits = [
    ...(annotations.readOnly ? ["changes nothing"] : []),
    ...(annotations.destructive ? ["can destroy something"] : []),
    ...(annotations.openWorld ? ["reaches outside of this machine"] : []),
    ...(annotations.cost === "none" ? [] : [`${annotations.cost} cost`]),
  ];
  return traits.length === 0 ? "" : `; ${traits.join(", ")}`;
};

const afterCrash = {
  pure: "runs again; it has no effects",
  internal: "runs again; what it changes inside the run takes effect once",
  idempotent: "runs again; doing it twice is the same as once",
  keyed: "asked for again under its own id, which takes effect once",
  irreversible: "not repeated; the model is told that the outcome is unknown",
} as const;

const limitsOf = ({ budget }: ToolDescriptor): string =>
  [
    ...(budget.maxCalls === undefined ? [] : [`${budget.maxCalls} ${budget.maxCalls === 1 ? "call" : "calls"}`]),
    ...(budget.maxOutputTokens === undefined ? [] : [`${budget.maxOutputTokens} tokens of output`]),
    `${budget.timeoutMs / 1000} seconds`,
  ].join(", ");
