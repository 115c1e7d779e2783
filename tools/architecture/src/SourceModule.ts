/**
 * What the rules need to know of one source file, read from its syntax tree.
 *
 * Owns parsing. Does not own where files come from or what is allowed.
 */
import { parseSync, type StaticImport } from "oxc-parser";
import * as SyntaxFacts from "./SyntaxFacts.ts";

/** One import, re-export or `import()` of a literal. `locals` maps a local name to what it names: `*` is the namespace. */
export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  readonly line: number;
  readonly locals: ReadonlyMap<string, string>;
}

export interface SourceModule extends SyntaxFacts.SyntaxFacts {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly errors: ReadonlyArray<string>;
  readonly imports: ReadonlyArray<Import>;
}

/** Reads the facts of one file. A file that does not parse has `errors` and whatever could be read. */
export const parse = (path: string, text: string): SourceModule => {
  const result = parseSync(path, text, { sourceType: "module" });
  const lineAt = lineFinder(text);
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return {
    path,
    text,
    lines,
    errors: result.errors.map((error) => error.message),
    imports: [
      ...result.module.staticImports.map((entry) => ofStaticImport(entry, lineAt)),
      ...result.module.staticExports.flatMap((statement) =>
        statement.entries.flatMap((entry) =>
          entry.moduleRequest === null
            ? []
            : [
                {
                  specifier: entry.moduleRequest.value,
                  typeOnly: entry.isType,
                  dynamic: false,
                  line: lineAt(statement.start),
                  locals: new Map<string, string>(),
                },
              ],
        ),
      ),
      ...result.module.dynamicImports.flatMap((entry) => {
        const literal = /^["'`]([^"'`$]+)["'`]$/u.exec(text.slice(entry.moduleRequest.start, entry.moduleRequest.end));
        const specifier = literal?.[1];
        if (specifier === undefined) return [];
        return [
          { specifier, typeOnly: false, dynamic: true, line: lineAt(entry.start), locals: new Map<string, string>() },
        ];
      }),
    ],
    ...SyntaxFacts.read(result.program, lineAt),
  };
};

const ofStaticImport = (entry: StaticImport, lineAt: (offset: number) => number): Import => ({
  specifier: entry.moduleRequest.value,
  typeOnly: entry.entries.length > 0 && entry.entries.every((name) => name.isType),
  dynamic: false,
  line: lineAt(entry.start),
  locals: new Map(entry.entries.map((name) => [name.localName.value, importedName(name.importName)])),
});

/** The namespace is `*`; a name that is missing is the default's. */
const importedName = (name: StaticImport["entries"][number]["importName"]): string => {
  const kind: string = name.kind;
  return kind === "NamespaceObject" ? "*" : (name.name ?? "default");
};

const lineFinder = (text: string): ((offset: number) => number) => {
  const starts = [0, ...[...text.matchAll(/\n/gu)].map((match) => match.index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
};
