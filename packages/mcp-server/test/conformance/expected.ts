/**
 * What of the official conformance packages is run against the server, and which checks are expected to fail, with the reason of each.
 *
 * A check is named by its scenario and its own id. One that is expected to fail and does not is as wrong as one that fails.
 */

/** `program` is run with these arguments beside the address of the server. */
export interface Suite {
  readonly name: string;
  readonly program: string;
  readonly arguments: ReadonlyArray<string>;
}

/** Both eras; the specification of 2025-11-25 as the package of its time has it, and as the newer one has. */
export const suites: ReadonlyArray<Suite> = [
  {
    name: "until 2025-11-25",
    program: import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"),
    arguments: ["--suite", "all"],
  },
  {
    name: "2025-11-25",
    program: import.meta.resolve("mcp-conformance-next/dist/index.js"),
    arguments: ["--requirements", "2025-11-25"],
  },
  {
    name: "2026-07-28",
    program: import.meta.resolve("mcp-conformance-next/dist/index.js"),
    arguments: ["--requirements", "2026-07-28"],
  },
];

export interface Expected {
  readonly reason: string;
  readonly checks: ReadonlyArray<string>;
}

export const expected: ReadonlyArray<Expected> = [
  {
    reason: "It asks for tools that only a server made for tests has, and checks what those answer.",
    checks: [
      "elicitation-sep1034-defaults elicitation-sep1034-general",
      "elicitation-sep1330-enums elicitation-sep1330-general",
      "http-custom-header-server-validation sep-2243-server-decode-base64",
      "http-custom-header-server-validation sep-2243-server-no-xmcp-tool",
      "http-custom-header-server-validation sep-2243-server-reject-invalid-param-chars",
      "http-custom-header-server-validation sep-2243-server-reject-param-mismatch",
      "http-custom-header-server-validation sep-2243-server-validate-param-match",
      "json-schema-2020-12 json-schema-2020-12-tool-found",
      "server-stateless sep-2575-http-server-no-independent-requests-on-stream",
      "server-stateless sep-2575-missing-capability-http-400",
      "server-stateless sep-2575-server-no-log-without-loglevel",
      "server-stateless sep-2575-server-rejects-undeclared-capability",
      "tools-call-audio tools-call-audio",
      "tools-call-elicitation tools-call-elicitation",
      "tools-call-embedded-resource tools-call-embedded-resource",
      "tools-call-error tools-call-error",
      "tools-call-image tools-call-image",
      "tools-call-mixed-content tools-call-mixed-content",
      "tools-call-sampling tools-call-sampling",
      "tools-call-simple-text tools-call-simple-text",
      "tools-call-with-progress tools-call-with-progress",
    ],
  },
  {
    reason:
      "It asks for tools or prompts that only a server made for tests has: nothing that is offered asks its client for anything.",
    checks: [
      "input-required-result-basic-elicitation sep-2322-elicitation-incomplete",
      "input-required-result-basic-list-roots sep-2322-list-roots-incomplete",
      "input-required-result-basic-sampling sep-2322-sampling-incomplete",
      "input-required-result-capability-check sep-2322-respect-client-capabilities",
      "input-required-result-multi-round sep-2322-multi-round-r1",
      "input-required-result-multiple-input-requests sep-2322-multiple-inputs-incomplete",
      "input-required-result-non-tool-request sep-2322-non-tool-incomplete",
      "input-required-result-request-state sep-2322-request-state-incomplete",
      "input-required-result-result-type sep-2322-result-type-included",
      "input-required-result-tampered-state sep-2322-reject-tampered-state",
    ],
  },
  {
    reason: "It reads resources with the URIs of a server made for tests. The resources here are runs and their files.",
    checks: [
      "resources-read-binary resources-read-binary",
      "resources-read-text resources-read-text",
      "resources-templates-read resources-templates-read",
    ],
  },
  {
    reason: "Subscriptions to resources are not offered, and the server does not say that they are.",
    checks: ["resources-subscribe resources-subscribe", "resources-unsubscribe resources-unsubscribe"],
  },
  {
    reason: "Prompts are not offered, and the server does not say that they are.",
    checks: [
      "caching sep-2549-prompts-list-caching-hints",
      "prompts-get-embedded-resource prompts-get-embedded-resource",
      "prompts-get-simple prompts-get-simple",
      "prompts-get-with-args prompts-get-with-args",
      "prompts-get-with-image prompts-get-with-image",
      "prompts-list prompts-list",
    ],
  },
  {
    reason:
      "Log messages are not sent to clients, and the server does not say that they are: the newest protocol gives them up.",
    checks: ["logging-set-level logging-set-level", "tools-call-with-logging tools-call-with-logging"],
  },
  {
    reason: "Tasks are an extension that is not offered, and the server does not say that it is.",
    checks: [
      "tasks-capability-negotiation sep-2663-server-rejects-undeclared-client",
      "tasks-capability-negotiation sep-2663-tasks-methods-non-declaring",
      "tasks-capability-negotiation tasks-extension-advertised",
      "tasks-capability-negotiation tasks-per-request-meta-opt-in",
      "tasks-dispatch-and-envelope sep-2663-durable-create-strong-consistency",
      "tasks-dispatch-and-envelope sep-2663-legacy-task-param-ignored",
      "tasks-dispatch-and-envelope sep-2663-tasks-get-invalid-task-id-32602",
      "tasks-dispatch-and-envelope tasks-immediate-result-shortcut",
      "tasks-dispatch-and-envelope tasks-result-type-complete-on-non-task-responses",
      "tasks-dispatch-and-envelope tasks-server-directed-creation-no-hint",
      "tasks-lifecycle sep-2663-cancel-ack-empty-result",
      "tasks-lifecycle sep-2663-result-type-task-on-create",
      "tasks-lifecycle sep-2663-tasks-get-status-completed",
      "tasks-lifecycle sep-2663-tasks-get-status-failed",
      "tasks-lifecycle sep-2663-tasks-get-status-working",
      "tasks-lifecycle sep-2663-tool-error-uses-completed-status",
      "tasks-lifecycle tasks-cancel-terminal-idempotent-ack",
      "tasks-lifecycle tasks-sync-tool-call",
      "tasks-mrtr-composition sep-2663-mrtr-synchronous-before-task-creation",
      "tasks-mrtr-input sep-2663-tasks-get-status-input-required",
      "tasks-mrtr-input tasks-mrtr-partial-fulfillment",
      "tasks-mrtr-input tasks-mrtr-tasks-update-resumes",
      "tasks-request-headers sep-2663-routing-headers-accepted-on-tasks-get",
      "tasks-request-headers sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
      "tasks-request-headers tasks-headers-tolerate-mcp-method-on-tools-call",
      "tasks-request-state-removal tasks-request-state-removal-setup",
      "tasks-required-task-error sep-2663-server-returns-missing-capability-when-required",
      "tasks-wire-fields tasks-no-early-ttl-expiry",
      "tasks-wire-fields tasks-no-related-task-meta-on-inlined-result",
      "tasks-wire-fields tasks-wire-field-renames",
    ],
  },
];
