/**
 * Takes secrets out of what a model says: a server that repeats a key, on purpose or not, must not get it into the journal.
 *
 * Owns the values that the secret store has given out, and hiding them in responses, their deltas and faults. Does not
 * own how a text spells them.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Message, Part } from "@cahier/domain/model/Message";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, type ModelGateway, type OnDelta } from "@cahier/ports/ModelGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as spellings from "./spellings.ts";

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

  /** The same gateway; no response, delta or fault of it holds a value that was given out. */
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
    if (value.length < spellings.shortest || this.#values.has(value)) return;
    this.#values.add(value);
    this.#hiding = new Hiding([...this.#values]);
  }
}

/**
 * Every spelling in which a text may hold one of the values. Pieces of a text are looked through for those of a value
 * that stands alone.
 */
class Hiding {
  readonly #all: ReadonlyArray<string>;
  readonly #spellings: ReadonlyArray<string>;
  readonly #pattern: RegExp;
  readonly #trace: RegExp;
  /** The first characters of all spellings. */
  readonly #firsts: string;
  /** A one for each of them that is ASCII. */
  readonly #asciiFirsts = new Uint8Array(asciiSize);
  /** The first two characters of each. */
  readonly #pairs: ReadonlySet<string>;

  constructor(values: ReadonlyArray<string>) {
    const longestFirst = (texts: ReadonlyArray<string>) =>
      [...new Set(texts)].toSorted((one, other) => other.length - one.length);
    this.#all = longestFirst(values.flatMap(spellings.of));
    this.#spellings = longestFirst(values.flatMap(spellings.alone));
    this.#firsts = this.#spellings.map((spelling) => spelling.slice(0, 1)).join("");
    for (const first of this.#firsts) this.#asciiFirsts[first.charCodeAt(0)] = 1;
    this.#pairs = new Set(this.#spellings.map((spelling) => spelling.slice(0, 2)));
    this.#trace = traceOf(this.#spellings);
    this.#pattern = new RegExp(this.#all.map(literal).join("|"), "g");
  }

  readonly hide = (text: string): string => text.replaceAll(this.#pattern, spellings.mask);

  /** Where a value may begin in a text; -1 if nowhere, which is nearly always so, and then nothing else is to be done. */
  suspectIn(text: string): number {
    if (this.#trace.test(text)) return text.search(this.#trace);
    // An end that is shorter than a trace is looked at apart, which leaves the search its speed.
    const end = text.length;
    if (end > 1 && this.#isFirst(text.charCodeAt(end - 2)) && this.#pairs.has(text.slice(-2))) return end - 2;
    return end > 0 && this.#isFirst(text.charCodeAt(end - 1)) ? end - 1 : -1;
  }

  #isFirst(code: number): boolean {
    return code < asciiSize ? this.#asciiFirsts[code] === 1 : this.#firsts.includes(String.fromCharCode(code));
  }

  /** One search for each spelling is faster than one for all of them. */
  readonly holds = (text: string): boolean => this.#all.some((spelling) => text.includes(spelling));

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

const asciiSize = 128;

/** So many characters of a value are enough to look closer. */
const traceLength = 3;

/** Finds the first characters of a spelling. */
const traceOf = (texts: ReadonlyArray<string>): RegExp =>
  new RegExp([...new Set(texts.map((text) => literal(text.slice(0, traceLength))))].join("|"));

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/**
 * Deltas of one call. The end of a text is held back while it may be the beginning of a value, whatever comes of other
 * texts meanwhile.
 */
class Deltas {
  readonly #onDelta: OnDelta;
  readonly #hiding: () => Hiding | undefined;
  readonly #held = new Map<string, { readonly delta: TextDelta; readonly text: string }>();

  constructor(onDelta: OnDelta, hiding: () => Hiding | undefined) {
    this.#onDelta = onDelta;
    this.#hiding = hiding;
  }

  take(delta: ModelDelta): void {
    const hiding = this.#hiding();
    if (hiding === undefined) return this.#onDelta(delta);
    if (delta.type === "toolCallStart") {
      const { callId, name } = delta;
      const hidden = callId === null ? null : CallId.make(hiding.hide(callId));
      return this.#onDelta({ ...delta, callId: hidden, name: hiding.hide(name) });
    }
    if (delta.type === "toolCallEnd") {
      this.#tell(callText(delta.index));
      return this.#onDelta(delta);
    }
    const key = delta.type === "toolCallDelta" ? callText(delta.index) : delta.type;
    const held = this.#held.size === 0 ? undefined : this.#held.get(key);
    const text = held === undefined ? delta.text : held.text + delta.text;
    const suspect = hiding.suspectIn(text);
    if (suspect === -1) {
      if (held !== undefined) this.#held.delete(key);
      return this.#onDelta(text === delta.text ? delta : { ...delta, text });
    }
    const end = suspect === text.length - 1 ? suspect : hiding.tellable(text);
    if (end < text.length) this.#held.set(key, { delta, text: text.slice(end) });
    else if (held !== undefined) this.#held.delete(key);
    if (end > suspect) this.#onDelta({ ...delta, text: hiding.hide(text.slice(0, end)) });
    else if (end > 0) this.#onDelta({ ...delta, text: text.slice(0, end) });
  }

  /** Tells what was held back. */
  end(): void {
    for (const key of this.#held.keys()) this.#tell(key);
  }

  #tell(key: string): void {
    const held = this.#held.get(key);
    this.#held.delete(key);
    if (held !== undefined) this.#onDelta({ ...held.delta, text: held.text });
  }
}

type TextDelta = Extract<ModelDelta, { readonly text: string }>;

const callText = (index: number): string => `call ${index}`;

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
  hiding === undefined || (fault.partial === undefined && ![fault.detail, fault.endpoint ?? ""].some(hiding.holds))
    ? fault
    : new ModelFault({
        reason: fault.reason,
        detail: hiding.hide(fault.detail),
        ...(fault.endpoint === undefined ? {} : { endpoint: hiding.hide(fault.endpoint) }),
        ...(fault.partial === undefined ? {} : { partial: hideInResponse(fault.partial, hiding) }),
      });
