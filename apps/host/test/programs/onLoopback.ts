/**
 * Loaded before a server of others: wherever it wants to listen, it listens on a free loopback port, and says which.
 */
import { type AddressInfo, Server } from "node:net";

// oxlint-disable-next-line typescript/unbound-method -- it is called on the server below
const listen = Server.prototype.listen;

Server.prototype.listen = function (this: Server, ...given: ReadonlyArray<unknown>) {
  const heard = given.find((value) => typeof value === "function");
  this.once("listening", () => process.stdout.write(`port ${(this.address() as AddressInfo).port}\n`));
  return listen.call(this, { port: 0, host: "127.0.0.1" }, heard as (() => void) | undefined);
} as typeof listen;
