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
import * as HostSecretStore from "../src/process/HostSecretStore.ts";

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
