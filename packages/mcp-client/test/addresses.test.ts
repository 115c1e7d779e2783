import { assert, describe, it } from "@effect/vitest";
import * as addresses from "../src/internal/addresses.ts";

describe("an address of a server", () => {
  it("of the internet is connected to in any network", () => {
    for (const address of ["1.1.1.1", "[2606:4700::1111]", "64:ff9b::808:808"])
      for (const network of ["public", "private"] as const)
        assert.isUndefined(addresses.refusal(address, network), address);
  });

  it("that is a loopback or private one is connected to where the endpoint says so", () => {
    for (const address of ["127.0.0.1", "[::1]", "10.1.2.3", "fd12::1", "::ffff:192.168.0.1", "64:ff9b:1::808:808"]) {
      assert.isUndefined(addresses.refusal(address, "private"), address);
      assert.match(addresses.refusal(address, "public") ?? "", /state "network": "private"/, address);
    }
  });

  it("of one link, of the metadata of a cloud, of groups or of nobody is never connected to", () => {
    for (const address of [
      "169.254.169.254",
      "fe80::1%eth0",
      "168.63.129.16",
      "[fd00:ec2::254]",
      "224.0.0.1",
      "192.0.2.1",
    ])
      for (const network of ["public", "private"] as const)
        assert.match(addresses.refusal(address, network) ?? "", /an address that no server is reached at$/, address);
  });

  it("that is refused for its network is told with how to allow it", () => {
    assert.strictEqual(
      addresses.refusal("[::1]", "public"),
      '::1 is a loopback or private address: state "network": "private" for this server if it is meant',
    );
  });

  it("is none where a name is", () => {
    assert.isUndefined(addresses.refusal("localhost", "public"));
    assert.isUndefined(addresses.refusal("127.0.0.1.example.com", "public"));
  });
});
