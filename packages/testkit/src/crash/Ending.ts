/**
 * How a run ended that was struck, and what of it differs from a run that nobody interrupts.
 *
 * Owns the judgement: lost, doubled, unopenable. Does not own counting: effects are counted outside of the processes that
 * are killed, and the pairing of calls is read from the journal (`pairing`).
 */

/**
 * One effect that the outside has seen. `name` is the same in every run of a scenario. `key` is there for an effect that
 * may be asked for again: it counts once for each key.
 */
export interface Applied {
  readonly name: string;
  readonly key?: string;
}

/**
 * `neverBegun`: there is no run, because its start had not returned. `stuck`: it could not be opened or carried to its end.
 * `effects` are those that outside has seen, `unknown` the names of those whose outcome the run says that it does not know.
 * `faults` say what is wrong with its journal.
 */
export interface Ending {
  readonly run: string;
  readonly standing: "completed" | "neverBegun" | "stuck";
  readonly detail?: string;
  readonly effects: ReadonlyArray<Applied>;
  readonly unknown: ReadonlyArray<string>;
  readonly faults: ReadonlyArray<string>;
}

/** `lost`: an effect of the uninterrupted run is not there. `doubled`: one is there too often. */
export interface Violation {
  readonly kind: "lost" | "doubled" | "unopenable";
  readonly run: string;
  readonly detail: string;
}

/**
 * What of `ending` is not as in the run that nobody interrupted. An effect that is not there is no loss where the run says
 * that it does not know its outcome: then it must not be one that could have been asked for again.
 */
export const compare = (uninterrupted: Ending, ending: Ending): ReadonlyArray<Violation> => {
  const found = (kind: Violation["kind"], detail: string): Violation => ({ kind, run: ending.run, detail });
  const counts = countsOf(ending.effects);
  if (ending.standing === "neverBegun")
    return [...counts.keys()].map((name) => found("lost", `${name} was done for a run that is not there`));
  const expected = countsOf(uninterrupted.effects);
  const repeatable = new Set(uninterrupted.effects.flatMap(({ key, name }) => (key === undefined ? [] : [name])));
  const faults = [
    ...(ending.standing === "stuck" ? [found("unopenable", ending.detail ?? "the run did not complete")] : []),
    ...ending.faults.map((fault) => found("unopenable", fault)),
    ...ending.unknown
      .filter((name) => repeatable.has(name))
      .map((name) => found("lost", `${name} was not asked for again, although it could be`)),
  ];
  const names = new Set([...expected.keys(), ...counts.keys()]);
  return [
    ...faults,
    ...[...names].flatMap((name): ReadonlyArray<Violation> => {
      const [wanted, seen] = [expected.get(name) ?? 0, counts.get(name) ?? 0];
      if (seen > wanted) return [found("doubled", `${name} was done ${seen} times instead of ${wanted}`)];
      if (seen === wanted || ending.standing === "stuck" || ending.unknown.includes(name)) return [];
      return [found("lost", `${name} was done ${seen} times instead of ${wanted}`)];
    }),
  ];
};

/** How often each effect counts: one that has keys once for each of them. */
const countsOf = (effects: ReadonlyArray<Applied>): ReadonlyMap<string, number> => {
  const byName = Map.groupBy(effects, ({ name }) => name);
  return new Map(
    [...byName].map(([name, all]) => {
      const keys = new Set(all.flatMap(({ key }) => (key === undefined ? [] : [key])));
      return [name, keys.size + all.filter(({ key }) => key === undefined).length];
    }),
  );
};
