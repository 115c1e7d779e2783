/**
 * What the rules need to know of one source file, read from its syntax tree.
 *
 * Owns parsing. Does not own where files come from or what is allowed.
 */
import {
  type CallExpression,
  type Class,
  type Expression,
  type MemberExpression,
  type ModuleExportName,
  parseSync,
  type Program,
  type StaticImport,
  type TSSignature,
  Visitor,
} from "oxc-parser";

/** One import, re-export or `import()` of a literal. `locals` maps a local name to what it names: `*` is the namespace. */
export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
  readonly line: number;
  readonly locals: ReadonlyMap<string, string>;
}

/** `object.property` where the object is a plain identifier. */
export interface Member {
  readonly object: string;
  readonly property: string;
  readonly line: number;
}

/** A class that extends `Context.Service`. `members` is absent when the shape is not written in the same file. */
export interface Service {
  readonly name: string;
  readonly key: string | undefined;
  readonly line: number;
  readonly members: ReadonlyArray<ServiceMember> | undefined;
}

export interface ServiceMember {
  readonly name: string;
  readonly isReadonly: boolean;
  readonly isOptional: boolean;
}

/** A property whose value is a string literal, or whose key is one. */
export interface Property {
  readonly key: string;
  readonly value: string | undefined;
  readonly line: number;
}

export interface SourceModule {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly errors: ReadonlyArray<string>;
  readonly imports: ReadonlyArray<Import>;
  readonly exports: ReadonlyArray<string>;
  readonly members: ReadonlyArray<Member>;
  readonly services: ReadonlyArray<Service>;
  readonly properties: ReadonlyArray<Property>;
  /** Lines of `new Date()` without arguments. */
  readonly clockReads: ReadonlyArray<number>;
  /** Services that the module provides, each as the text of the expression: `BlobStore.BlobStore`. */
  readonly provided: ReadonlySet<string>;
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
    ...walk(result.program, lineAt),
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

const walk = (program: Program, lineAt: (offset: number) => number) => {
  const exports: Array<string> = [];
  const members: Array<Member> = [];
  const services: Array<Service> = [];
  const properties: Array<Property> = [];
  const clockReads: Array<number> = [];
  const provided = new Set<string>();
  const shapes = shapesOf(program);
  new Visitor({
    MemberExpression: (node) => {
      const member = memberOf(node);
      if (member === undefined) return;
      members.push({ ...member, line: lineAt(node.start) });
    },
    CallExpression: (node) => {
      for (const service of providedBy(node)) provided.add(service);
    },
    ClassDeclaration: (node) => {
      const service = serviceOf(node, shapes, lineAt);
      if (service !== undefined) services.push(service);
    },
    NewExpression: (node) => {
      if (node.callee.type !== "Identifier" || node.callee.name !== "Date" || node.arguments.length > 0) return;
      clockReads.push(lineAt(node.start));
    },
    Property: (node) => {
      const key = keyOf(node.key);
      if (key === undefined) return;
      const value =
        node.value.type === "Literal" && typeof node.value.value === "string" ? node.value.value : undefined;
      properties.push({ key, value, line: lineAt(node.start) });
    },
    ExportNamedDeclaration: (node) => {
      exports.push(...exportedNames(node));
    },
  }).visit(program);
  return { exports, members, services, properties, clockReads, provided };
};

const memberOf = (node: MemberExpression): { readonly object: string; readonly property: string } | undefined => {
  if (node.object.type !== "Identifier") return undefined;
  if (!node.computed && node.property.type === "Identifier") {
    return { object: node.object.name, property: node.property.name };
  }
  if (node.computed && node.property.type === "Literal" && typeof node.property.value === "string") {
    return { object: node.object.name, property: node.property.value };
  }
  return undefined;
};

const dotted = (node: { readonly type: string }): string | undefined => {
  const expression = node as Expression;
  if (expression.type === "Identifier") return expression.name;
  if (expression.type !== "MemberExpression") return undefined;
  const member = memberOf(expression);
  return member === undefined ? undefined : `${member.object}.${member.property}`;
};

/** `Layer.effect(Tag, ...)`, `Context.make(Tag, ...)`, `Context.add(Tag, ...)` and `Tag.of(...)` provide `Tag`. */
const providedBy = (call: CallExpression): ReadonlyArray<string> => {
  if (call.callee.type !== "MemberExpression" || call.callee.property.type !== "Identifier") return [];
  if (call.callee.property.name === "of") {
    const tag = dotted(call.callee.object);
    return tag === undefined ? [] : [tag];
  }
  if (call.callee.object.type !== "Identifier" || !["Layer", "Context"].includes(call.callee.object.name)) return [];
  return call.arguments.flatMap((argument) => {
    const tag = dotted(argument);
    return tag === undefined ? [] : [tag];
  });
};

const serviceOf = (
  node: Class,
  shapes: ReadonlyMap<string, ReadonlyArray<TSSignature>>,
  lineAt: (offset: number) => number,
): Service | undefined => {
  const outer = node.superClass;
  if (node.id === null || outer?.type !== "CallExpression" || outer.callee.type !== "CallExpression") return undefined;
  const inner = outer.callee;
  if (dotted(inner.callee) !== "Context.Service") return undefined;
  const shape = inner.typeArguments?.params[1];
  const signatures =
    shape?.type === "TSTypeLiteral"
      ? shape.members
      : shape?.type === "TSTypeReference" && shape.typeName.type === "Identifier"
        ? shapes.get(shape.typeName.name)
        : undefined;
  const key = outer.arguments[0];
  return {
    name: node.id.name,
    key: key?.type === "Literal" && typeof key.value === "string" ? key.value : undefined,
    line: lineAt(node.start),
    members: signatures?.map(serviceMember),
  };
};

const serviceMember = (signature: TSSignature): ServiceMember => {
  if (signature.type === "TSPropertySignature") {
    return { name: keyOf(signature.key) ?? "?", isReadonly: signature.readonly, isOptional: signature.optional };
  }
  if (signature.type === "TSMethodSignature") {
    return { name: keyOf(signature.key) ?? "?", isReadonly: false, isOptional: signature.optional };
  }
  return { name: "?", isReadonly: false, isOptional: false };
};

const shapesOf = (program: Program): ReadonlyMap<string, ReadonlyArray<TSSignature>> =>
  new Map(
    program.body.flatMap((statement) => {
      const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (declaration?.type !== "TSInterfaceDeclaration") return [];
      return [[declaration.id.name, declaration.body.body] as const];
    }),
  );

const keyOf = (node: { readonly type: string }): string | undefined => {
  const key = node as Expression;
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : undefined;
};

type NamedExport = Extract<Program["body"][number], { readonly type: "ExportNamedDeclaration" }>;

const exportedNames = (node: NamedExport): ReadonlyArray<string> => {
  const declaration = node.declaration;
  if (declaration === null) return node.specifiers.map((specifier) => nameOf(specifier.exported));
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.flatMap((entry) => (entry.id.type === "Identifier" ? [entry.id.name] : []));
  }
  return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : [];
};

const nameOf = (name: ModuleExportName): string => (name.type === "Literal" ? name.value : name.name);

const lineFinder = (text: string): ((offset: number) => number) => {
  const starts = [0, ...[...text.matchAll(/\n/gu)].map((match) => match.index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
};
