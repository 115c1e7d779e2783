/**
 * Fits a Python program to the engine: modules that the engine lacks become names that the child answers for, and relative
 * paths get the current folder.
 *
 * Owns the text before it is run and the line numbers of what is said about it. Does not own what the names do.
 */

/** Modules that the child gives to programs, by their Python names. */
const modules: ReadonlySet<string> = new Set(["sys", "time", "random"]);

/** The name by which a program has a module of the child. */
export const moduleName = (module: string): string => `__cahier_${module}__`;

/** The name by which a program has one function of such a module; undoes itself by `functionOf`. */
const functionName = (module: string, name: string): string => `__cahier_${module}_${name}__`;

/** `module.name` of a name that `fit` made, or null. */
export const functionOf = (name: string): string | null => {
  const [, module, member] = /^__cahier_([a-z]+)_(\w+)__$/.exec(name) ?? [];
  return module === undefined || member === undefined ? null : `${module}.${member}`;
};

/** What of a module is a value and not a function. */
const values: ReadonlySet<string> = new Set(["argv", "stdin", "stdout", "stderr", "version", "platform", "maxsize"]);

export const currentFolder = "__cahier_cwd__";

export interface Fitted {
  readonly source: string;
  /** Lines put before the program's own. */
  readonly linesBefore: number;
  /** The program may open files. */
  readonly opensFiles: boolean;
}

export const fit = (source: string, cwd: string): Fitted => {
  const { code, literals } = mask(source.replaceAll("\r\n", "\n"));
  const opensFiles = /\bopen\s*\(|\bPath\b/.test(code);
  const away = cwd !== "/" && opensFiles;
  const lines = code
    .split("\n")
    .map((line) => line.replace(/^(\s*)(import|from)\s.*$/, (whole) => importLine(whole)))
    .join("\n")
    .replace(/\bin\s+sys\.stdin\b(?!\s*\.)/g, "in sys.stdin.readlines()");
  const placed = away
    ? lines
        .replace(/(?<![.\w])open\s*\(/g, "__cahier_open__(")
        .replace(/(?<!\w)Path\s*\(/g, `Path(${JSON.stringify(cwd)}, `)
    : lines;
  return {
    source: `${away ? prelude : ""}${unmask(placed, literals)}`,
    linesBefore: away ? 1 : 0,
    opensFiles,
  };
};

const prelude =
  "def __cahier_open__(file, mode='r', *more, **options): " +
  `return open(file if str(file).startswith('/') else ${currentFolder} + str(file), mode)\n`;

/** Line numbers as in the program that was given. */
export const unshift = (traceback: string, name: string, linesBefore: number): string =>
  linesBefore === 0
    ? traceback
    : traceback.replace(/File "([^"]*)", line (\d+)/g, (whole, file: string, line: string) =>
        file === name ? `File "${file}", line ${Math.max(1, Number(line) - linesBefore)}` : whole,
      );

/** One line that begins with an import; what stands behind a semicolon stays. */
const importLine = (line: string): string => {
  const [statement = "", ...further] = line.split(";");
  const rest = further.length === 0 ? "" : `;${further.join(";")}`;
  const [, indent = "", plain] = /^(\s*)import\s+(.+?)\s*$/.exec(statement) ?? [];
  if (plain !== undefined) {
    const parts = plain.split(",").map((part) => part.trim());
    const foreign = parts.filter((part) => !modules.has(moduleOf(part)));
    const ours = parts
      .filter((part) => modules.has(moduleOf(part)))
      .map((part) => bind(part, moduleName(moduleOf(part))));
    if (ours.length === 0) return line;
    const kept = foreign.length === 0 ? [] : [`import ${foreign.join(", ")}`];
    return `${indent}${[...kept, ...ours].join("; ")}${rest}`;
  }
  const [, , module, names] = /^(\s*)from\s+(\w+)\s+import\s+([^()]+?)\s*$/.exec(statement) ?? [];
  if (module === undefined || names === undefined || !modules.has(module)) return line;
  const bound = names.split(",").map((part) => {
    const member = moduleOf(part.trim());
    return bind(part.trim(), values.has(member) ? `${moduleName(module)}.${member}` : functionName(module, member));
  });
  return `${/^\s*/.exec(statement)?.[0] ?? ""}${bound.join("; ")}${rest}`;
};

/** `name` of `name as other`. */
const moduleOf = (part: string): string => part.split(/\s+as\s+/)[0] ?? part;

const bind = (part: string, value: string): string => `${part.split(/\s+as\s+/)[1] ?? moduleOf(part)} = ${value}`;

/** A literal stands for itself between two characters that no program has. */
const open = "\uE000";
const close = "\uE001";

/** Takes strings and comments out of the way. */
const mask = (source: string): { readonly code: string; readonly literals: ReadonlyArray<string> } => {
  const literals: Array<string> = [];
  const code = source.replace(
    /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/g,
    (literal) => `${open}${literals.push(literal) - 1}${close}`,
  );
  return { code, literals };
};

const unmask = (code: string, literals: ReadonlyArray<string>): string =>
  code.replace(new RegExp(`${open}(\\d+)${close}`, "g"), (_, index: string) => literals[Number(index)] ?? "");
