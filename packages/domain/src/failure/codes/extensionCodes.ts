/** Codes about the tools of extensions. */
import type { FailureEntry } from "../FailureCode.ts";

export const extensionCodes = {
  "extension.message_invalid": {
    class: "host",
    meaning: "What an extension sent over the bridge is no message of its protocol.",
  },
  "extension.registration_invalid": {
    class: "host",
    meaning: "An extension states a tool in a form that cannot be offered.",
  },
  "extension.reply_unexpected": {
    class: "host",
    meaning: "An extension answered a call that it was not asked, or that nobody waits for any more.",
  },
  "extension.tool_duplicate": { class: "host", meaning: "A tool of this id is registered already." },
  "extension.tool_error": { class: "recoverable", meaning: "A tool of an extension failed." },
  "extension.tool_unavailable": {
    class: "recoverable",
    meaning: "The tool of an extension is not registered or is switched off.",
  },
} as const satisfies { readonly [code: string]: FailureEntry };
