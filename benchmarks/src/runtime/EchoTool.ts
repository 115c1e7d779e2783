/** The cheapest tool that there is: it says back what it was told. */
import { defineTool } from "@cahier/application/tool/defineTool";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** What the tool answers to the arguments that a model sent. */
export const echo = (text: string): string => `Heard: ${text}`;

/** `bench.echo`, which the model sees as `bench_echo`. */
export const tool = defineTool({
  name: "bench.echo",
  title: "Echo",
  description: "Says back the text.",
  parameters: Schema.Struct({ text: Schema.String.annotate({ description: "The text to say back." }) }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: ({ text }) => Effect.succeed({ _tag: "Done", content: echo(text) }),
});
