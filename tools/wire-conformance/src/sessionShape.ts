/**
 * What a client does in a session over a WebSocket, as sentences that two clients can be compared by.
 */
import type { Frame, Seen } from "./FakeResponses.ts";

/** One thing that was looked at, and what was seen. */
export type Shape = ReadonlyMap<string, string>;

/** The handshake, then frame by frame: the kind of frame, what it goes on from, its new items, its fixed fields. */
export const shapeOf = ({ frames, handshakes, plain }: Seen): Shape =>
  new Map([
    ["connections", String(handshakes.length)],
    ["requests without an upgrade", String(plain.length)],
    ["path", handshakes[0]?.path ?? "none"],
    ["openai-beta", String(handshakes[0]?.headers["openai-beta"])],
    ["authorization", handshakes[0]?.headers.authorization === undefined ? "none" : "a bearer token"],
    ["frames", String(frames.length)],
    ...frames.flatMap((frame, index) => shapeOfFrame(frame, `frame ${index + 1}`)),
  ]);

const shapeOfFrame = (frame: Frame, name: string): ReadonlyArray<readonly [string, string]> => [
  [`${name}: type`, String(frame["type"])],
  [`${name}: generate`, String(frame.generate)],
  [`${name}: previous_response_id`, String(frame.previous_response_id)],
  [`${name}: kinds of items`, [...new Set((frame.input ?? []).map(({ role, type }) => role ?? type))].join(", ")],
  [`${name}: store`, String(frame["store"])],
  [`${name}: include`, JSON.stringify(frame["include"])],
  [`${name}: background`, String(frame["background"])],
  [`${name}: fields`, Object.keys(frame).toSorted().join(", ")],
];

/** A line for each thing: both the same, or what each of the two did. */
export const compare = (names: readonly [string, string], one: Shape, other: Shape): ReadonlyArray<string> =>
  [...new Set([...one.keys(), ...other.keys()])].map((thing) => {
    const [left, right] = [one.get(thing) ?? "nothing", other.get(thing) ?? "nothing"];
    return left === right ? `same    ${thing}: ${left}` : `differs ${thing}: ${names[0]} ${left}; ${names[1]} ${right}`;
  });
