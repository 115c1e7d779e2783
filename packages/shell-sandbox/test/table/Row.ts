/**
 * A command, what it prints, and its exit code where that is not 0.
 */
export type Row = readonly [command: string, output: string, exitCode?: number];
