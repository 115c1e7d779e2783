/**
 * What the rules need to know of a syntax tree besides its imports: names, members, services, properties.
 */
import {
  type CallExpression,
  type Class,
  type Expression,
  type MemberExpression,
  type ModuleExportName,
  type ParamPattern,
  type Program,
  type TSSignature,
  Visitor,
} from "oxc-parser";

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

export interface SyntaxFacts {
  readonly exports: ReadonlyArray<string>;
  readonly members: ReadonlyArray<Member>;
  readonly services: ReadonlyArray<Service>;
  readonly properties: ReadonlyArray<Property>;
  /** Names that the module itself gives to variables and parameters, at any depth. */
  readonly declared: ReadonlySet<string>;
  /** Lines of `new Date()` without arguments. */
  readonly clockReads: ReadonlyArray<number>;
  /** Services that the module provides, each as the text of the expression: `BlobStore.BlobStore`. */
  readonly provided: ReadonlySet<string>;
}

/** Walks the tree once. `lineAt` gives the line of an offset. */
export const read = (program: Program, lineAt: (offset: number) => number): SyntaxFacts => {
  const exports: Array<string> = [];
  const members: Array<Member> = [];
  const services: Array<Service> = [];
  const properties: Array<Property> = [];
  const clockReads: Array<number> = [];
  const declared = new Set<string>();
  const declare = (...patterns: ReadonlyArray<ParamPattern>): void => {
    for (const name of patterns.flatMap(namesIn)) declared.add(name);
  };
  const provided = new Set<string>();
  const shapes = shapesOf(program);
  new Visitor({
    MemberExpression: (node) => {
      const member = memberOf(node);
      if (member === undefined) return;
      members.push({ ...member, line: lineAt(node.start) });
    },
    VariableDeclarator: (node) => declare(node.id),
    FunctionDeclaration: (node) => declare(...node.params),
    FunctionExpression: (node) => declare(...node.params),
    ArrowFunctionExpression: (node) => declare(...node.params),
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
  return { exports, members, services, properties, declared, clockReads, provided };
};

/** The names that a pattern binds. */
const namesIn = (pattern: ParamPattern): ReadonlyArray<string> => {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)));
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    case "TSParameterProperty":
      return namesIn(pattern.parameter);
  }
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
