/** Whether the short form is asked for: fewer repetitions, the same limits. */
export const isShort = process.argv.includes("--short");
