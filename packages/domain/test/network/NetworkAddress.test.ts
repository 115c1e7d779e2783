import { isIP } from "node:net";
import * as NetworkAddress from "@cahier/domain/network/NetworkAddress";
import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Schema from "effect/Schema";

const cases: ReadonlyArray<
  readonly [what: string, kind: NetworkAddress.NetworkKind, addresses: ReadonlyArray<string>]
> = [
  ["of the internet", "public", ["1.1.1.1", "100.63.255.255", "100.128.0.1", "168.63.129.15", "168.63.129.17"]],
  ["beside special networks", "public", ["192.0.1.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "11.0.0.1"]],
  ["of the internet in IPv6", "public", ["2606:4700::1111", "[2a00:1450::8a]", "2001:200::1", "3fff:1000::1"]],
  ["of this machine", "loopback", ["127.0.0.1", "127.255.255.254", "::1", "[::1]", "0:0:0:0:0:0:0:1"]],
  ["of no network yet", "private", ["0.0.0.0", "::"]],
  [
    "of private networks",
    "private",
    [
      "10.1.2.3",
      "172.31.255.255",
      "192.168.0.1",
      "100.64.0.1",
      "fc00::1",
      "fd12::f000:1",
      "[fdff::1]",
      "fd12::10.0.0.1",
    ],
  ],
  ["of sites, as they were once", "private", ["fec0::1", "feff::1"]],
  ["of benchmarks", "private", ["198.18.0.1", "198.19.255.255", "2001:2::1"]],
  [
    "of one link",
    "link-local",
    ["169.254.0.1", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0", "fd12::169.254.169.254"],
  ],
  [
    "of metadata services",
    "metadata",
    ["168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe"],
  ],
  ["of protocols", "reserved", ["192.0.0.1", "192.0.0.255", "192.88.99.1", "2001:1::1", "2001:10::1", "2001:1ff::1"]],
  ["of groups", "reserved", ["224.0.0.1", "239.255.255.255", "ff02::1", "[ff0e::1]"]],
  [
    "that nobody has",
    "reserved",
    ["240.0.0.1", "255.255.255.255", "4000::1", "5f00::1", "100::1", "fe00::1", "::808:808"],
  ],
  ["of documents", "reserved", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff::1"]],
];

/** How IPv6 holds an address of IPv4, where what holds it leads there. */
const forms: ReadonlyArray<readonly [what: string, of: (four: ReadonlyArray<number>) => string]> = [
  ["mapped", (four) => `::ffff:${four.join(".")}`],
  ["mapped, in words", (four) => `[0:0:0:0:0:ffff:${wordsOf(four).join(":")}]`],
  ["translated", (four) => `::ffff:0:${four.join(".")}`],
  ["translated by the well-known prefix", (four) => `64:ff9b::${four.join(".")}`],
  ["of 6to4", (four) => `2002:${wordsOf(four).join(":")}::1`],
  ["of a client of Teredo", (four) => `2001:0:808:808:0:0:${wordsOf(four.map((byte) => byte ^ 0xff)).join(":")}`],
  ["of a server of Teredo", (four) => `2001:0:${wordsOf(four).join(":")}:0:0:f7f7:f7f7`],
  ["of ISATAP", (four) => `2606:4700::5efe:${four.join(".")}`],
  ["of ISATAP, if it is the only one", (four) => `2606:4700::200:5efe:${four.join(".")}`],
];

/** What a translator of this site makes of it: private as such. */
const local: typeof forms = [
  ["at the end", (four) => `64:ff9b:1::${four.join(".")}`],
  ["at the end of a subnet", (four) => `64:ff9b:1:fffe::${four.join(".")}`],
  ["behind 48 bits", ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1:${hex(a * 256 + b)}:${hex(c)}:${hex(d * 256)}::`],
  ["behind 56 bits", ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1:${hex(a)}:${hex(b)}:${hex(c * 256 + d)}::`],
  ["behind 64 bits", ([a = 0, b = 0, c = 0, d = 0]) => `64:ff9b:1::${hex(a)}:${hex(b * 256 + c)}:${hex(d * 256)}:0`],
];

const hex = (word: number) => word.toString(16);

const wordsOf = ([first = 0, second = 0, third = 0, fourth = 0]: ReadonlyArray<number>) => [
  hex(first * 256 + second),
  hex(third * 256 + fourth),
];

const held = [
  [[8, 8, 8, 8], "public"],
  [[127, 0, 0, 1], "loopback"],
  [[192, 168, 1, 1], "private"],
  [[224, 0, 0, 1], "reserved"],
  [[169, 254, 169, 254], "link-local"],
  [[168, 63, 129, 16], "metadata"],
  [[192, 0, 0, 192], "metadata"],
] as const;

describe("a network address", () => {
  for (const [what, kind, listed] of cases) {
    it(`${what} is ${kind}`, () => {
      for (const address of listed) assert.strictEqual(NetworkAddress.kindOf(address), kind, address);
    });
  }

  for (const [what, of] of forms) {
    it(`of IPv4 that is ${what} is what that is`, () => {
      for (const [four, kind] of held) assert.strictEqual(NetworkAddress.kindOf(of(four)), kind, of(four));
    });
  }

  for (const [what, of] of local) {
    it(`of IPv4 that a translator of this site holds ${what} is private, unless it leads to credentials`, () => {
      for (const [four, kind] of held) {
        const expected = kind === "link-local" || kind === "metadata" ? kind : "private";
        assert.strictEqual(NetworkAddress.kindOf(of(four)), expected, of(four));
      }
    });
  }

  it("of IPv4 that stands alone at the end of nothing else leads nowhere, unless it leads to credentials", () => {
    assert.strictEqual(NetworkAddress.kindOf("[::a9fe:a9fe]"), "link-local");
    assert.strictEqual(NetworkAddress.kindOf("[::6464:64c8]"), "metadata");
    assert.strictEqual(NetworkAddress.kindOf("[::a00:1]"), "reserved");
  });

  it("is none where a name is", () => {
    for (const name of [
      "localhost",
      "models.test",
      "10.example",
      "beef",
      "fe80.test",
      "127.0.0.1.example.com",
      "",
      "1.2.3",
      "256.1.1.1",
      "1:2",
      ":::",
      "1::2::3",
    ])
      assert.isUndefined(NetworkAddress.kindOf(name), name);
  });

  const parts = [
    "",
    ":",
    "::",
    ".",
    "0",
    "ffff",
    "1.2.3.4",
    "256",
    "g",
    "08",
    "a:b:c:d:e:f:1:2",
    "1:2:3:4:5:6",
    "10",
  ] as const;

  it.prop(
    "is one exactly where the platform finds one",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals(parts)), { maxLength: 8 })],
    ([chosen]) => {
      for (const text of [chosen.join(""), chosen.join(":"), chosen.join(".")])
        assert.strictEqual(NetworkAddress.kindOf(text) !== undefined, isIP(text) !== 0, text);
    },
    { arbitrary: { runs: 2000 } },
  );
});
