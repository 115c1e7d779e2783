/** What the worker of laws tells, and what it is told. */
export interface LawNote {
  readonly kind: "received" | "arrived" | "interrupted" | "marked";
  readonly text: string;
}

export type LawOrder =
  | { readonly kind: "release" | "mark"; readonly text: string }
  | { readonly kind: "vanish" | "exit" };
