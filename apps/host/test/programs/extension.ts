/**
 * An extension as a process: it connects to the bridge at the address of its first argument with the token in `TOKEN`, and has the
 * tools that the others name. `wait` answers no call, `vanish` ends the process without a word, any other says what it was given.
 * What happens to it is written as lines to standard output. It ends when its input does.
 */
import { connect } from "@cahier/host-api/extension/ExtensionClient";

const [, , url = "", ...names] = process.argv;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const client = connect({ url, token: process.env["TOKEN"] ?? "", name: "the desk" });
client.onState((state) => {
  say(`state ${state}`);
  if (state === "refused") process.exit(0);
});
process.stdin.resume().on("end", () => client.close());

for (const name of names) {
  const form = {
    extensionId: "desk",
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    contexts: ["chat" as const],
  };
  const run = (given: Record<string, unknown>, { signal }: { readonly signal: AbortSignal }): unknown => {
    say(`called ${name} ${JSON.stringify(given)}`);
    signal.addEventListener("abort", () => say(`aborted ${name}`));
    if (name === "vanish") process.kill(process.pid, "SIGKILL");
    return name === "wait" || name === "vanish" ? new Promise(() => undefined) : { said: given["text"] };
  };
  client.register(form, run).then(
    () => say(`registered ${name}`),
    (error: Error) => say(`failed ${name} ${error.message}`),
  );
}
