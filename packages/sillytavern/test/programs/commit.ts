/**
 * A process that commits to one chat: `commit.ts FILE NAME COUNT`. Each commit is of a run of its own and says
 * `NAME-<number>`; a chat that moved is read and tried again. Prints the number of each commit that was confirmed.
 */
import { CommitId } from "@cahier/domain/identity/Identity";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../../src/SillyTavernChatHost.ts";
import * as ChatFolder from "../support/ChatFolder.ts";

const [location = "", name = "", count = "0"] = process.argv.slice(2);
const host = SillyTavernChatHost.make();

const commit = (number: number) =>
  Effect.gen(function* () {
    const { revision } = yield* host.freeze({ location }, "normal");
    yield* host.commit(
      ChatFolder.request({ location }, revision, {
        commitId: CommitId.make(`commit_${name}_${number}`),
        text: `${name}-${number}`,
      }),
    );
  }).pipe(
    Effect.retry({ while: (fault) => fault.reason._tag === "Moved" }),
    Effect.andThen(Effect.sync(() => process.stdout.write(`${number}\n`))),
  );

await Effect.runPromise(
  Effect.forEach(
    Array.from({ length: Number(count) }, (_, number) => number),
    commit,
    { discard: true },
  ),
);
