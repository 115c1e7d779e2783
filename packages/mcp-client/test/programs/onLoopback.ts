/**
 * Loaded before a server that listens wherever and on which port it is told: makes it listen on a free loopback port, and writes
 * the port as a line to its standard output.
 */
import { type AddressInfo, Server } from "node:net";

// oxlint-disable-next-line typescript/unbound-method -- it is called on the server below
const listen = Server.prototype.listen;

Server.prototype.listen = function (this: Server, ...given: ReadonlyArray<unknown>) {
  const told = given.find((value) => typeof value === "function");
  this.once("listening", () => process.stdout.write(`port ${(this.address() as AddressInfo).port}\n`));
  return listen.call(this, { port: 0, host: "127.0.0.1" }, told as (() => void) | undefined);
} as typeof listen;
