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
if (manner === "says") {
  process.stderr.write(`cannot read the token ${process.env["TOKEN"] ?? ""}\n`, () => process.exit(3));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params: Record<string, unknown> };
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
  if (params["name"] === "large") return void process.stdout.write("x".repeat(10 * 1024 * 1024));
  if (params["name"] === "noise") process.stdout.write(`a log line\n[1, 2]\n${"\n".repeat(100_000)}`);
  const text = params["name"] === "environment" ? JSON.stringify(process.env) : "done";
  return write({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
});
