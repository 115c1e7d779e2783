/**
 * A moment of a run, as a command line names it.
 */
import type { RunPoint } from "@cahier/application/run/RunPoint";

/** The number of an event, or a checkpoint; no path of a workspace looks like either. */
export const isPoint = (word: string): boolean => /^(?:\d+|cp_\w*)$/.test(word);

/** The moment that a word names. */
export const pointOf = (word: string): RunPoint => (/^\d+$/.test(word) ? Number(word) : word);
