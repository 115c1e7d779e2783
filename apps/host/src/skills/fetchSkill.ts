/**
 * Fetching a `SKILL.md` from its address.
 *
 * Owns what may be asked and how long: HTTPS only, also behind redirects, which never lead to this machine or a private
 * network. The transport holds the rule of addresses for every name that is resolved; an address that the user writes out is
 * meant, one that a server writes out is not. Does not own what the bytes have to be (`SkillDownload`).
 */
import { isIP } from "node:net";
import * as Limits from "@cahier/agent-skills/Limits";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { Transport, type TransportFault } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import { addressOf } from "./scopeText.ts";

/** Milliseconds from the first request to the last byte, redirects included. */
export const deadlineMs = 30_000;

/** How many redirects are followed. */
export const maxRedirects = 5;

/**
 * The bytes at an address, at most one more than a `SKILL.md` may have: a longer answer is broken off there. Fails with
 * `skill.download_failed`. Parameters of the address stand in no message.
 */
export const fetchSkill = Effect.fn("Skills.fetch")(function* (
  stated: string,
): Effect.fn.Return<Uint8Array, Fatal, Transport> {
  const first = URL.parse(stated);
  if (first === null) return yield* failed(stated, "This is no address. Give one that begins with https://.");
  if (first.protocol !== "https:") {
    return yield* failed(
      stated,
      "Skills are fetched by https only. Give such an address, or save the file and install it.",
    );
  }
  if (first.username !== "" || first.password !== "") {
    return yield* failed(stated, "The address holds a user or a password. Save the file yourself and install it.");
  }
  return yield* follow(stated, first).pipe(
    Effect.timeoutOrElse({
      duration: deadlineMs,
      orElse: () => failed(stated, `It was not there within ${deadlineMs / 1000} seconds. Try again later.`),
    }),
  );
});

const follow = Effect.fnUntraced(function* (
  stated: string,
  first: URL,
): Effect.fn.Return<Uint8Array, Fatal, Transport> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = yield* ask(url).pipe(Effect.mapError((fault) => unreached(stated, fault)));
    const { headers, status } = answer.head;
    if (!redirectCodes.has(status)) return yield* bodyOf(stated, answer);
    const next = URL.parse(headers["location"] ?? "", url.href);
    if (next === null) return yield* failed(stated, "The server sends elsewhere and does not say where.");
    const refusal = refusalOf(next);
    if (refusal !== undefined) return yield* failed(stated, refusal);
    url = next;
  }
  return yield* failed(
    stated,
    `The server sends elsewhere more than ${maxRedirects} times. Give the address of the file itself.`,
  );
});

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Why a server's redirect is not followed. */
const refusalOf = ({ hostname, password, protocol, username }: URL): string | undefined => {
  if (protocol !== "https:") return "The server sends to an address without https, which is not followed.";
  if (username !== "" || password !== "")
    return "The server sends to an address with a user or a password, which is not followed.";
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return isIP(host) !== 0 || host === "localhost" || host.endsWith(".localhost")
    ? "The server sends to this machine or to an address without a name, which is not followed."
    : undefined;
};

interface Answer {
  readonly head: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  readonly bytes: Uint8Array;
}

const ask = Effect.fnUntraced(function* (url: URL): Effect.fn.Return<Answer, TransportFault, Transport> {
  const transport = yield* Transport;
  const heard: { head: Answer["head"]; readonly chunks: Array<Uint8Array>; size: number } = {
    head: { status: 0, headers: {} },
    chunks: [],
    size: 0,
  };
  yield* transport.send(
    {
      method: "GET",
      url,
      headers: {
        accept: "text/markdown, text/plain, */*;q=0.1",
        "accept-encoding": "identity",
        "user-agent": "cahier",
      },
      body: new Uint8Array(),
      firstByteMs: deadlineMs,
      idleMs: deadlineMs,
    },
    {
      head: (head) => {
        heard.head = head;
      },
      chunk: (bytes) => {
        if (heard.head.status !== 200) return "stop";
        const part = bytes.slice(0, Limits.maxSkillFileBytes + 1 - heard.size);
        heard.chunks.push(part);
        heard.size += part.length;
        return heard.size > Limits.maxSkillFileBytes ? "stop" : "more";
      },
    },
  );
  return { head: heard.head, bytes: Buffer.concat(heard.chunks) };
});

const bodyOf = (stated: string, { bytes, head: { headers, status } }: Answer): Effect.Effect<Uint8Array, Fatal> => {
  if (status !== 200) {
    return failed(
      stated,
      `The server answers with status ${status}. Check the address; it has to be open to everybody.`,
    );
  }
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  return encoding === "" || encoding === "identity"
    ? Effect.succeed(bytes)
    : failed(stated, "The server sends it compressed, unasked. Save the file yourself and install it.");
};

const unreached = (stated: string, fault: TransportFault): Fatal =>
  failure(
    stated,
    fault.kind === "address"
      ? "Its name leads to this machine or a private network, where nothing is fetched by name. Check the address."
      : `${sentences[fault.kind]} Check the address and the network.`,
    fault,
  );

const sentences: { readonly [Kind in Exclude<TransportFault["kind"], "address">]: string } = {
  timeout: "The server did not answer in time.",
  connect: "There is no connection to the server.",
  proxy: "The proxy refused or failed.",
  dns: "The server's name cannot be resolved.",
  tls: "There is no secure connection to the server.",
  bodyInterrupted: "The connection ended before the file did.",
  request: "The request failed before an answer came.",
};

const failed = (stated: string, why: string): Effect.Effect<never, Fatal> => Effect.fail(failure(stated, why));

const failure = (stated: string, why: string, cause?: unknown): Fatal =>
  fatal(
    "skill.download_failed",
    `${addressOf(stated)} cannot be fetched. ${why}`,
    cause === undefined ? {} : { cause },
  );
