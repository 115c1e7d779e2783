/**
 * Fetching a `SKILL.md`: what is asked, where redirects may lead, and what is refused.
 */
import { assert, describe, it } from "@effect/vitest";
import { Transport, TransportFault, type TransportRequest } from "@cahier/provider-gateway/transport/Transport";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { deadlineMs, fetchSkill, maxRedirects } from "../src/skills/fetchSkill.ts";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A transport that answers by address, and the requests that it was sent. */
const serving = (answerTo: (url: string) => Answer | TransportFault) => {
  const sent: Array<TransportRequest> = [];
  const transport = Transport.of({
    send: (request, reader) =>
      Effect.suspend(() => {
        sent.push(request);
        const answer = answerTo(request.url.href);
        if (answer instanceof TransportFault) return Effect.fail(answer);
        reader.head({ status: answer.status, headers: answer.headers ?? {} });
        for (const piece of (answer.body ?? "").match(/[^]{1,100000}/g) ?? []) {
          if (reader.chunk(new TextEncoder().encode(piece)) !== "more") break;
        }
        return Effect.void;
      }),
  });
  return { sent, transport };
};

const text = "---\nname: pacing\ndescription: How scenes breathe.\n---\n";
const to = (location: string): Answer => ({ status: 302, headers: { location } });

const refusalOf = (answerTo: (url: string) => Answer | TransportFault, url = "https://skills.example/SKILL.md") => {
  const { sent, transport } = serving(answerTo);
  return fetchSkill(url).pipe(
    Effect.provideService(Transport, transport),
    Effect.flip,
    Effect.map(({ message, reason }) => ({
      code: reason.code,
      message,
      asked: sent.map((request) => request.url.href),
    })),
  );
};

describe("fetching a Skill", () => {
  it.effect("asks for the file plainly and follows redirects by https, also relative ones", () =>
    Effect.gen(function* () {
      const { sent, transport } = serving((url) =>
        url.endsWith("/raw")
          ? { status: 200, body: text }
          : url.endsWith("/b")
            ? to("raw")
            : to("https://cdn.example/b"),
      );
      const bytes = yield* fetchSkill("https://skills.example/a").pipe(Effect.provideService(Transport, transport));
      assert.strictEqual(new TextDecoder().decode(bytes), text);
      assert.deepStrictEqual(
        sent.map(({ headers, method, url }) => [method, url.href, headers["accept-encoding"]]),
        [
          ["GET", "https://skills.example/a", "identity"],
          ["GET", "https://cdn.example/b", "identity"],
          ["GET", "https://cdn.example/raw", "identity"],
        ],
      );
    }),
  );

  it.effect("asks no address without https or with a password, and repeats no parameter of it", () =>
    Effect.gen(function* () {
      for (const url of [
        "http://skills.example/SKILL.md?token=planted",
        "file:///etc/passwd?token=planted",
        "https://me:planted@skills.example/SKILL.md",
        "https://?planted",
      ]) {
        const { asked, code, message } = yield* refusalOf(() => ({ status: 200, body: text }), url);
        assert.strictEqual(code, "skill.download_failed");
        assert.notInclude(message, "planted");
        assert.deepStrictEqual(asked, []);
      }
    }),
  );

  it.effect.each([
    "http://cdn.example/SKILL.md",
    "https://127.0.0.1/SKILL.md",
    "https://2130706433/SKILL.md",
    "https://[::1]/SKILL.md",
    "https://169.254.169.254/latest",
    "https://93.184.216.34/SKILL.md",
    "https://localhost/SKILL.md",
    "https://localhost./SKILL.md",
    "https://admin.localhost/SKILL.md",
    "https://me:secret@cdn.example/SKILL.md",
    "ftp://cdn.example/SKILL.md",
    "https://",
  ])("is not sent on to %s", (location) =>
    Effect.gen(function* () {
      const { asked, code } = yield* refusalOf((url) =>
        url.endsWith("skills.example/SKILL.md") ? to(location) : { status: 200, body: text },
      );
      assert.strictEqual(code, "skill.download_failed");
      assert.deepStrictEqual(asked, ["https://skills.example/SKILL.md"]);
    }),
  );

  it.effect("gives up a server that sends elsewhere without an end", () =>
    Effect.gen(function* () {
      const { asked, code } = yield* refusalOf((url) => to(`${url}/on`));
      assert.strictEqual(code, "skill.download_failed");
      assert.lengthOf(asked, maxRedirects + 1);
    }),
  );

  it.effect("refuses another status, a compressed answer, and a server that cannot be reached", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<readonly [Answer | TransportFault, RegExp]> = [
        [{ status: 404, body: "x".repeat(300_000) }, /status 404/],
        [{ status: 200, headers: { "content-encoding": "gzip" }, body: "x" }, /compressed/],
        [new TransportFault({ kind: "address", detail: "private" }), /private network/],
        [new TransportFault({ kind: "tls", detail: "certificate" }), /no secure connection/],
      ];
      for (const [answer, says] of answers) {
        const { code, message } = yield* refusalOf(() => answer);
        assert.strictEqual(code, "skill.download_failed");
        assert.match(message, says);
      }
    }),
  );

  it.effect("breaks off what is longer than a SKILL.md may be", () =>
    Effect.gen(function* () {
      const { transport } = serving(() => ({ status: 200, body: "x".repeat(3_000_000) }));
      const bytes = yield* fetchSkill("https://skills.example/a").pipe(Effect.provideService(Transport, transport));
      assert.lengthOf(bytes, 1024 * 1024 + 1);
    }),
  );

  it.effect("ends at its deadline, however slowly the server goes on", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>();
      const silent = Transport.of({ send: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) });
      const fetching = yield* fetchSkill("https://skills.example/a").pipe(
        Effect.provideService(Transport, silent),
        Effect.flip,
        Effect.forkChild,
      );
      yield* Deferred.await(asked);
      yield* TestClock.adjust(deadlineMs);
      const { message, reason } = yield* Fiber.join(fetching);
      assert.strictEqual(reason.code, "skill.download_failed");
      assert.match(message, /within 30 seconds/);
    }),
  );
});
