import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as McpCatalogue from "../../src/mcp/McpCatalogue.ts";
import * as McpRegistration from "../../src/mcp/McpRegistration.ts";

const id = "3f1c9a52-7b1e-4c0d-9a55-0123456789ab";

const http = {
  kind: "cahier.mcp-server",
  schemaVersion: 1,
  id,
  displayName: "Files",
  endpoint: { transport: "http", url: "https://files.example/mcp" },
};

const stdio = {
  ...http,
  endpoint: { transport: "stdio", command: "/usr/bin/files", arguments: ["--stdio"] },
};

const issues = (input: unknown) => {
  const read = McpRegistration.decode(input);
  return Result.isFailure(read) ? read.failure : [];
};

const decoded = (input: unknown): McpRegistration.McpRegistration => {
  const read = McpRegistration.decode(input);
  if (Result.isFailure(read)) throw new Error(JSON.stringify(read.failure));
  return read.success;
};

const url = (address: string) => ({ ...http, endpoint: { transport: "http", url: address } });
const headers = (given: object) => ({ ...http, endpoint: { ...http.endpoint, headers: given } });
const environment = (given: object) => ({ ...stdio, endpoint: { ...stdio.endpoint, environment: given } });
const started = (...given: ReadonlyArray<string>) => ({
  ...stdio,
  endpoint: { ...stdio.endpoint, arguments: given },
});
const client = (registration: object) => ({
  ...http,
  endpoint: { ...http.endpoint, authorization: { grant: "client", registration } },
});
const permission = (name: string, given: string) => ({
  ...http,
  toolPermissions: { [name]: { permission: given, definition: { inputSchema: { type: "object" } } } },
});

/** What is wrong, where, and in which registration. */
const wrong: ReadonlyArray<readonly [code: string, path: string, input: unknown]> = [
  ["mcp.registration_contract_invalid", "", []],
  ["mcp.registration_contract_invalid", "extra", { ...http, extra: 1 }],
  ["mcp.registration_contract_invalid", "endpoint.command", { ...http, endpoint: { ...http.endpoint, command: "sh" } }],
  ["mcp.registration_contract_invalid", "endpoint", { ...http, endpoint: "https://files.example/mcp" }],
  ["mcp.registration_contract_invalid", "endpoint.transport", { ...http, endpoint: { transport: "ftp" } }],
  [
    "mcp.registration_contract_invalid",
    "endpoint.authorization.grant",
    { ...http, endpoint: { ...http.endpoint, authorization: { grant: "robot" } } },
  ],
  ["mcp.registration_kind_invalid", "kind", { ...http, kind: "cahier.llmConnection" }],
  ["mcp.registration_schema_unsupported", "schemaVersion", { ...http, schemaVersion: 2 }],
  ["mcp.registration_id_invalid", "id", { ...http, id: "files" }],
  ["mcp.registration_id_invalid", "id", { ...http, id: "3f1c9a52-7b1e-1c0d-9a55-0123456789ab" }],
  ["mcp.registration_id_noncanonical", "id", { ...http, id: id.toUpperCase() }],
  ["mcp.registration_id_noncanonical", "id", { ...http, id: `{${id}}` }],
  ["mcp.display_name_empty", "displayName", { ...http, displayName: " " }],
  ["mcp.endpoint_invalid", "endpoint.url", url("")],
  ["mcp.endpoint_invalid", "endpoint.url", url("http://")],
  ["mcp.endpoint_invalid", "endpoint.url", url("https://a b/mcp")],
  ["mcp.endpoint_absolute_required", "endpoint.url", url("/mcp")],
  ["mcp.endpoint_absolute_required", "endpoint.url", url("files.example/mcp")],
  ["mcp.endpoint_scheme_invalid", "endpoint.url", url("file:///etc/passwd")],
  ["mcp.endpoint_scheme_invalid", "endpoint.url", url("ws://files.example/mcp")],
  ["mcp.endpoint_fragment_forbidden", "endpoint.url", url("https://files.example/mcp#tools")],
  ["mcp.endpoint_userinfo_forbidden", "endpoint.url", url("https://me:hunter2@files.example/mcp")],
  ["mcp.endpoint_link_local", "endpoint.url", url("http://169.254.169.254/latest")],
  ["mcp.secret_in_clear", "endpoint.url", url("https://files.example/mcp?api_key=hunter2")],
  ["mcp.secret_in_clear", "endpoint.headers.Authorization", headers({ Authorization: "Bearer hunter2" })],
  ["mcp.secret_in_clear", 'endpoint.headers["X-Api-Key"]', headers({ "X-Api-Key": "hunter2" })],
  ["mcp.secret_in_clear", 'endpoint.headers["X-Whose"]', headers({ "X-Whose": "Basic aHVudGVyMg==" })],
  ["mcp.secret_in_clear", "endpoint.environment.GITHUB_TOKEN", environment({ GITHUB_TOKEN: "hunter2" })],
  ["mcp.secret_in_clear", "endpoint.environment.PLAIN", environment({ PLAIN: "ghp_hunter2" })],
  ["mcp.secret_in_clear", "endpoint.authorization.registration.secret", client({ id: "cahier", secret: "hunter2" })],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("--verbose", "ghp_hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[0]", started("--pass=sk-hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("--token", "hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("--api-key", "hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("-apiKey", "hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[0]", started("--db-password=hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("-e", "GITHUB_TOKEN=hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("--header", "Authorization: Bearer hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[1]", started("--header", "X-Api-Key:hunter2")],
  ["mcp.secret_in_clear", "endpoint.arguments[0]", started("postgres://me:hunter2@localhost/books")],
  ["mcp.secret_in_clear", "endpoint.arguments[0]", started("--url=https://files.example/mcp?api_key=hunter2")],
  [
    "mcp.secret_key_invalid",
    "endpoint.headers.Authorization.secret.key",
    headers({ Authorization: { secret: { key: "sk-hunter2" } } }),
  ],
  [
    "mcp.secret_key_invalid",
    "endpoint.environment.A.secret.key",
    environment({ A: { secret: { key: "ghp_hunter2" } } }),
  ],
  ["mcp.header_invalid", 'endpoint.headers["a b"]', headers({ "a b": "x" })],
  ["mcp.header_invalid", "endpoint.headers.Accept", headers({ Accept: "x\r\nHost: other" })],
  ["mcp.header_invalid", "endpoint.headers.accept", headers({ Accept: "x", accept: "y" })],
  ["mcp.command_invalid", "endpoint.command", { ...stdio, endpoint: { transport: "stdio", command: " " } }],
  ["mcp.command_invalid", "endpoint", { ...stdio, endpoint: { ...stdio.endpoint, arguments: ["a\0b"] } }],
  ["mcp.command_invalid", "endpoint.folder", { ...stdio, endpoint: { ...stdio.endpoint, folder: "" } }],
  ["mcp.environment_invalid", 'endpoint.environment["A=B"]', environment({ "A=B": "x" })],
  ["mcp.environment_invalid", "endpoint.environment.A", environment({ A: "x\0y" })],
  ["mcp.authorization_invalid", "endpoint.authorization.registration.id", client({ id: " " })],
  [
    "mcp.authorization_invalid",
    "endpoint.authorization.registration.issuer",
    client({ id: "a", issuer: "https://a:b@c" }),
  ],
  ["mcp.protocol_version_unsupported", "protocolVersion", { ...http, protocolVersion: "2024-11-05" }],
  ["mcp.permission_off_not_persisted", "toolPermissions.read.permission", permission("read", "off")],
  ["mcp.tool_name_invalid", `toolPermissions.${"n".repeat(257)}`, permission("n".repeat(257), "ask")],
];

describe("the registration of an MCP server", () => {
  it.each(wrong)("is refused with %s at %s", (code, path, input) => {
    assert.deepStrictEqual(
      issues(input).map((found) => [found.code, found.path]),
      [[code, path]],
    );
  });

  it("is refused without repeating what may be a secret", () => {
    for (const [, , input] of wrong)
      assert.notInclude(JSON.stringify(issues(input).map(({ message }) => message)), "hunter2");
  });

  it("is refused with the transports that there are where it names another one", () => {
    const [found, ...more] = issues({ ...http, endpoint: { transport: "ftp", url: "ftp://files.example" } });
    assert.deepStrictEqual(more, []);
    assert.match(found?.message ?? "", /"http".*"stdio"/);
  });

  it.each([
    ["an option that is a file", ["--key", "server.pem", "--token-file", "/run/token"]],
    ["a variable in the place of a credential", ["--token", "${TOKEN}", "--header", "Authorization: Bearer ${TOKEN}"]],
    ["a variable that is passed on", ["run", "-e", "GITHUB_TOKEN", "files"]],
    ["an option without a value", ["--token", "--verbose", "--password="]],
    ["an address without a password", ["postgres://me@localhost/books", "https://files.example/mcp?page=2"]],
    ["a package and a folder", ["-y", "@files/token-server@1.2.3", "C:\\files", "--scope=token:read"]],
  ])("takes %s in the arguments of a command", (_, given) => {
    assert.deepStrictEqual(issues(started(...given)), []);
  });

  it("is paused, asks no model and permits nothing unless it says so", () => {
    assert.deepStrictEqual(
      decoded({ ...http, displayName: " Files ", endpoint: { ...http.endpoint, url: " https://files.example/mcp " } }),
      {
        ...http,
        endpoint: { transport: "http", url: "https://files.example/mcp", headers: {} },
        protocolVersion: "auto",
        state: "paused",
        allowsSampling: false,
        toolPermissions: {},
      } as McpRegistration.McpRegistration,
    );
    assert.deepStrictEqual(decoded(stdio).endpoint, {
      transport: "stdio",
      command: "/usr/bin/files",
      arguments: ["--stdio"],
      environment: {},
    });
  });

  it("names secrets in headers, in variables and for its authorization, and is reached with those names", () => {
    const secret = { secret: { key: "FILES_TOKEN", label: "of the files" } };
    assert.deepStrictEqual(McpRegistration.serverOf(decoded(headers({ Authorization: secret, "X-Region": "eu" }))), {
      id,
      endpoint: {
        transport: "http",
        url: "https://files.example/mcp",
        headers: { Authorization: secret, "X-Region": "eu" },
      },
      protocolVersion: "auto",
      allowsSampling: false,
    });
    assert.deepStrictEqual(issues(environment({ GITHUB_TOKEN: secret, DEBUG: "1" })), []);
    assert.deepStrictEqual(issues(client({ id: "cahier", issuer: "https://login.example", secret })), []);
  });

  it("permits only what it names itself, whatever a tool is called", () => {
    const registration = decoded(permission("read", "allow"));
    assert.strictEqual(McpRegistration.permissionOf(registration, "read")?.permission, "allow");
    for (const name of ["toString", "constructor", "__proto__", "write"])
      assert.isUndefined(McpRegistration.permissionOf(registration, name));
  });

  const registrations = Arbitrary.schema(McpRegistration.McpRegistration);

  it.prop("is taken again unchanged once it has been taken", [registrations], ([any]) => {
    const given = {
      ...any,
      id,
      displayName: `a${any.displayName}`,
      endpoint:
        any.endpoint.transport === "http"
          ? { ...any.endpoint, url: "https://h/mcp", headers: {}, authorization: { grant: "person" } }
          : { ...any.endpoint, command: "c", arguments: [], environment: {}, folder: "f" },
      toolPermissions: {},
    };
    const taken = decoded(given);
    assert.deepStrictEqual(decoded(JSON.parse(JSON.stringify(taken))), taken);
  });
});

describe("a kept catalogue", () => {
  const way = McpCatalogue.wayOf(decoded(http));

  it("is read as it was written, and nothing of another form is", () => {
    const catalogue: McpCatalogue.McpCatalogue = {
      kind: "cahier.mcp-catalogue",
      schemaVersion: 1,
      discoveredAt: "2026-01-01T00:00:00.000Z",
      reachedBy: way,
      peer: { name: "files", version: "1" },
      protocolVersion: "2025-11-25",
      tools: [{ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
      diagnostics: [{ code: "mcp.discovery_tool_invalid", detail: "a tool is no object" }],
    };
    assert.deepStrictEqual(Result.getOrThrow(McpCatalogue.decode(JSON.parse(JSON.stringify(catalogue)))), catalogue);
    assert.isTrue(Result.isFailure(McpCatalogue.decode({ ...catalogue, schemaVersion: 2 })));
  });

  it("holds for the way in which a server was reached, whatever else is said of it", () => {
    const same = decoded({ ...http, displayName: "Other", state: "active", allowsSampling: true });
    assert.isTrue(McpCatalogue.isSameWay(way, same));
    for (const other of [
      url("https://files.example/other"),
      headers({ "X-Region": "eu" }),
      { ...http, protocolVersion: "2025-06-18" },
    ])
      assert.isFalse(McpCatalogue.isSameWay(way, decoded(other)));
  });
});
