/**
 * What a registered server offers to runs, from what is known of it.
 *
 * Pure. Owns what of a server's own words becomes a descriptor, and what is said about tools that are not offered. A server's hints
 * are shown and never trusted: only its user's permission lets a call through without a question.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { isFailureCode } from "@cahier/domain/failure/FailureCode";
import { describeDrift } from "@cahier/domain/mcp/drift";
import { type McpRegistration, permissionOf } from "@cahier/domain/mcp/McpRegistration";
import type { McpToolStated } from "@cahier/domain/mcp/McpToolDefinition";
import type { ToolAnnotations } from "@cahier/domain/tool/ToolDescriptor";
import { parse, ToolId } from "@cahier/domain/tool/ToolId";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { SourceCatalogue, SourceDiagnostic, SourceTool } from "@cahier/ports/ToolSource";
import * as Result from "effect/Result";
import { cutText } from "../payload/cutText.ts";
import type { KnownCatalogue } from "./Catalogues.ts";
import { goneTools, type KnownTool, standingOf } from "./standing.ts";
import type { ServerView } from "./Views.ts";

/** The id of a server's tool. */
export const toolIdOf = (registrationId: string, name: string): ToolId => ToolId.make(`mcp/${registrationId}:${name}`);

/** Which tool of which server an id names; both are empty for one that is no id. */
export const partsOf = (toolId: string): { readonly registrationId: string; readonly name: string } =>
  Result.match(parse(toolId), {
    onFailure: () => ({ registrationId: "", name: "" }),
    onSuccess: ({ native, provider }) => ({ registrationId: provider.replace(/^mcp\//, ""), name: native }),
  });

/** The tools of one server that may be called, and what there is to say about the others that its user permits. */
export const offerOf = ({ known, registration }: ServerView): SourceCatalogue => {
  if (registration.state === "paused" || Object.keys(registration.toolPermissions).length === 0) return nothing;
  if (known === undefined)
    return {
      tools: [],
      diagnostics: [
        {
          code: "mcp.catalogue_unknown",
          message: `It is not known which tools ${quote(registration.displayName)} has. ${look(registration)}`,
        },
      ],
    };
  const permitted = known.catalogue.tools
    .map((tool) => standingOf(registration, tool))
    .filter(({ standing }) => standing !== "off");
  return {
    tools: permitted.filter(isOffered).map((one) => sourceTool(registration, one)),
    diagnostics: [
      ...permitted.flatMap((one) => withheld(registration, one)),
      ...goneTools(registration, known.catalogue).map((name) => gone(registration, name)),
      ...ofServer(registration, known),
    ],
  };
};

/** Whether the arguments of a tool are an object, as those of every call are. */
export const takesObject = ({ inputSchema }: McpToolStated): boolean => inputSchema["type"] === "object";

/**
 * What a server's hints come to. What it does not say is at its worst. A tool that only reads destroys nothing: the protocol
 * gives the other hints a meaning only where a tool changes something.
 */
export const annotationsOf = ({ annotations = {} }: Pick<McpToolStated, "annotations">): ToolAnnotations => {
  const readOnly = annotations.readOnlyHint ?? false;
  return {
    readOnly,
    destructive: !readOnly && (annotations.destructiveHint ?? true),
    idempotent: annotations.idempotentHint ?? false,
    openWorld: annotations.openWorldHint ?? true,
    cost: "none",
  };
};

const nothing: SourceCatalogue = { tools: [], diagnostics: [] };

const isOffered = ({ standing, tool }: KnownTool): boolean => standing === "holds" && takesObject(tool);

/** Most bytes of a title and of a description that models and people are shown. */
const titleBytes = 200;
const descriptionBytes = 8192;

const callMs = 120_000;

const sourceTool = (registration: McpRegistration, { permission, tool }: KnownTool): SourceTool => {
  const { displayName, id } = registration;
  const server = quote(displayName).replaceAll(/[{}]/g, "");
  const { description = "", inputSchema, outputSchema, title = "" } = tool;
  return {
    descriptor: {
      id: toolIdOf(id, tool.name),
      title: cutText(title.trim() === "" ? tool.name : title, titleBytes),
      description:
        description.trim() === "" ? `A tool of the MCP server ${server}.` : cutText(description, descriptionBytes),
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: annotationsOf(tool),
      sideEffect: `Goes to the MCP server ${server}.`,
      source: "mcp",
      visibility: "model",
      permission: "ask",
      budget: { timeoutMs: callMs },
    },
    permission: permission === "allow" ? "always" : "ask",
    groupName: displayName,
  };
};

/** Something to say about one tool: a sentence that begins with it. */
export const about = (
  { displayName, id }: McpRegistration,
  name: string,
  code: FailureCode,
  message: string,
): SourceDiagnostic => ({
  code,
  toolId: toolIdOf(id, name),
  message: `${quote(name)} of ${quote(displayName)} ${message}`,
});

const withheld = (registration: McpRegistration, one: KnownTool): ReadonlyArray<SourceDiagnostic> => {
  const { changes, standing, tool } = one;
  const again = `Look at it with "cahier mcp discover ${registration.id}", and permit it again if it is right.`;
  if (standing === "paused")
    return [
      about(
        registration,
        tool.name,
        "mcp.permission_paused",
        `is not offered: it was permitted when the server was reached otherwise. ${again}`,
      ),
    ];
  if (standing === "changed")
    return [
      about(
        registration,
        tool.name,
        "mcp.tool_definition_changed",
        `is not offered: it is described otherwise than when it was permitted. ${describeDrift(changes)} ${again}`,
      ),
    ];
  return takesObject(tool)
    ? []
    : [
        about(
          registration,
          tool.name,
          "mcp.discovery_input_schema_invalid",
          "is not offered: its arguments are no object.",
        ),
      ];
};

const gone = (registration: McpRegistration, name: string): SourceDiagnostic =>
  about(
    registration,
    name,
    "mcp.tool_gone",
    "is permitted, and the server does not offer it any more. The permission is kept in case it comes back.",
  );

/** What there is to say about the catalogue as a whole, and about permitted tools that could not be read. */
const ofServer = (
  registration: McpRegistration,
  { catalogue, isStale, notKept }: KnownCatalogue,
): ReadonlyArray<SourceDiagnostic> => {
  const server = quote(registration.displayName);
  return [
    ...(isStale
      ? [
          {
            code: "mcp.catalogue_stale" as const,
            message: `${server} has said that its tools are others than at ${catalogue.discoveredAt}. ${look(registration)}`,
          },
        ]
      : []),
    ...(notKept === undefined
      ? []
      : [
          {
            code: "mcp.catalog_persistence_failed" as const,
            message: `The tools of ${server} are known until this process ends. ${notKept}`,
          },
        ]),
    ...catalogue.diagnostics.flatMap(({ code, detail, tool }) =>
      tool !== undefined && isFailureCode(code) && permissionOf(registration, tool) !== undefined
        ? [about(registration, tool, code, `is not all usable: ${detail}.`)]
        : [],
    ),
  ];
};

/** How its user learns what a server has. */
export const look = ({ id }: McpRegistration): string => `"cahier mcp discover ${id}" asks the server.`;
