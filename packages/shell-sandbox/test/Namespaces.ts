/**
 * Whether this machine has bubblewrap and lets it make namespaces.
 */
import * as Bubblewrap from "@cahier/shell-sandbox/Bubblewrap";
import * as childProcess from "node:child_process";

export const works =
  Bubblewrap.isThere() &&
  childProcess.spawnSync(
    "/usr/bin/bwrap",
    ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--", "/usr/bin/true"],
    process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {},
  ).status === 0;
