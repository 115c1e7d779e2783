/**
 * The server of the laws as a process: what it offers stands as JSON in the file `STATED`, and what it sees it writes as lines to
 * the loopback port in `REPORT`, the first of them its process id; each is acknowledged with a byte. It ends when its input does.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { make, type Stated } from "../support/LawServer.ts";

const stated = JSON.parse(readFileSync(process.env["STATED"] ?? "", "utf8")) as Stated;
const reports = connect(Number(process.env["REPORT"]), "127.0.0.1");
reports.unref();
const unheard: Array<() => void> = [];
reports.on("data", (heard) => heard.forEach(() => unheard.shift()?.()));
const report = (line: string): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  unheard.push(resolve);
  reports.write(`${line}\n`);
  return promise;
};
void report(`pid ${process.pid}`);
serveStdio(make(stated, report, () => process.env["TOKEN"] ?? ""));
