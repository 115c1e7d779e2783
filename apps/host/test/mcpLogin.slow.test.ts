/**
 * An MCP server that a person has to let this host use, on a page of an authorization server.
 */
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { ensureBundle, objectOf, type Running, start } from "./support/Cahier.ts";
import * as GuardedServer from "./support/GuardedServer.ts";
import * as Place from "./support/Place.ts";

beforeAll(ensureBundle);
afterAll(Place.removeAll);

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return String(typeof address === "object" ? address?.port : "");
};

/** The page that a command shows, once it does. */
const pageIn = async (run: Running): Promise<string> => {
  const page = /let Cahier use the server:\n(\S+)\n/.exec(run.stderr())?.[1];
  if (page !== undefined) return page;
  if (run.child.exitCode !== null) throw new Error(`no page was shown: ${run.stderr()}`);
  await Promise.race([once(run.child.stderr ?? run.child, "data"), run.exit]);
  return pageIn(run);
};

describe("a server that has to be allowed on a page", () => {
  it("is used once a person has allowed it, without asking again, and the grant stands in its own file alone", async () => {
    const guarded = await GuardedServer.open();
    const place = await Place.make();
    const grants = place.path("grants");
    const environment = { CAHIER_MCP_GRANTS: grants, CAHIER_LOGIN_PORT: await freePort() };
    const begin = (...args: ReadonlyArray<string>) => start([...args, "--data", place.data], { environment });
    const { url } = guarded;
    const endpoint = { transport: "http", url, headers: {}, network: "private", authorization: { grant: "person" } };
    const file = place.write("server.json", { displayName: "Guarded", endpoint, protocolVersion: "2025-11-25" });
    const { registration } = objectOf(await begin("mcp", "add", file, "--json").ended);
    const { id } = registration as { readonly id: string };
    await begin("mcp", "resume", id).ended;

    const refused = await begin("mcp", "discover", id).ended;
    assert.include(refused.stderr, `cahier mcp discover ${id} --login`);

    const login = begin("mcp", "discover", id, "--login", "--json");
    const page = await pageIn(login);
    const stranger = await fetch(`http://127.0.0.1:${environment.CAHIER_LOGIN_PORT}/callback?code=any`);
    assert.strictEqual(stranger.status, 404);
    const back = await fetch(page);
    assert.strictEqual(back.status, 200);
    assert.strictEqual((await login.ended).code, 0, login.stderr());

    const called = await begin("mcp", "call", id, "echo").ended;
    assert.strictEqual(called.code, 0, called.stderr);
    const [kept = ""] = globSync("*.json", { cwd: grants });
    const path = join(grants, kept);
    assert.strictEqual(statSync(path).mode & 0o777, 0o600);
    assert.strictEqual(statSync(grants).mode & 0o777, 0o700);
    const [access = ""] = /access-[0-9a-f-]{36}/.exec(readFileSync(path, "utf8")) ?? [];
    assert.notStrictEqual(access, "");
    for (const entry of globSync("**", { cwd: place.data, withFileTypes: true }))
      if (entry.isFile()) assert.notInclude(readFileSync(join(entry.parentPath, entry.name), "utf8"), access);
    assert.notInclude(called.stdout + called.stderr + login.stdout() + login.stderr(), access);

    await begin("mcp", "remove", id).ended;
    assert.isFalse(existsSync(path));
    guarded.close();
  });
});
