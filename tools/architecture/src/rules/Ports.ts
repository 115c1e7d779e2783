/**
 * The form of a port, and that its laws exist and are run.
 */
import type { Located, Repository } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";
import type { Service } from "../SyntaxFacts.ts";

const fewest = 3;
const most = 8;

export const shape: Rule = {
  id: "port-shape",
  title: `a port is keyed by its module and has ${fewest} to ${most} members, all readonly, none optional`,
  check: (repository) =>
    portsOf(repository).flatMap(({ module, service, name }) => {
      const members = service.members;
      const problems = [
        service.key === `@cahier/ports/${name}` ? undefined : `the key is to be "@cahier/ports/${name}"`,
        members === undefined ? "write the shape in the port's file, as a literal or an interface" : undefined,
        members !== undefined && (members.length < fewest || members.length > most)
          ? `${service.name} has ${members.length} members; a port has ${fewest} to ${most}`
          : undefined,
        ...(members ?? [])
          .filter((member) => !member.isReadonly || member.isOptional)
          .map((member) => `${service.name}.${member.name} is to be readonly and not optional`),
      ];
      return problems.flatMap((message): ReadonlyArray<Violation> =>
        message === undefined ? [] : [{ path: module.path, line: service.line, message }],
      );
    }),
};

export const laws: Rule = {
  id: "port-laws",
  title: "every port has laws and mutants in the testkit, and a test runs the mutants",
  check: (repository) =>
    portsOf(repository).flatMap(({ module, name }) => {
      const mutants = [...repository.modules.keys()].filter((path) =>
        path.startsWith(`packages/testkit/src/mutants/${name}`),
      );
      const problems = [
        repository.modules.has(lawsPath(name)) ? undefined : `has no laws in ${lawsPath(name)}`,
        mutants.length === 0 ? `has no mutants in packages/testkit/src/mutants/${name}Mutants.ts` : undefined,
        mutants.length > 0 &&
        !testsImport(
          repository,
          (specifier) => specifier.includes(`mutants/${name}`),
          () => true,
        )
          ? "has mutants that no test runs"
          : undefined,
      ];
      return problems.flatMap((message): ReadonlyArray<Violation> =>
        message === undefined ? [] : [{ path: module.path, message }],
      );
    }),
};

export const conformance: Rule = {
  id: "port-conformance",
  title: "every adapter that provides a port runs the port's laws in its tests",
  check: (repository) =>
    portsOf(repository).flatMap(({ service, name }) =>
      repository.packages
        .filter((owner) => owner.ring === "adapter")
        .flatMap((owner): ReadonlyArray<Violation> => {
          const provider = [...repository.modules.values()].find(
            (module) => module.package === owner && module.part === "src" && provides(module, name, service),
          );
          if (provider === undefined) return [];
          const specifier = `@cahier/testkit/laws/${name}Laws`;
          const runs = testsImport(
            repository,
            (candidate) => candidate === specifier,
            (module) => module.package === owner,
          );
          return runs ? [] : [{ path: provider.path, message: `provides ${name}, but no test imports ${specifier}` }];
        }),
    ),
};

interface Port {
  readonly module: Located;
  readonly service: Service;
  readonly name: string;
}

const portsOf = (repository: Repository): ReadonlyArray<Port> =>
  [...repository.modules.values()].flatMap((module) => {
    const name = /^packages\/ports\/src\/(\w+)\.ts$/u.exec(module.path)?.[1];
    return name === undefined ? [] : module.services.map((service) => ({ module, service, name }));
  });

const lawsPath = (name: string): string => `packages/testkit/src/laws/${name}Laws.ts`;

const testsImport = (
  repository: Repository,
  matches: (specifier: string) => boolean,
  where: (module: Located) => boolean,
): boolean =>
  [...repository.modules.values()].some(
    (module) => module.part === "test" && where(module) && module.imports.some(({ specifier }) => matches(specifier)),
  );

const provides = (module: Located, port: string, service: Service): boolean =>
  module.imports
    .filter(({ specifier }) => specifier === `@cahier/ports/${port}`)
    .flatMap(({ locals }) => [...locals])
    .map(([local, name]) => (name === "*" ? `${local}.${service.name}` : name === service.name ? local : ""))
    .some((tag) => module.provided.has(tag));
