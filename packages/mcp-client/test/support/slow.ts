/**
 * Whether the suites are run whole, as the script `test:slow` does. Without it those are left out that start many processes,
 * and of long tables a part is run: the rest keeps every law over HTTP.
 */
export const isSlow: boolean = process.env["CAHIER_SLOW"] !== undefined;
