/**
 * A server of the older era as a process that misbehaves as its argument says, and writes to the loopback port in
 * `REPORT` what a test looks at.
 */
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const manner = process.argv[2] ?? "";
const reports = process.env["REPORT"] === undefined ? undefined : connect(Number(process.env["REPORT"]), "127.0.0.1");
reports?.unref();
const report = (line: string) => void reports?.write(`${line}\n`);
const write = (message: unknown) => void process.stdout.write(`${JSON.stringify(message)}\n`);

if (manner === "stays") {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { stdio: "ignore" });
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
  report(`pids ${process.pid} ${child.pid}`);
}
if (manner === "leaves") {
  // What it has started holds its output open.
  const holding = `require("node:net").connect(Number(process.env.REPORT), "127.0.0.1").write("started\\n");`;
  spawn(process.execPath, ["-e", holding], { stdio: ["ignore", "inherit", "inherit"] });
}
if (manner === "says") {
  const token = process.env["TOKEN"] ?? "";
  // Wherever the end of it begins, that is within a token.
  const much = `${token.repeat(40)} the last line${" ".repeat(200)}`;
  const text = process.argv[3] === "much" ? much : `cannot read the token ${token}`;
  process.stderr.write(`${text}\n`, () => process.exit(3));
}
if (manner === "falls") process.kill(process.pid, "SIGKILL");

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params: Record<string, unknown>;
  readonly result?: { readonly action?: string; readonly model?: string };
}

/** Calls without an answer yet, and what was replied to the two questions of the call `ask`, which do not say that they are its. */
const held: Array<unknown> = [];
const told: Array<string> = [];
const hear = (result: Message["result"]) => {
  told.push(result?.action ?? result?.model ?? "refused");
  if (told.length % 2 === 1) return;
  const content = [{ type: "text", text: told.splice(0).join(" ") }];
  for (const id of held.splice(0)) write({ jsonrpc: "2.0", id, result: { content } });
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line) as Message;
  if (method === undefined) return hear(result);
  if (method === "server/discover" && manner === "ends") process.exit(1);
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "rude", version: "1" };
    return write({
      jsonrpc: "2.0",
      id,
      result: { protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo },
    });
  }
  if (method !== "tools/call")
    return write({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no such method" } });
  if (params["name"] === "die") process.exit(1);
  if (params["name"] === "hold" || params["name"] === "ask") {
    held.push(id);
    report(`call ${params["name"]}`);
  }
  if (params["name"] === "hold") return;
  if (params["name"] === "ask") {
    const requestedSchema = { type: "object", properties: {} };
    write({ jsonrpc: "2.0", id: "ask", method: "elicitation/create", params: { message: "who?", requestedSchema } });
    const messages = [{ role: "user", content: { type: "text", text: "who?" } }];
    return write({ jsonrpc: "2.0", id: "model", method: "sampling/createMessage", params: { messages, maxTokens: 1 } });
  }
  if (params["name"] === "large") return void process.stdout.write("x".repeat(10 * 1024 * 1024));
  if (params["name"] === "noise") process.stdout.write(`a log line\n[1, 2]\n${"\n".repeat(100_000)}`);
  const text = params["name"] === "environment" ? JSON.stringify(process.env) : "done";
  return write({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
});
