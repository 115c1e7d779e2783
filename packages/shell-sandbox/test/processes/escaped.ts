/**
 * The child itself, in which a command that begins with `escaped:` is JavaScript of the child's own realm: as if it had come out
 * of its interpreter.
 */
import * as Child from "../../src/internal/child/Child.ts";
import type { CommandShell } from "../../src/internal/child/CommandShell.ts";

const mark = "escaped:";

/** Made here, so that the code's imports are this module's. */
const programOf = (code: string): (() => Promise<unknown>) =>
  // oxlint-disable-next-line typescript/no-implied-eval -- That code runs here is what is tested.
  new Function(`return async () => { ${code} }`)() as () => Promise<unknown>;

const withEscape = (shell: CommandShell): CommandShell => ({
  run: async (request) => {
    if (!request.command.startsWith(mark)) return shell.run(request);
    const text = await programOf(request.command.slice(mark.length))().then(
      (value) => `got ${String(value)}`,
      (error: unknown) => String(error),
    );
    return {
      ended: "exited",
      exitCode: 0,
      output: { text, truncated: false },
      errorOutput: { text: "", truncated: false },
      changes: [],
      notes: [],
    };
  },
});

await Child.serve(async (scratch) => withEscape(await Child.loadShell(scratch)));
