/** What the official conformance tests are expected to say of the client, scenario by scenario. */
export type Package = "@modelcontextprotocol/conformance" | "mcp-conformance-next";

export interface Expected {
  readonly passes: ReadonlyArray<string>;
  /** What fails, and why that is so. */
  readonly failures: Readonly<Record<string, string>>;
  /** What looks at an extension that a client need not have, and so finds nothing to check here. */
  readonly unchecked: Readonly<Record<string, string>>;
}

const both = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
];

const otherIdentity =
  "The client takes no identity of another provider for a grant: a person or a registration grants it.";
const noProof =
  "The client binds tokens to no key (DPoP), which no server may demand of a client without the extension.";
const noSkills = "The client takes no skills from servers.";

export const expected: Readonly<Record<Package, Expected>> = {
  "@modelcontextprotocol/conformance": {
    passes: both,
    failures: {
      "auth/2025-03-26-oauth-metadata-backcompat":
        "Its authorization server names itself otherwise than it is addressed, which the client refuses; the newer package has mended it.",
      "auth/cross-app-access-complete-flow": otherIdentity,
    },
    unchecked: {},
  },
  "mcp-conformance-next": {
    passes: [
      ...both,
      "request-metadata",
      "auth/2025-03-26-oauth-metadata-backcompat",
      "auth/authorization-server-migration",
      "auth/iss-supported",
      "auth/iss-not-advertised",
      "auth/iss-supported-missing",
      "auth/iss-wrong-issuer",
      "auth/iss-unexpected",
      "auth/iss-normalized",
      "auth/metadata-issuer-mismatch",
      "sep-2322-client-request-state",
      "http-standard-headers",
      "http-custom-headers",
      "http-invalid-tool-headers",
      "json-schema-ref-no-deref",
      "json-schema-2020-12-preservation",
    ],
    failures: {
      "auth/enterprise-managed-authorization": otherIdentity,
      "auth/wif-jwt-bearer": otherIdentity,
      "auth/dpop": noProof,
      "auth/dpop-nonce": noProof,
    },
    unchecked: {
      "sep-2640-client-no-prefetch": noSkills,
      "sep-2640-client-verify-digest": noSkills,
      "sep-2640-client-verify-size": noSkills,
      "sep-2640-client-verify-frontmatter": noSkills,
    },
  },
};
