/**
 * What a server answers, in words of no wire.
 */

/** A tool call of a turn; `raw` is the text of its arguments. */
export interface TurnCall {
  readonly id: string;
  readonly name: string;
  readonly raw: string;
}

export type Complaint = "unauthorized" | "rateLimited" | "overloaded" | "overflow";

/**
 * One answer. `cut`: the connection breaks after the text; `open`: nothing more comes after the text. With `refused` the
 * server gives a status and an error instead.
 */
export interface Turn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: ReadonlyArray<TurnCall>;
  readonly finish?: "length" | "refusal";
  readonly ending?: "cut" | "open";
  readonly refused?: {
    readonly status: number;
    readonly complaint: Complaint;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** What every answer costs. */
export const usage = { inputTokens: 12, outputTokens: 5 };

/** The text in pieces of a few characters, none of them torn apart. */
export const pieces = (text: string): ReadonlyArray<string> => {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / 6) }, (_, index) =>
    characters.slice(index * 6, (index + 1) * 6).join(""),
  );
};
