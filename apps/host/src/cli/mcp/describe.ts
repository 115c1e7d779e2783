/**
 * MCP servers in words: how one is reached, and how its tools stand.
 *
 * Nothing of how a server is reached is shortened, for people decide by it. What a server says of itself is.
 */
import type { Discovery } from "@cahier/application/mcp/Discovery";
import { toolIdOf } from "@cahier/application/mcp/offer";
import type { KnownTool } from "@cahier/application/mcp/standing";
import { describeDrift } from "@cahier/domain/mcp/drift";
import type { McpEndpoint, McpRegistration } from "@cahier/domain/mcp/McpRegistration";
import { printable, printableLines, shortened } from "../printable.ts";

/** How a server is reached, in short: its address, or the program with its arguments. */
export const reachedBy = (endpoint: McpEndpoint): string =>
  endpoint.transport === "http" ? word(endpoint.url) : [endpoint.command, ...endpoint.arguments].map(word).join(" ");

/** How a server is reached, in full. */
export const wayOf = ({ allowsSampling, endpoint, protocolVersion }: McpRegistration): ReadonlyArray<string> => [
  ...(endpoint.transport === "http"
    ? [
        `asks      ${reachedBy(endpoint)}`,
        ...Object.entries(endpoint.headers).map(([name, value]) => `header    ${word(name)}: ${valueText(value)}`),
        ...(endpoint.network === undefined ? [] : ["network   private: its name may lead to a private address"]),
        ...authorizationOf(endpoint.authorization),
      ]
    : [
        `starts    ${reachedBy(endpoint)}`,
        ...(endpoint.folder === undefined ? [] : [`in        ${word(endpoint.folder)}`]),
        ...Object.entries(endpoint.environment).map(([name, value]) => `variable  ${word(name)}=${valueText(value)}`),
      ]),
  `protocol  ${protocolVersion === "auto" ? "the newest that both sides speak" : protocolVersion}`,
  ...(allowsSampling ? ["sampling  allowed: the server may ask the run's model for texts"] : []),
];

/** How many tools are permitted, of how many that are known, and what of that needs a look. */
export const toolsText = (registration: McpRegistration, known: Discovery | undefined): string => {
  const permitted = Object.keys(registration.toolPermissions).length;
  if (known === undefined) return permitted === 0 ? "not asked for yet" : `${permitted} permitted, not known now`;
  const count = (standing: KnownTool["standing"]): number =>
    known.tools.filter((tool) => tool.standing === standing).length;
  return [
    `${count("holds")} of ${known.tools.length} permitted`,
    ...numbered(count("changed"), "changed"),
    ...numbered(count("paused"), "to be permitted again"),
    ...numbered(known.staleTools.length, "gone"),
    ...(known.isStale ? ["stale"] : []),
  ].join(", ");
};

/** What `table` shows of each tool under these heads. */
export const toolHeads: ReadonlyArray<string> = ["TOOL", "PERMISSION", "HINTS", "DESCRIPTION"];
export const toolRow = ({ permission, standing, tool }: KnownTool): ReadonlyArray<string> => [
  printable(tool.name),
  standing === "holds" || standing === "off" ? permission : `${permission}, ${standing}`,
  hintsOf(tool),
  shortened(printable(tool.description ?? tool.title ?? ""), 300),
];

/** A tool in full, as a model is told of it: nothing is left out, for people permit it by this. */
export const wholeTool = ({ permission, standing, tool }: KnownTool): ReadonlyArray<string> => [
  `tool      ${printable(tool.name)}`,
  `permitted ${standing === "holds" || standing === "off" ? permission : `${permission}, ${standing}`}`,
  ...(tool.title === undefined ? [] : [`title     ${printable(tool.title)}`]),
  ...(hintsOf(tool) === "" ? [] : [`hints     ${hintsOf(tool)} (the server's own word)`]),
  ...indented("says", tool.description ?? "nothing of what it does"),
  ...indented("takes", JSON.stringify(tool.inputSchema, undefined, 2)),
  ...(tool.outputSchema === undefined ? [] : indented("gives", JSON.stringify(tool.outputSchema, undefined, 2))),
];

const indented = (label: string, text: string): ReadonlyArray<string> =>
  text.split("\n").map((line, index) => `${(index === 0 ? label : "").padEnd(10)}${printable(line)}`);

/** What a person has to know about the tools of a server beside their names, a line for each thing. */
export const remarks = ({
  diagnostics,
  isStale,
  registrationId,
  staleTools,
  tools,
}: Discovery): ReadonlyArray<string> =>
  [
    ...tools.flatMap((tool) => remarkOf(registrationId, tool)),
    ...staleTools.map(
      (name) =>
        `${quoted(name)} is permitted, and the server does not offer it any more. "cahier mcp permit ${registrationId} ${quoted(name)} off" takes the permission back.`,
    ),
    ...diagnostics.map(
      ({ code, detail, tool }) => `${tool === undefined ? "" : `${quoted(tool)}: `}${detail} [${code}]`,
    ),
    ...(isStale
      ? [`The server has said that its tools are others now; "cahier mcp discover ${registrationId}" asks it.`]
      : []),
  ].map(printable);

/** What a tool is called in profiles and policies. */
export const idText = (registrationId: string, name: string): string => printable(toolIdOf(registrationId, name));

/** A discovery as JSON for programs: how each tool stands beside what it is. */
export const discoveryJson = (found: Discovery) => ({
  ...found,
  tools: found.tools.map(({ changes, permission, standing, tool }) => ({
    ...tool,
    toolId: toolIdOf(found.registrationId, tool.name),
    permission,
    standing,
    changes,
  })),
});

const remarkOf = (id: string, { changes, standing, tool }: KnownTool): ReadonlyArray<string> => {
  const again = `"cahier mcp permit ${id} ${quoted(tool.name)} ask" permits it as it is now.`;
  if (standing === "changed")
    return [
      `${quoted(tool.name)} is described otherwise than when it was permitted, so it is not offered. ${describeDrift(changes)} ${again}`,
    ];
  if (standing === "paused")
    return [
      `${quoted(tool.name)} was permitted for a server that was reached otherwise, so it is not offered. ${again}`,
    ];
  return [];
};

const numbered = (count: number, what: string): ReadonlyArray<string> => (count === 0 ? [] : [`${count} ${what}`]);

/** The server's own words about effects; nothing is decided by them. */
const hintsOf = ({ annotations }: KnownTool["tool"]): string =>
  [
    ...(annotations?.readOnlyHint === true ? ["reads only"] : []),
    ...(annotations?.destructiveHint === true ? ["destructive"] : []),
    ...(annotations?.idempotentHint === true ? ["repeatable"] : []),
    ...(annotations?.openWorldHint === true ? ["open world"] : []),
  ].join(", ");

type Value = string | { readonly secret: { readonly key: string } };

const valueText = (value: Value): string =>
  typeof value === "string" ? word(value) : `the secret ${word(value.secret.key)}`;

type Authorization = Extract<McpEndpoint, { readonly transport: "http" }>["authorization"];

const authorizationOf = (authorization: Authorization): ReadonlyArray<string> =>
  authorization === undefined
    ? []
    : [
        `grant     ${authorization.grant === "person" ? "by a person, on a page of the authorization server" : "to this side as it is registered"}`,
        ...(authorization.registration === undefined ? [] : [`as        ${word(authorization.registration.id)}`]),
        ...(authorization.scope === undefined ? [] : [`scope     ${word(authorization.scope)}`]),
      ];

/** A word as it is; one that could be taken for several, or that hides something, as a JSON string. */
const word = (text: string): string =>
  /^[\w@%+=:,./~?&;-]+$/.test(text) ? text : printableLines(JSON.stringify(text));

const quoted = (name: string): string => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));
