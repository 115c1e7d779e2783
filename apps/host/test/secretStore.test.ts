/**
 * Where secrets come from: the laws over the environment and over the file, and which files are refused.
 */
import { chmodSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as SecretStoreLaws from "@cahier/testkit/laws/SecretStoreLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as HostSecretStore from "../src/process/HostSecretStore.ts";
import * as Keyring from "../src/process/Keyring.ts";

const folder = mkdtempSync(join(tmpdir(), "cahier-secrets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const counter = { files: 0 };

const fileOf = (content: string, mode = 0o600): string => {
  const path = join(folder, `secrets-${++counter.files}.json`);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
};

verify(
  "HostSecretStore over variables",
  SecretStoreLaws.laws,
  Effect.sync((): SecretStoreLaws.SecretStoreHarness => {
    const environment: Record<string, string> = {};
    return {
      open: Effect.sync(() => HostSecretStore.make(environment)),
      set: (key, value) =>
        Effect.sync(() => {
          if (value === null) delete environment[key];
          else environment[key] = value;
        }),
    };
  }),
);

verify(
  "HostSecretStore over a file",
  SecretStoreLaws.laws,
  Effect.sync((): SecretStoreLaws.SecretStoreHarness => {
    const path = fileOf("{}");
    const values = new Map<string, string>();
    return {
      open: Effect.sync(() => HostSecretStore.make({ CAHIER_SECRETS: path })),
      set: (key, value) =>
        Effect.sync(() => {
          if (value === null) values.delete(key);
          else values.set(key, value);
          writeFileSync(path, JSON.stringify(Object.fromEntries(values)));
        }),
    };
  }),
);

/** A keyring that holds these values. */
const holding = (values: ReadonlyMap<string, string>): Keyring.Keyring => ({
  read: (account) => Effect.sync(() => values.get(account) ?? null),
});

verify(
  "HostSecretStore over a keyring",
  // A keyring tells its accounts only together with their values, so its keys are not listed.
  SecretStoreLaws.laws.filter(({ id }) => id !== "SEC-04"),
  Effect.sync((): SecretStoreLaws.SecretStoreHarness => {
    const values = new Map<string, string>();
    return {
      open: Effect.sync(() => HostSecretStore.make({ CAHIER_KEYRING: "1" }, holding(values))),
      set: (key, value) =>
        Effect.sync(() => {
          if (value === null) values.delete(key);
          else values.set(key, value);
        }),
    };
  }),
);

const opened = (path: string) => Effect.flip(Layer.build(HostSecretStore.layer({ CAHIER_SECRETS: path })));

describe("the file of secrets", () => {
  it.effect.each([0o644, 0o640, 0o660, 0o602])("is refused when others may read or write it (%o)", (mode) =>
    Effect.gen(function* () {
      const path = fileOf('{"THE_KEY":"a planted secret"}', mode);
      const failure = yield* opened(path);
      assert.strictEqual(failure.reason.code, "llm_connection.secrets_file_exposed");
      assert.include(failure.message, `chmod 600 ${path}`);
      assert.notInclude(JSON.stringify(failure), "a planted secret");
    }).pipe(Effect.scoped),
  );

  it.effect.each(['{"THE_KEY": "a planted secret"', '["a planted secret"]', '{"THE_KEY": 7}', "null", ""])(
    "is refused when it is no object of texts, and nothing of it is repeated (%#)",
    (content) =>
      Effect.gen(function* () {
        const failure = yield* opened(fileOf(content));
        assert.strictEqual(failure.reason.code, "llm_connection.secrets_file_invalid");
        assert.notInclude(JSON.stringify(failure), "a planted secret");
        assert.isUndefined(failure.cause);
      }).pipe(Effect.scoped),
  );

  it.effect("is refused when it is not there, and when it is a folder", () =>
    Effect.gen(function* () {
      const inner = join(folder, "inner");
      mkdirSync(inner);
      for (const path of [join(folder, "absent.json"), inner])
        assert.strictEqual((yield* opened(path)).reason.code, "llm_connection.secrets_file_invalid");
    }).pipe(Effect.scoped),
  );

  it.effect("that becomes readable to others while a run goes on gives no secret any more", () =>
    Effect.gen(function* () {
      const path = fileOf('{"THE_KEY":"a planted secret"}');
      const store = HostSecretStore.make({ CAHIER_SECRETS: path });
      assert.isTrue(yield* store.has({ key: "THE_KEY" }));
      chmodSync(path, 0o644);
      const fault = yield* Effect.flip(store.resolve({ key: "THE_KEY" }));
      assert.strictEqual(fault._tag, "Unavailable");
    }),
  );

  it.effect("gives way to a variable of the same name", () =>
    Effect.gen(function* () {
      const environment = { THE_KEY: "of the variable", CAHIER_SECRETS: fileOf('{"THE_KEY":"of the file"}') };
      const value = yield* HostSecretStore.make(environment).resolve({ key: "THE_KEY" });
      assert.strictEqual(Redacted.value(value), "of the variable");
    }),
  );
});

describe("the keyring", () => {
  const locked: Keyring.Keyring = {
    read: () => Effect.fail(new Unavailable({ operation: "read secrets", kind: "other", detail: "It is locked." })),
  };

  it.effect("is asked last, and only where CAHIER_KEYRING is 1", () =>
    Effect.gen(function* () {
      const keyring = holding(new Map([["THE_KEY", "of the keyring"]]));
      const file = fileOf('{"FILE_KEY":"of the file"}');
      const environment = { SET_KEY: "of the variable", CAHIER_SECRETS: file, CAHIER_KEYRING: "1" };
      const places = yield* Effect.forEach(["SET_KEY", "FILE_KEY", "THE_KEY", "ABSENT_KEY"], (key) =>
        HostSecretStore.placeOf(environment, key, keyring),
      );
      assert.deepStrictEqual(places, ["environment", "file", "keyring", "nowhere"]);
      assert.strictEqual(yield* HostSecretStore.placeOf({}, "THE_KEY", keyring), "nowhere");
      assert.deepStrictEqual(yield* HostSecretStore.make(environment, keyring).keys, ["FILE_KEY", "SET_KEY"]);
    }),
  );

  it.effect("that is locked keeps no secret from anybody which stands elsewhere", () =>
    Effect.gen(function* () {
      const store = HostSecretStore.make({ THE_KEY: "of the variable", CAHIER_KEYRING: "1" }, locked);
      assert.isTrue(yield* store.has({ key: "THE_KEY" }));
      const fault = yield* Effect.flip(store.resolve({ key: "OTHER_KEY" }));
      assert.strictEqual(fault._tag === "Unavailable" ? fault.detail : fault._tag, "It is locked.");
    }),
  );

  const isHeadless = process.platform === "linux" && (process.env["DBUS_SESSION_BUS_ADDRESS"] ?? "") === "";

  it.effect.skipIf(!isHeadless)(
    "says what to do where the system has none (not applicable where a desktop's keyring may answer)",
    () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(Keyring.system.read("CAHIER_TEST_KEY"));
        assert.strictEqual(fault._tag, "Unavailable");
        assert.include(fault.detail, "keyring cannot be rea");
        assert.include(fault.detail, "a variable or a secrets file");
      }),
  );
});
