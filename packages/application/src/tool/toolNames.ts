/**
 * What a tool is called in a text that a model reads: by the name that the model calls it by.
 */
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";

/** The model's name of a built-in tool; its own name when the invocation was not given it. */
export const toolName = (snapshot: InvocationToolSnapshot, native: string): string =>
  snapshot.bindings.find(({ descriptor }) => nativeOf(descriptor.id) === native)?.modelAlias ?? native;

/**
 * A finished text with its tools under the model's names. Quoted text and anything that a name is only a part of
 * stay as they are: a file may be called like a tool.
 */
export const inAliases = (snapshot: InvocationToolSnapshot, text: string): string =>
  text.replace(quotedOrDotted, (found) => (found.startsWith('"') ? found : toolName(snapshot, found)));

const nativeOf = (id: string): string => id.slice(id.indexOf(":") + 1);

/** A string in double quotes with its escapes, or words with dots between them that no path goes on around. */
const quotedOrDotted = /"(?:[^"\\]|\\.)*"|(?<![\w/.-])[a-z]\w*(?:\.\w+)+(?![\w/-])/g;
