/**
 * The page about the events of a run's journal, from their definitions.
 */
import type * as Schema from "effect/Schema";
import * as JsonSchema from "./JsonSchema.ts";
import * as Page from "./Page.ts";

/** One event type. `about` is what its source says of it, empty when it says nothing. */
export interface EventEntry {
  readonly type: string;
  readonly v: number;
  readonly level: string;
  readonly payload: Schema.Top;
  readonly about: string;
}

/** Event types that belong together; `title` says to what. */
export interface EventGroup {
  readonly title: string;
  readonly events: ReadonlyArray<EventEntry>;
}

/** A shape that several events hold, explained once under `name`. */
export interface SharedShape {
  readonly name: string;
  readonly about: string;
  readonly schema: Schema.Top;
}

const lead = [
  "A run is the sequence of its events. `cahier runs events ID` prints them, `--json` with everything that they hold, and in the data folder they are the lines of `events.jsonl`. An event is a fact in the past tense. Its type, version and fields stay readable for ever: a later version of this program may write a type with a higher version or with more optional fields, and never gives a field another meaning.",
  "A reader that meets a type or a version that it does not know keeps the event and does not interpret it.",
];

/** The page: the envelope, then every group, then the shapes that several events share. */
export const eventsPage = (
  envelope: Schema.Top,
  groups: ReadonlyArray<EventGroup>,
  shapes: ReadonlyArray<SharedShape>,
): Promise<Page.Page> => {
  const named = shapes.map(({ name, schema }) => ({
    type: `[${name}](#${name.replaceAll(" ", "-")})`,
    schema: JsonSchema.of(schema),
  }));
  return Page.make("docs/reference/events.md", "Events of a run", [
    ...lead,
    "## What every event has",
    fieldsOf(envelope, []),
    "`payload` is what the rest of this page is about. Fields of objects within are written with a dot, those of the elements of an array with `[]`.",
    ...groups.flatMap(({ events, title }) => [`## ${title}`, ...events.flatMap((event) => sectionOf(event, named))]),
    "## Shapes that several events share",
    ...shapes.flatMap((shape) => [
      `### ${shape.name}`,
      ...(shape.about === "" ? [] : [shape.about]),
      fieldsOf(shape.schema, []),
    ]),
  ]);
};

const sectionOf = (event: EventEntry, named: ReadonlyArray<JsonSchema.Named>): ReadonlyArray<string> => [
  `### ${event.type}`,
  `Version ${event.v}, level ${Page.code(event.level)}. ${event.about}`.trim(),
  fieldsOf(event.payload, named),
];

const fieldsOf = (schema: Schema.Top, named: ReadonlyArray<JsonSchema.Named>): string => {
  const json = JsonSchema.of(schema);
  const fields = JsonSchema.fields(json, named);
  if (fields.length > 0)
    return Page.table(
      ["field", "type", ""],
      fields.map((field) => [
        Page.code(field.name),
        [field.type, field.limits].filter((text) => text !== "").join(", "),
        field.required ? "required" : "optional",
      ]),
    );
  return "enum" in json ? `One of ${JsonSchema.typeOf(json)}.` : "It has no fields.";
};
