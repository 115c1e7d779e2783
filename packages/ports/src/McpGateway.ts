/**
 * Servers that speak the Model Context Protocol, as a source of tools, resources and prompts.
 *
 * Owns connections, sessions and the wire. Does not own registrations, permissions nor catalogues that are kept: whoever asks has
 * them. Of a call there are three outcomes, and they are told apart: the server has answered, it was never asked, or nobody knows.
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { SecretReference } from "@cahier/domain/model/ModelRequest";
import type { SourceProgress } from "./ToolSource.ts";

/** A value that is stated, or one that a secret has. */
export type McpValue = string | { readonly secret: SecretReference };

/**
 * What this side is called at an authorization server that knows it already. `secret` goes to its `issuer` only, where one is stated;
 * with `signedWith` (`ES256`, …) it is a private key in PEM, by which this side signs that it is itself, and never leaves.
 */
export interface McpClientRegistration {
  readonly id: string;
  readonly issuer?: string;
  readonly secret?: McpValue;
  readonly signedWith?: string;
}

/**
 * How a server that asks for authorization (OAuth 2.1) comes to grant it. `person`: somebody allows it on a page of the authorization
 * server; without a registration this side registers itself there. `client`: it is granted to this side for what it is registered as.
 * `scope`: what is asked for where the server does not say it.
 */
export type McpAuthorization =
  | { readonly grant: "person"; readonly registration?: McpClientRegistration; readonly scope?: string }
  | { readonly grant: "client"; readonly registration: McpClientRegistration; readonly scope?: string };

/**
 * How a server is reached. `network: "private"` allows loopback and private addresses. A command is started as it stands, without
 * a shell, with no more of this process's environment than `PATH` and `HOME` and what `environment` states.
 */
export type McpEndpoint =
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, McpValue>>;
      readonly network?: "private";
      readonly authorization?: McpAuthorization;
    }
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly arguments: ReadonlyArray<string>;
      readonly environment: Readonly<Record<string, McpValue>>;
      readonly folder?: string;
    };

/** `protocolVersion` `auto`: the newest that both speak. `allowsSampling`: the server may ask for a model's answer. */
export interface McpServer {
  readonly id: string;
  readonly endpoint: McpEndpoint;
  readonly protocolVersion: "auto" | "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26";
  readonly allowsSampling: boolean;
}

/** A tool as its server states it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, Schema.Json>>;
  readonly outputSchema?: Readonly<Record<string, Schema.Json>>;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

/** Something of a catalogue that could not be used; the rest can. `code` is an `mcp.…` code. */
export interface McpDiagnostic {
  readonly code: string;
  readonly tool?: string;
  readonly detail: string;
}

export interface McpCatalogue {
  readonly peer: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
  readonly instructions?: string;
  readonly tools: ReadonlyArray<McpTool>;
  readonly diagnostics: ReadonlyArray<McpDiagnostic>;
}

export interface McpCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, Schema.Json>>;
  readonly timeoutMs: number;
  readonly onProgress?: (progress: SourceProgress) => void;
}

/** What a server answered to a call, as it stands on the wire. */
export interface McpAnswer {
  readonly content: ReadonlyArray<Schema.Json>;
  readonly structuredContent?: Schema.Json;
  readonly isError: boolean;
}

/**
 * `known`: the server has answered; `serverError` and `unsupported` are answers that hold no result. `notSent`: the call never left, and may be
 * made again. `unknown`: it left, and what became of it cannot be told.
 */
export type McpOutcome =
  | { readonly _tag: "Known"; readonly answer: McpAnswer }
  | { readonly _tag: "ServerError"; readonly code: number; readonly message: string; readonly data?: Schema.Json }
  | { readonly _tag: "Unsupported"; readonly detail: string }
  | { readonly _tag: "NotSent"; readonly code: string; readonly detail: string }
  | { readonly _tag: "Unknown"; readonly code: string; readonly detail: string };

/** What a server asks of a person in the middle of a call. */
export interface McpQuestion {
  readonly serverId: string;
  readonly message: string;
  readonly schema: Schema.Json;
}

export type McpReply =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, Schema.Json>> }
  | { readonly action: "decline" | "cancel" };

/** How questions and requests for a model's answer are met; without it questions are cancelled and models refused. */
export interface McpHost {
  readonly ask?: (question: McpQuestion) => Effect.Effect<McpReply>;
  readonly sample?: (serverId: string, request: Schema.Json) => Effect.Effect<Schema.Json, McpFault>;
  /** The server says that its lists are others now. */
  readonly listChanged?: (serverId: string, list: "tools" | "resources" | "prompts") => void;
}

/** Why a server could not be asked. `code` is an `mcp.…` code; `detail` repeats no secret. */
export class McpFault extends Schema.TaggedError<McpFault>()("McpFault", {
  code: Schema.String,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {}

/** Laws: `MCP-*` in `@cahier/testkit/laws/McpGatewayLaws`. */
export class McpGateway extends Context.Service<
  McpGateway,
  {
    /**
     * Asks the server for all of its tools, page after page, within the limits; all or a fault. The host that was given last is told
     * of changed lists as long as the session is kept.
     */
    readonly discover: (server: McpServer, host?: McpHost) => Effect.Effect<McpCatalogue, McpFault>;
    /**
     * Never fails: what became of the call is the outcome. Interrupting it tells the server. While the host is asked something, the
     * time of the call stands still.
     */
    readonly call: (server: McpServer, call: McpCall, host?: McpHost) => Effect.Effect<McpOutcome>;
    /** One list of the server, all pages. */
    readonly list: (
      server: McpServer,
      list: "resources" | "resourceTemplates" | "prompts",
    ) => Effect.Effect<ReadonlyArray<Schema.Json>, McpFault>;
    readonly readResource: (server: McpServer, uri: string) => Effect.Effect<Schema.Json, McpFault>;
    readonly getPrompt: (
      server: McpServer,
      name: string,
      given: Readonly<Record<string, string>>,
    ) => Effect.Effect<Schema.Json, McpFault>;
    /** Ends the session and the process of a server; the next request opens another. */
    readonly close: (serverId: string) => Effect.Effect<void>;
  }
>()("@cahier/ports/McpGateway") {}
