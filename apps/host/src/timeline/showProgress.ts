/**
 * Says at the terminal how far the call of a tool is.
 *
 * Owns how often: a call is heard of once a second at most, whatever its tool says. Does not own that nothing of it is recorded.
 */
import type { OnToolProgress } from "@cahier/application/run/RunContext";
import { printable, shortened } from "../cli/printable.ts";

/** Milliseconds between two lines about one call. */
const apart = 1000;

/** Gives each line that is to be shown to `print`. `now` is in milliseconds. */
export const showProgress = (print: (line: string) => void, now: () => number): OnToolProgress => {
  const shownAt = new Map<string, number>();
  return ({ done, message, total }, { callId, name }) => {
    const last = shownAt.get(callId);
    if (last !== undefined && now() - last < apart) return;
    shownAt.set(callId, now());
    const amount = total === undefined ? String(done) : `${done} of ${total}`;
    const said = message === undefined ? "" : `, ${shortened(printable(message), columns)}`;
    print(`${printable(name)}: ${amount}${said}`);
  };
};

/** How wide a tool's own words may be. */
const columns = 200;
