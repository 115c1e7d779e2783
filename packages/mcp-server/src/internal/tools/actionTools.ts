/** The tools that change something: those that the host permits, and no others. */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { type Action, type Actions, AnswerApproval, GuideRun, OneRun, StartRun } from "../../Actions.ts";
import type { Offer } from "../../Offer.ts";
import { RunEntry } from "../../OfferedRun.ts";
import * as words from "../words.ts";
import * as ServedTool from "./ServedTool.ts";

export const make = ({ actions = {} }: Offer): ReadonlyArray<ServedTool.ServedTool> => [
  ...offered("start_run", actions.start_run, StartRun, {
    title: "Start a run",
    description:
      "Begins a run: an agent writes the next message of a chat, by a model that costs money. Returns at once; wait_for_run tells when it has ended.",
    effects: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  }),
  ...offered("cancel_run", actions.cancel_run, OneRun, {
    title: "Cancel a run",
    description: "Ends a run, wherever it is carried on. What it has published stays in the chat.",
    effects: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  }),
  ...offered("resume_run", actions.resume_run, OneRun, {
    title: "Carry a run on",
    description:
      "Carries on a run that is interrupted: nobody carries it on. Returns at once; wait_for_run tells when it has ended.",
    effects: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  }),
  ...offered("guide_run", actions.guide_run, GuideRun, {
    title: "Guide a run",
    description: "Tells the agent of a run something before its next request. The chat stays as it is.",
    effects: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  }),
  ...offered("answer_approval", actions.answer_approval, AnswerApproval, {
    title: "Answer for a waiting call",
    description:
      "Allows or refuses a call that a run waits for, and carries the run on. The decision is a person's: show them the call and what it does, and pass on what they say.",
    effects: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  }),
];

const offered = <Given extends Readonly<Record<string, unknown>>>(
  name: keyof Actions,
  action: Action<Given> | undefined,
  input: Schema.Codec<Given, unknown>,
  stated: Pick<Parameters<typeof ServedTool.make>[0], "title" | "description" | "effects">,
): ReadonlyArray<ServedTool.ServedTool> =>
  action === undefined
    ? []
    : [
        ServedTool.make({
          ...stated,
          name,
          input,
          output: Schema.Struct({ run: RunEntry }),
          run: (given) =>
            Effect.map(action(given), (run) => ({ text: words.ofRuns([run], false), structured: { run } })),
        }),
      ];
