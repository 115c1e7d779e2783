/**
 * No cycles, between modules or between packages.
 *
 * A type-only import is no edge between modules: it is erased. Between packages it is one: the package needs the other.
 */
import { type Repository, resolve } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export const rule: Rule = {
  id: "cycle",
  title: "neither modules nor packages import each other in a circle",
  check: (repository) => [...circles(moduleGraph(repository)), ...circles(packageGraph(repository))],
};

const moduleGraph = (repository: Repository): Graph =>
  new Map(
    [...repository.modules.values()].map((module) => [
      module.path,
      new Set(
        module.imports
          .filter((imported) => !imported.typeOnly)
          .flatMap((imported) => resolve(repository, module, imported)?.path ?? []),
      ),
    ]),
  );

const packageGraph = (repository: Repository): Graph =>
  new Map(
    repository.packages.map((owner) => [
      owner.folder,
      new Set(
        [
          ...repository.packages.filter((target) => owner.dependencies.has(target.name)),
          ...[...repository.modules.values()]
            .filter((module) => module.package === owner && module.part === "src")
            .flatMap((module) =>
              module.imports.flatMap((imported) => resolve(repository, module, imported)?.package ?? []),
            ),
        ]
          .map((target) => target.folder)
          .filter((folder) => folder !== owner.folder),
      ),
    ]),
  );

/** One violation per set of nodes that reach each other (Tarjan's components). */
const circles = (graph: Graph): ReadonlyArray<Violation> =>
  components(graph).flatMap((component): ReadonlyArray<Violation> => {
    const [first] = component;
    if (first === undefined) return [];
    if (component.length === 1 && !(graph.get(first)?.has(first) ?? false)) return [];
    return [{ path: first, message: `is in a circle of imports: ${component.join(", ")}` }];
  });

const components = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: Array<string> = [];
  const found: Array<ReadonlyArray<string>> = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    low.set(node, number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next) ? (stack.includes(next) ? (order.get(next) ?? number) : number) : visit(next);
      low.set(node, Math.min(low.get(node) ?? number, reached));
    }
    const lowest = low.get(node) ?? number;
    if (lowest === number) found.push(stack.splice(stack.indexOf(node)));
    return lowest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
};
