import { ConnectionSource, formatOfSource } from "@cahier/domain/connection/connectionNames";
import * as LlmConnection from "@cahier/domain/connection/LlmConnection";
import { sources } from "@cahier/provider-gateway/providers/sources";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";

const bare = (source: ConnectionSource, more: object) =>
  LlmConnection.decode({
    kind: "cahier.llmConnection",
    schemaVersion: 1,
    id: "home",
    displayName: "Home",
    provider: { chatCompletionSource: source },
    ...more,
  });

const auth = { secretRef: { key: "THE_KEY", id: "default" } };

describe("the sources of connections", () => {
  it("are those of the gateway", () => {
    assert.deepStrictEqual([...ConnectionSource.literals].toSorted(), sources.map(({ source }) => source).toSorted());
  });

  it.each(sources)("$source speaks the format that its connection has", ({ protocols, source }) => {
    const named = ConnectionSource.literals.find((one) => one === source);
    assert.isDefined(named);
    assert.include(
      protocols.map(({ format }) => format),
      formatOfSource(named),
    );
  });

  it.each(sources)("$source has an address, of its own or by its connection's rules", ({ baseUrl, source }) => {
    const named = ConnectionSource.literals.find((one) => one === source);
    assert.isDefined(named);
    // Where the gateway knows no address, a connection that states none is refused.
    assert.strictEqual(Result.isSuccess(bare(named, { auth })), baseUrl !== undefined);
  });

  it.each(sources)("$source may go without a secret where the gateway asks for none", ({ secret, source }) => {
    const named = ConnectionSource.literals.find((one) => one === source);
    assert.isDefined(named);
    const endpoint = named === "custom" ? { endpoint: { baseUrl: "http://127.0.0.1:1/v1" } } : {};
    const read = bare(named, endpoint);
    const codes = Result.isFailure(read) ? read.failure.map(({ code }) => code) : [];
    assert.strictEqual(codes.includes("llm_connection.secret_key_required"), secret === "required");
  });
});
