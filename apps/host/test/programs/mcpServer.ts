/**
 * An MCP server as a process on its standard streams: the file of its tools and that of its report are its arguments.
 */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as Lighthouse from "../support/Lighthouse.ts";

const [, , toolsFile = "", reportFile = ""] = process.argv;
const { make, report } = Lighthouse.of(toolsFile, reportFile, {
  said: () => process.env["GREETING"] ?? "",
  waits: true,
});

report(`pid ${process.pid}`);
serveStdio(make);
