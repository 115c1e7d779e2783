/** Codes about tools and the workspace they work in. */
import type { FailureEntry } from "../FailureCode.ts";

export const toolCodes = {
  "tool.executor_failed": { class: "fatal", meaning: "A built-in tool is broken." },
  "tool.id_invalid": { class: "host", meaning: "A tool id has no provider." },
  "tool.invalid_arguments": { class: "recoverable", meaning: "The arguments of a call do not fit the tool." },
  "tool.native_name_empty": { class: "host", meaning: "A tool id has no name." },
  "tool.outcome_unknown": { class: "recoverable", meaning: "It is not known whether an interrupted call took effect." },
  "tool.provider_id_empty": { class: "host", meaning: "A tool id has an empty provider." },
  "agent.child_finish_denied": {
    class: "recoverable",
    meaning: "A delegated task returns a result; it cannot finish the run.",
  },
  "workspace.commit_mode_invalid": { class: "recoverable", meaning: "There is no such mode of committing." },
  "workspace.file_not_found": { class: "recoverable", meaning: "There is no file at this path." },
  "workspace.invalid_char_range": { class: "recoverable", meaning: "The character range does not lie in the file." },
  "workspace.invalid_line_range": { class: "recoverable", meaning: "The line range does not lie in the file." },
  "workspace.invalid_path": { class: "recoverable", meaning: "The path is not one of the workspace." },
  "workspace.list_depth_too_large": { class: "recoverable", meaning: "The listing asks for too many levels." },
  "workspace.mixed_read_range": {
    class: "recoverable",
    meaning: "A range by lines and one by characters were given at once.",
  },
  "workspace.patch_empty_old_string": { class: "recoverable", meaning: "The passage to replace is empty." },
  "workspace.patch_no_change": { class: "recoverable", meaning: "The patch would change nothing." },
  "workspace.patch_old_string_not_found": {
    class: "recoverable",
    meaning: "The passage to replace is not in the file.",
  },
  "workspace.patch_old_string_not_unique": {
    class: "recoverable",
    meaning: "The passage to replace stands in the file more than once.",
  },
  "workspace.patch_requires_full_read": {
    class: "recoverable",
    meaning: "Only a part of the file was read before patching it.",
  },
  "workspace.patch_requires_read": { class: "recoverable", meaning: "The file was not read before patching it." },
  "workspace.patch_stale_file": { class: "recoverable", meaning: "The file changed since it was read." },
  "workspace.path_is_directory": { class: "recoverable", meaning: "The path is a folder." },
  "workspace.path_not_found": { class: "recoverable", meaning: "There is nothing at this path." },
  "workspace.path_not_visible": { class: "recoverable", meaning: "The path lies outside of what this agent may see." },
  "workspace.path_not_writable": {
    class: "recoverable",
    meaning: "The path lies outside of where this agent may write.",
  },
  "workspace.read_char_count_too_large": { class: "recoverable", meaning: "The read asks for too many characters." },
  "workspace.read_line_count_too_large": { class: "recoverable", meaning: "The read asks for too many lines." },
  "workspace.read_too_large": { class: "recoverable", meaning: "The file is too long to be read in one piece." },
  "workspace.required_artifact_empty": { class: "recoverable", meaning: "The file to publish is empty." },
  "workspace.search_context_too_large": {
    class: "recoverable",
    meaning: "The search asks for too many lines around a hit.",
  },
  "workspace.search_limit_invalid": { class: "recoverable", meaning: "The limit of hits is not a positive number." },
  "workspace.search_limit_too_large": { class: "recoverable", meaning: "The search asks for too many hits." },
  "workspace.write_mode_invalid": { class: "recoverable", meaning: "There is no such mode of writing." },
  "workspace.write_requires_read": { class: "recoverable", meaning: "The file was not read before replacing it." },
  "workspace.write_stale_file": { class: "recoverable", meaning: "The file changed since it was read." },
} as const satisfies Record<string, FailureEntry>;
