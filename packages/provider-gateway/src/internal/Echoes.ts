/**
 * Takes secrets out of what a model says: a server that repeats a key, on purpose or not, must not get it into the journal.
 *
 * Owns the values that the secret store has given out, and hiding them in responses and their deltas. Does not own the
 * words of faults, which are made fit to be read where they are made.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Message, Part } from "@cahier/domain/model/Message";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, type ModelGateway, type OnDelta } from "@cahier/ports/ModelGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Base64 from "effect/encoding/Base64";
import * as Base64Url from "effect/encoding/Base64Url";
import * as Redacted from "effect/Redacted";

/** What is told instead of a secret. */
export const mask = "[redacted]";

/** Values that were given out. Those shorter than eight characters are no keys, and are parts of ordinary words. */
export class Echoes {
  readonly #values = new Set<string>();
  #hiding: Hiding | undefined;

  /** The same store; what it gives out is remembered here. */
  remembering(store: SecretStore["Service"]): SecretStore["Service"] {
    return {
      ...store,
      resolve: (reference) =>
        Effect.tap(store.resolve(reference), (value) =>
          Effect.sync(() => this.#remember(Redacted.value(value).trim())),
        ),
    };
  }

  /** The same gateway; no response, delta or partial response of it holds a value that was given out. */
  without(gateway: ModelGateway["Service"]): ModelGateway["Service"] {
    return {
      ...gateway,
      generate: (request, onDelta) =>
        Effect.suspend(() => {
          const deltas = new Deltas(onDelta, () => this.#hiding);
          return gateway
            .generate(request, (delta) => deltas.take(delta))
            .pipe(
              Effect.onExit(() => Effect.sync(() => deltas.end())),
              Effect.map((response) => hideInResponse(response, this.#hiding)),
              Effect.mapError((fault) => hideInFault(fault, this.#hiding)),
            );
        }),
    };
  }

  #remember(value: string): void {
    if (value.length < shortest || this.#values.has(value)) return;
    this.#values.add(value);
    this.#hiding = new Hiding([...this.#values]);
  }
}

const shortest = 8;

/** Every spelling in which a text may hold one of the values: as it is, in JSON, in a URL, in base64. */
class Hiding {
  readonly #spellings: ReadonlyArray<string>;
  readonly #pattern: RegExp;
  readonly #trace: RegExp;
  /** The first characters of all spellings. */
  readonly #firsts: string;

  constructor(values: ReadonlyArray<string>) {
    const spellings = values.flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      JSON.stringify(value)
        .slice(1, -1)
        .replaceAll("/", String.raw`\/`),
      encodeURIComponent(value),
      Base64.encode(value),
      Base64Url.encode(value),
    ]);
    this.#spellings = [...new Set(spellings)].toSorted((one, other) => other.length - one.length);
    this.#firsts = this.#spellings.map((spelling) => spelling.slice(0, 1)).join("");
    this.#trace = traceOf(this.#spellings);
    this.#pattern = new RegExp(this.#spellings.map(literal).join("|"), "g");
  }

  readonly hide = (text: string): string => text.replaceAll(this.#pattern, mask);

  /** Where a value may begin in a text; -1 if nowhere, which is nearly always so, and then nothing else is to be done. */
  suspectIn(text: string): number {
    return text.search(this.#trace);
  }

  holds(text: string): boolean {
    return text.search(this.#pattern) !== -1;
  }

  /** How much of the text can be told: what follows may be the beginning of a value. */
  tellable(text: string): number {
    const beginning = this.#beginningAt(text, 0);
    if (beginning === text.length) return beginning;
    const across = [...text.matchAll(this.#pattern)].find(
      ({ 0: found, index }) => index < beginning && beginning < index + found.length,
    );
    return across === undefined ? beginning : this.#beginningAt(text, across.index + across[0].length);
  }

  /** Where a proper beginning of a spelling stands at the end of a text, not before `from`; the text's end if none does. */
  #beginningAt(text: string, from: number): number {
    const longest = (this.#spellings[0]?.length ?? 1) - 1;
    for (let start = Math.max(from, text.length - longest); start < text.length; start += 1) {
      if (!this.#firsts.includes(text.charAt(start))) continue;
      const rest = text.slice(start);
      if (this.#spellings.some((spelling) => spelling.length > rest.length && spelling.startsWith(rest))) return start;
    }
    return text.length;
  }
}

/** So many characters of a value are enough to look closer. */
const traceLength = 3;

/** Finds the first characters of a spelling, or at the end of a text as many of them as stand there. */
const traceOf = (spellings: ReadonlyArray<string>): RegExp => {
  const traces = spellings.flatMap((spelling) => [
    literal(spelling.slice(0, traceLength)),
    ...Array.from({ length: traceLength - 1 }, (_, index) => `${literal(spelling.slice(0, index + 1))}$`),
  ]);
  return new RegExp([...new Set(traces)].join("|"));
};

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** Deltas of one call. The end of a text is held back while it may be the beginning of a value. */
class Deltas {
  readonly #onDelta: OnDelta;
  readonly #hiding: () => Hiding | undefined;
  #held: { readonly delta: TextDelta; readonly text: string } | undefined;

  constructor(onDelta: OnDelta, hiding: () => Hiding | undefined) {
    this.#onDelta = onDelta;
    this.#hiding = hiding;
  }

  take(delta: ModelDelta): void {
    const hiding = this.#hiding();
    if (hiding === undefined) return this.#onDelta(delta);
    if (!("text" in delta)) {
      this.end();
      return this.#onDelta(delta.type === "toolCallStart" ? { ...delta, name: hiding.hide(delta.name) } : delta);
    }
    if (this.#held !== undefined && !isSameText(this.#held.delta, delta)) this.end();
    const text = this.#held === undefined ? delta.text : this.#held.text + delta.text;
    const suspect = hiding.suspectIn(text);
    if (suspect === -1) {
      this.#held = undefined;
      return this.#onDelta(text === delta.text ? delta : { ...delta, text });
    }
    const end = suspect === text.length - 1 ? suspect : hiding.tellable(text);
    this.#held = end === text.length ? undefined : { delta, text: text.slice(end) };
    if (end > suspect) this.#onDelta({ ...delta, text: hiding.hide(text.slice(0, end)) });
    else if (end > 0) this.#onDelta({ ...delta, text: text.slice(0, end) });
  }

  /** Tells what was held back. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#onDelta({ ...held.delta, text: held.text });
  }
}

type TextDelta = Extract<ModelDelta, { readonly text: string }>;

const isSameText = (one: TextDelta, other: TextDelta): boolean =>
  one.type === other.type &&
  (one.type !== "toolCallDelta" || other.type !== "toolCallDelta" || one.index === other.index);

const hideInResponse = (response: ModelResponse, hiding: Hiding | undefined): ModelResponse => {
  if (hiding === undefined || !holdsOne(response, hiding)) return response;
  const { hide } = hiding;
  const { providerState, responseId, warnings } = response;
  return {
    ...response,
    model: hide(response.model),
    message: hideInMessage(response.message, hide),
    ...(responseId === undefined ? {} : { responseId: hide(responseId) }),
    ...(warnings === undefined ? {} : { warnings: warnings.map(hide) }),
    ...(providerState === undefined
      ? {}
      : {
          providerState: {
            ...providerState,
            ...(providerState.lastResponseId === undefined
              ? {}
              : { lastResponseId: hide(providerState.lastResponseId) }),
            ...(providerState.previousResponseId === undefined
              ? {}
              : { previousResponseId: hide(providerState.previousResponseId) }),
          },
        }),
  };
};

/** Nearly no response does, and such a one stays the object that it is. */
const holdsOne = ({ message, model, providerState, responseId, warnings }: ModelResponse, hiding: Hiding): boolean => {
  const texts = [
    model,
    responseId,
    providerState?.lastResponseId,
    providerState?.previousResponseId,
    ...(warnings ?? []),
  ];
  return (
    texts.some((text) => text !== undefined && hiding.holds(text)) ||
    message.parts.some((part) => textsOf(part).some((text) => hiding.holds(text)))
  );
};

const textsOf = (part: Part): ReadonlyArray<string> =>
  Object.values(part).filter((value): value is string => typeof value === "string");

const hideInMessage = (message: Message, hide: (text: string) => string): Message => ({
  ...message,
  parts: message.parts.map((part) => hideInPart(part, hide)),
});

const hideInPart = (part: Part, hide: (text: string) => string): Part => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: hide(part.text) };
    case "toolCall":
      return {
        ...part,
        callId: CallId.make(hide(part.callId)),
        name: hide(part.name),
        arguments: hide(part.arguments),
      };
    case "toolResult":
      return { ...part, content: hide(part.content) };
    case "media":
      return { ...part, value: hide(part.value) };
    case "resourceRef":
      return { ...part, uri: hide(part.uri) };
    case "native":
      return { ...part, model: hide(part.model), json: hide(part.json) };
  }
};

const hideInFault = (fault: ModelFault, hiding: Hiding | undefined): ModelFault =>
  hiding === undefined || fault.partial === undefined
    ? fault
    : new ModelFault({
        reason: fault.reason,
        detail: fault.detail,
        ...(fault.endpoint === undefined ? {} : { endpoint: fault.endpoint }),
        partial: hideInResponse(fault.partial, hiding),
      });
