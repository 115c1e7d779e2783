/**
 * The docblocks of a source file: of the file itself and of what it exports.
 */
import { parseSync } from "oxc-parser";

/** `module` is the first docblock of the file, `exports` those right before an exported constant. Without the stars. */
export interface Docblocks {
  readonly module: string;
  readonly exports: ReadonlyMap<string, string>;
}

/** Reads the docblocks of one TypeScript file. */
export const read = (path: string, text: string): Docblocks => {
  const { comments, program } = parseSync(path, text, { sourceType: "module" });
  const blocks = comments.filter((comment) => comment.type === "Block" && comment.value.startsWith("*"));
  const before = (start: number): string => {
    const block = blocks.findLast((comment) => comment.end <= start);
    return block !== undefined && text.slice(block.end, start).trim() === "" ? plain(block.value) : "";
  };
  const [first] = blocks;
  return {
    module: first === undefined ? "" : plain(first.value),
    exports: new Map(
      program.body.flatMap((statement) => {
        if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "VariableDeclaration")
          return [];
        return statement.declaration.declarations.flatMap(({ id }) =>
          id.type === "Identifier" ? [[id.name, before(statement.start)] as const] : [],
        );
      }),
    ),
  };
};

/**
 * Which constant of which module each property of an exported object names in a call: of
 * `{ run_created: define("info", lifecycle.RunCreated) }` it is `lifecycle` and `RunCreated`.
 */
export const references = (
  path: string,
  text: string,
  constant: string,
): ReadonlyMap<string, { readonly module: string; readonly name: string }> => {
  const { program } = parseSync(path, text, { sourceType: "module" });
  const declarations = program.body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" && statement.declaration?.type === "VariableDeclaration"
      ? statement.declaration.declarations
      : [],
  );
  const declared = declarations.find(({ id }) => id.type === "Identifier" && id.name === constant)?.init;
  const value = declared?.type === "TSAsExpression" ? declared.expression : declared;
  if (value?.type !== "ObjectExpression") throw new Error(`${path} exports no object ${constant}`);
  return new Map(
    value.properties.flatMap((property) => {
      if (property.type !== "Property" || property.key.type !== "Identifier") return [];
      const named = property.value.type === "CallExpression" ? property.value.arguments : [];
      const reference = named.find((argument) => argument.type === "MemberExpression");
      if (reference?.type !== "MemberExpression" || reference.object.type !== "Identifier") return [];
      if (reference.property.type !== "Identifier") return [];
      return [[property.key.name, { module: reference.object.name, name: reference.property.name }] as const];
    }),
  );
};

const plain = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*+ ?/u, "").trimEnd())
    .join("\n")
    .trim()
    .replaceAll(/(?<=\S)\n(?=\S)/gu, " ");
