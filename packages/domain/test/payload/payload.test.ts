import { assert, describe, it } from "@effect/vitest";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { workspaceIdOf } from "../../src/chat/workspaceIdOf.ts";
import { StableChatId } from "../../src/identity/Identity.ts";
import { isBlob, Payload } from "../../src/payload/Payload.ts";
import * as Sha256 from "../../src/payload/Sha256.ts";

describe("SHA-256", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    ["é", "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"],
  ])("of %j is that of the standard", (text, digest) => {
    assert.strictEqual(Sha256.ofText(text), digest);
    assert.strictEqual(Sha256.portable(text), digest);
  });

  it("of a million letters is that of the standard", () => {
    assert.strictEqual(
      Sha256.ofText("a".repeat(1_000_000)),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    );
  });

  it.prop("of text is that of its UTF-8 bytes", [Schema.String], ([text]) => {
    assert.strictEqual(Sha256.ofText(text), Sha256.ofBytes(new TextEncoder().encode(text)));
    assert.strictEqual(Sha256.ofText(text), Sha256.portable(text));
    assert.isTrue(Schema.is(Sha256.Sha256)(Sha256.ofText(text)));
  });

  it("of half a character is that of the replacement character", () => {
    assert.strictEqual(Sha256.ofText("a\ud800"), Sha256.ofText("a\ufffd"));
    assert.strictEqual(Sha256.portable("a\ud800"), Sha256.portable("a\ufffd"));
  });
});

describe("a payload", () => {
  const named = { path: "output/main.md", sha256: Sha256.ofText("x"), bytes: 1 };

  it("is a blob when it stands neither in its event nor in another", () => {
    const from = { seq: 3, field: "response" as const, pointer: "/message" };
    assert.isTrue(isBlob(named));
    assert.isFalse(isBlob({ ...named, text: "x" }));
    assert.isFalse(isBlob({ ...named, text: "" }));
    assert.isFalse(isBlob({ ...named, from }));
  });

  it("needs a digest of 64 lower-case hex digits", () => {
    const decode = Schema.decodeUnknownOption(Payload);
    assert.isTrue(Option.isSome(decode(named)));
    assert.isTrue(Option.isNone(decode({ ...named, sha256: named.sha256.toUpperCase() })));
    assert.isTrue(Option.isNone(decode({ ...named, sha256: named.sha256.slice(1) })));
  });
});

describe("the workspace of a chat", () => {
  const id = StableChatId.make("one");

  it("depends on the stable chat id and the kind of chat alone, never on a file's name", () => {
    assert.strictEqual(workspaceIdOf("character", id), workspaceIdOf("character", id));
    assert.notStrictEqual(workspaceIdOf("character", id), workspaceIdOf("group", id));
    assert.notStrictEqual(workspaceIdOf("character", id), workspaceIdOf("character", StableChatId.make("two")));
    assert.match(workspaceIdOf("character", id), /^chat_[0-9a-f]{16}$/);
  });
});
