/** Codes about rule files, and what they refuse. */
import type { FailureEntry } from "../FailureCode.ts";

export const policyCodes = {
  "model.source_denied": { class: "denied", meaning: "The platform's policy does not allow this model." },
  "policy.contract_invalid": { class: "host", meaning: "The policy does not have the form of one." },
  "policy.kind_invalid": { class: "host", meaning: "The document is not a policy." },
  "policy.max_calls_invalid": { class: "host", meaning: "A rule's limit of calls is not a positive whole number." },
  "policy.models_platform_only": { class: "host", meaning: "Only the platform's policy may restrict models." },
  "policy.pattern_invalid": { class: "host", meaning: "A rule names no tool." },
  "policy.rule_empty": { class: "host", meaning: "A rule says nothing about the tools that it names." },
  "policy.schema_unsupported": { class: "host", meaning: "The policy has a version that is not read here." },
  "tool.denied": { class: "denied", meaning: "Policy, or the person who was asked, does not allow the call." },
} as const satisfies Record<string, FailureEntry>;
