import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { ConnectionSource } from "../../src/connection/connectionNames.ts";
import * as LlmConnection from "../../src/connection/LlmConnection.ts";
import { connectionCodes } from "../../src/failure/codes/connectionCodes.ts";

const ref = (key: string, more: object = {}) => ({ secretRef: { key, id: "default", ...more } });

const openai = {
  kind: "cahier.llmConnection",
  schemaVersion: 1,
  id: "home",
  displayName: "Home",
  provider: { chatCompletionSource: "openai" },
  auth: ref("OPENAI_API_KEY"),
};

const custom = {
  ...openai,
  provider: { chatCompletionSource: "custom" },
  endpoint: { baseUrl: "http://127.0.0.1:8080/v1" },
};

const of = (source: string, more: object = {}) => ({
  ...openai,
  provider: { chatCompletionSource: source },
  auth: ref("THE_KEY"),
  ...more,
});

const settings = (sourceSpecific: unknown) => ({ endpoint: { sourceSpecific } });

const issues = (input: unknown) => {
  const read = LlmConnection.decode(input);
  return Result.isFailure(read) ? read.failure : [];
};

const decoded = (input: unknown): LlmConnection.LlmConnection => {
  const read = LlmConnection.decode(input);
  if (Result.isFailure(read)) throw new Error(JSON.stringify(read.failure));
  return read.success;
};

const without = (key: keyof typeof openai): object =>
  Object.fromEntries(Object.entries(openai).filter(([name]) => name !== key));

/** What is wrong, where, and in which connection. */
const wrong: ReadonlyArray<readonly [code: string, path: string, input: unknown]> = [
  ["llm_connection.contract_invalid", "", ["not", "an", "object"]],
  ["llm_connection.contract_invalid", "extra", { ...openai, extra: 1 }],
  ["llm_connection.contract_invalid", "prices.input", { ...openai, prices: { currency: "EUR", input: -1, output: 1 } }],
  ["llm_connection.contract_invalid", "prices.currency", { ...openai, prices: { currency: " ", input: 1, output: 1 } }],
  ["llm_connection.kind_invalid", "kind", { ...openai, kind: "cahier.policy" }],
  ["llm_connection.schema_unsupported", "schemaVersion", { ...openai, schemaVersion: 2 }],
  ["llm_connection.id_empty", "id", without("id")],
  ["llm_connection.id_empty", "id", { ...openai, id: " " }],
  ["llm_connection.id_too_long", "id", { ...openai, id: "a".repeat(129) }],
  ["llm_connection.id_invalid", "id", { ...openai, id: "Home" }],
  ["llm_connection.id_invalid", "id", { ...openai, id: "../home" }],
  ["llm_connection.display_name_required", "displayName", without("displayName")],
  ["llm_connection.source_unsupported", "provider.chatCompletionSource", without("provider")],
  ["llm_connection.source_unsupported", "provider.chatCompletionSource", of("toString")],
  [
    "llm_connection.custom_api_format_unsupported",
    "provider.customApiFormat",
    { ...custom, provider: { chatCompletionSource: "custom", customApiFormat: "scripted" } },
  ],
  [
    "llm_connection.custom_api_format_non_custom",
    "provider.customApiFormat",
    { ...openai, provider: { chatCompletionSource: "openai", customApiFormat: "openai-chat" } },
  ],
  [
    "llm_connection.transport_unsupported",
    "provider.transport",
    { ...openai, provider: { chatCompletionSource: "openai", transport: "websocket" } },
  ],
  [
    "llm_connection.transport_unsupported",
    "provider.transport",
    { ...custom, provider: { chatCompletionSource: "custom", transport: "websocket" } },
  ],
  [
    "llm_connection.prompt_cache_unsupported",
    "provider.promptCacheTtl",
    { ...openai, provider: { chatCompletionSource: "openai", promptCacheTtl: "1h" } },
  ],
  [
    "llm_connection.contract_invalid",
    "provider.promptCacheTtl",
    of("anthropic", { provider: { chatCompletionSource: "anthropic", promptCacheTtl: "2h" } }),
  ],
  ["llm_connection.contract_invalid", "endpoint.network", { ...openai, endpoint: { network: "public" } }],
  ["llm_connection.custom_base_url_required", "endpoint.baseUrl", { ...custom, endpoint: {} }],
  ["llm_connection.base_url_empty", "endpoint.baseUrl", { ...custom, endpoint: { baseUrl: " " } }],
  ["llm_connection.base_url_invalid", "endpoint.baseUrl", { ...custom, endpoint: { baseUrl: "file:///etc" } }],
  ["llm_connection.base_url_invalid", "endpoint.baseUrl", { ...custom, endpoint: { baseUrl: "http://me:pw@host" } }],
  ["llm_connection.base_url_invalid", "endpoint.baseUrl", { ...custom, endpoint: { baseUrl: "http://host?key=a" } }],
  [
    "llm_connection.base_url_link_local",
    "endpoint.baseUrl",
    { ...custom, endpoint: { baseUrl: "http://169.254.1.1" } },
  ],
  [
    "llm_connection.base_url_link_local",
    "routing.reverseProxy.url",
    { ...openai, routing: { reverseProxy: { url: "http://metadata.google.internal/v1" } } },
  ],
  ["llm_connection.base_url_non_custom", "endpoint.baseUrl", { ...openai, endpoint: { baseUrl: "http://host" } }],
  ["llm_connection.secret_key_required", "auth.secretRef.key", { ...openai, auth: { secretRef: { id: "a" } } }],
  ["llm_connection.secret_id_required", "auth.secretRef.id", { ...openai, auth: { secretRef: { key: "THE_KEY" } } }],
  ["llm_connection.secret_key_mismatch", "auth.secretRef.key", { ...openai, auth: ref("ANTHROPIC_API_KEY") }],
  ["llm_connection.secret_key_mismatch", "auth.secretRef.key", { ...openai, auth: ref("api_key_claude") }],
  [
    "llm_connection.reverse_proxy_unsupported",
    "routing.reverseProxy",
    of("groq", { routing: { reverseProxy: { url: "https://proxy" } } }),
  ],
  ["llm_connection.reverse_proxy_empty", "routing.reverseProxy.url", { ...openai, routing: { reverseProxy: {} } }],
  [
    "llm_connection.base_url_invalid",
    "routing.reverseProxy.url",
    { ...openai, routing: { reverseProxy: { url: "https://me:pw@proxy" } } },
  ],
  ["llm_connection.source_specific_type_invalid", "endpoint.sourceSpecific", { ...openai, ...settings("eu") }],
  [
    "llm_connection.source_specific_type_invalid",
    "endpoint.sourceSpecific.workers_ai_account_id",
    of("workers_ai", settings({ workers_ai_account_id: "a/../b" })),
  ],
  [
    "llm_connection.source_specific_unknown",
    "endpoint.sourceSpecific.toString",
    { ...openai, ...settings({ toString: "a" }) },
  ],
  [
    "llm_connection.source_specific_source_mismatch",
    "endpoint.sourceSpecific.vertexai_region",
    { ...openai, ...settings({ vertexai_region: "global" }) },
  ],
  [
    "llm_connection.vertexai_auth_mode_unsupported",
    "endpoint.sourceSpecific.vertexai_auth_mode",
    of("vertexai", settings({ vertexai_auth_mode: "oauth" })),
  ],
  [
    "llm_connection.vertexai_auth_mode_unsupported",
    "endpoint.sourceSpecific.vertexai_auth_mode",
    of("vertexai", settings({ vertexai_auth_mode: "full", vertexai_region: "global" })),
  ],
  ["llm_connection.workers_ai_account_required", "endpoint.sourceSpecific.workers_ai_account_id", of("workers_ai")],
  [
    "llm_connection.aws_bedrock_custom_template_incomplete",
    "endpoint.sourceSpecific.aws_bedrock_region",
    of("aws_bedrock", settings({ aws_bedrock_endpoint_template: "https://bedrock.{region}.internal/v1" })),
  ],
];

describe("a connection", () => {
  it.each(wrong)("is refused with %s at %s", (code, path, input) => {
    assert.deepStrictEqual(
      issues(input).map((found) => [found.code, found.path]),
      [[code, path]],
    );
  });

  it("has no code that no rule reports, but for those of what is stored and of the secrets file", () => {
    const reported = new Set(wrong.map(([code]) => code));
    assert.deepStrictEqual(
      Object.keys(connectionCodes).filter((code) => !reported.has(code)),
      ["llm_connection.not_found", "llm_connection.secrets_file_exposed", "llm_connection.secrets_file_invalid"],
    );
  });

  it("is refused with everything that is wrong, and never repeats a secret that stands where its name belongs", () => {
    const found = issues({ ...openai, id: "", displayName: "", auth: ref("sk-very-secret") });
    assert.deepStrictEqual(
      found.map(({ code }) => code),
      ["llm_connection.id_empty", "llm_connection.display_name_required", "llm_connection.secret_key_required"],
    );
    assert.notInclude(JSON.stringify(found), "sk-very-secret");
  });

  it("is read from another program with our names for its kind, source and format", () => {
    const imported = {
      ...custom,
      kind: "tauritavern.llmConnection",
      provider: { chatCompletionSource: "custom", customApiFormat: "claude_messages" },
      endpoint: { baseUrl: " https://host/v1/ " },
    };
    const connection = decoded(imported);
    assert.strictEqual(connection.kind, "cahier.llmConnection");
    assert.strictEqual(connection.provider.customApiFormat, "anthropic-messages");
    assert.strictEqual(connection.endpoint?.baseUrl, "https://host/v1");
    assert.strictEqual(decoded(of("makersuite")).provider.chatCompletionSource, "gemini");
    assert.strictEqual(
      decoded({ ...openai, provider: { chatCompletionSource: "Claude" }, auth: ref("api_key_claude") }).provider
        .chatCompletionSource,
      "anthropic",
    );
    assert.deepStrictEqual(decoded(connection), connection);
  });

  it("needs no secret where the server may go without one", () => {
    const { auth: _, ...open } = custom;
    assert.notProperty(LlmConnection.bindingOf(decoded(open), "llama"), "secret");
    assert.notProperty(LlmConnection.bindingOf(decoded({ ...open, ...ofOllama }), "llama"), "secret");
  });

  it.each(ConnectionSource.literals)("leads to a model of %s", (source) => {
    const binding = LlmConnection.bindingOf(decoded(of(source, needed[source])), "a-model");
    assert.strictEqual(binding.source, source);
    assert.deepStrictEqual(binding.secret, { key: "THE_KEY" });
  });
});

const ofOllama = { provider: { chatCompletionSource: "ollama" }, endpoint: {} };

const needed: Readonly<Partial<Record<ConnectionSource, object>>> = {
  custom: { endpoint: { baseUrl: "https://host/v1" } },
  workers_ai: settings({ workers_ai_account_id: "abc" }),
  aws_bedrock: settings({ aws_bedrock_region: "eu-central-1" }),
};

describe("the address of a connection", () => {
  const codesOf = (baseUrl: string) => issues({ ...custom, endpoint: { baseUrl } }).map(({ code }) => code);

  it.each([
    "http://169.254.169.254/latest",
    "http://2852039166",
    "http://0xa9fea9fe:80/v1",
    "http://0251.0376.0251.0376/",
    "http://[fe80::1]:8080/v1",
    "http://[::ffff:169.254.169.254]/",
    "http://[fd00:ec2::254]/",
    "http://[fd20:ce::254]/",
    "http://[fd20:00ce:0::0254]/",
    "http://[fd00:c1::a9fe:a9fe]/",
    "http://[fd00:c1::169.254.169.254]/",
    "http://[::a9fe:a9fe]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://100.100.100.200/",
    "http://METADATA.google.internal./",
  ])("is not link-local and not that of a metadata service, in whatever form it is written: %s", (address) => {
    assert.deepStrictEqual(codesOf(address), ["llm_connection.base_url_link_local"]);
  });

  it.each([
    "http://127.0.0.1:8080/v1",
    "http://[::1]:8080",
    "http://localhost/v1",
    "http://192.168.0.7",
    "https://10.0.0.1/v1",
  ])("may be that of a server of one's own: %s", (address) => {
    assert.deepStrictEqual(codesOf(address), []);
  });
});

describe("the binding of a connection", () => {
  it("holds endpoint, secret reference, label, prices and model", () => {
    const prices = { currency: "EUR", input: 3, cached: 0.3, output: 15 };
    const connection = decoded({ ...custom, auth: ref("MY_KEY", { labelSnapshot: "Mine" }), prices });
    assert.deepStrictEqual(LlmConnection.bindingOf(connection, "llama"), {
      source: "custom",
      format: "openai-chat",
      modelId: "llama",
      baseUrl: "http://127.0.0.1:8080/v1",
      secret: { key: "MY_KEY", label: "Mine" },
      prices,
    });
  });

  it("says how the server is to be asked, and keeps all of it when it is read again", () => {
    const socket = decoded({
      ...custom,
      provider: { chatCompletionSource: "custom", customApiFormat: "openai-responses", transport: "websocket" },
      endpoint: { baseUrl: "https://models.home/v1", network: "private" },
      adapterHints: { syntheticToolCallIds: true },
    });
    assert.deepStrictEqual(decoded(socket), socket);
    const binding = LlmConnection.bindingOf(socket, "m");
    assert.deepStrictEqual([binding.transport, binding.network], ["websocket", "private"]);
    assert.notProperty(binding, "promptCacheTtl");
    assert.notProperty(binding, "syntheticToolCallIds");
  });

  it.each(["anthropic", "openrouter", "nanogpt"])("can say how long %s is to keep a prompt", (chatCompletionSource) => {
    const kept = decoded(of(chatCompletionSource, { provider: { chatCompletionSource, promptCacheTtl: "1h" } }));
    assert.deepStrictEqual(decoded(kept), kept);
    assert.strictEqual(LlmConnection.bindingOf(kept, "m").promptCacheTtl, "1h");
  });

  it("lets a server leave ids of tool calls out only where the hint says so in so many words", () => {
    const hinted = (adapterHints: unknown) => LlmConnection.bindingOf(decoded(of("deepseek", { adapterHints })), "m");
    assert.strictEqual(hinted({ syntheticToolCallIds: true }).syntheticToolCallIds, true);
    for (const others of [{}, { syntheticToolCallIds: "true" }, { syntheticToolCallIds: 1 }, null, [true], "yes"])
      assert.notProperty(hinted(others), "syntheticToolCallIds");
  });

  it.each([
    [openai, "openai-chat", undefined],
    [{ ...openai, routing: { reverseProxy: { url: "https://proxy/v1/" } } }, "openai-chat", "https://proxy/v1"],
    [of("anthropic"), "anthropic-messages", undefined],
    [of("gemini"), "gemini-generate-content", undefined],
    [of("vertexai", { auth: ref("GOOGLE_API_KEY") }), "gemini-generate-content", undefined],
    [
      of(
        "vertexai",
        settings({ vertexai_auth_mode: "full", vertexai_project_id: "my-project", vertexai_region: "europe-west1" }),
      ),
      "gemini-generate-content",
      "https://europe-west1-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west1/publishers/google",
    ],
    [
      of(
        "vertexai",
        settings({ vertexai_auth_mode: "full", vertexai_project_id: "example.com:p", vertexai_region: "global" }),
      ),
      "gemini-generate-content",
      "https://aiplatform.googleapis.com/v1/projects/example.com:p/locations/global/publishers/google",
    ],
    [of("workers_ai", needed.workers_ai), "openai-chat", "https://api.cloudflare.com/client/v4/accounts/abc/ai/v1"],
    [
      of("aws_bedrock", needed.aws_bedrock),
      "openai-chat",
      "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1",
    ],
    [
      of(
        "aws_bedrock",
        settings({
          aws_bedrock_region: "eu-central-1",
          aws_bedrock_endpoint_template: "https://bedrock.{region}.internal/v1/",
        }),
      ),
      "openai-chat",
      "https://bedrock.eu-central-1.internal/v1",
    ],
  ] as const)("has the format and the address of its source (%#)", (input, format, baseUrl) => {
    const binding = LlmConnection.bindingOf(decoded(input), "a-model");
    assert.strictEqual(binding.format, format);
    assert.strictEqual(binding.baseUrl, baseUrl);
  });
});
