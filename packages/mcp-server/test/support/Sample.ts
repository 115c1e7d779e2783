/** An offer as a host might fill it in: two runs, their files, and what a test wants to be different. */
import type { RunId } from "@cahier/domain/identity/Identity";
import { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import { type Offer, OfferFault } from "@cahier/mcp-server/Offer";
import type { FileContent, RunDetail, RunEntry, RunLine } from "@cahier/mcp-server/OfferedRun";

export const firstRun = `run_${"1".repeat(32)}`;
export const lastRun = `run_${"2".repeat(32)}`;

const entry = (runId: string, createdAt: string): RunEntry => ({
  runId,
  createdAt,
  updatedAt: "2026-11-30T12:05:00.000Z",
  endedAt: "2026-11-30T12:05:00.000Z",
  status: "completed",
  standing: "ended",
  chat: "Seraphina/The Inn.jsonl",
  profileId: "default-writer",
  generationType: "normal",
  rounds: 3,
  commitCount: 1,
});

export const entries: ReadonlyArray<RunEntry> = [
  entry(lastRun, "2026-11-30T12:00:00.000Z"),
  { ...entry(firstRun, "2026-11-29T12:00:00.000Z"), status: "awaiting_approval", standing: "waiting" },
];

/** One pixel. */
export const image = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

export const story = "The inn stood where two roads met.\nSeraphina lit the lamp. 🏮\n";

const contents: ReadonlyMap<string, FileContent> = new Map<string, FileContent>([
  ["notes/a plan #1.md", { path: "notes/a plan #1.md", sha256: "b".repeat(64), text: "Keep it short." }],
  ["output/main.md", { path: "output/main.md", sha256: "a".repeat(64), text: story }],
  ["output/map.png", { path: "output/map.png", sha256: "c".repeat(64), data: image }],
  ["output/voice.mp3", { path: "output/voice.mp3", sha256: "d".repeat(64), data: image }],
  ["output/book.pdf", { path: "output/book.pdf", sha256: "e".repeat(64), data: image }],
  ["output/large.md", { path: "output/large.md", sha256: "f".repeat(64), text: "x".repeat(5 * 1024 * 1024) }],
]);

export const detailOf = (run: RunEntry): RunDetail => ({
  ...run,
  lastSeq: 12,
  invocations: [
    {
      invocationId: "inv_root",
      status: run.status,
      model: "a-model",
      rounds: 3,
      toolCalls: 4,
      inputTokens: 1200,
      outputTokens: 340,
    },
  ],
  files: filesOf,
  committed: [{ messageIndex: 8, path: "output/main.md", characters: 60, commitId: `commit_${"a".repeat(32)}` }],
  checkpoints: [{ checkpointId: "cp_000001", seq: 6, label: "before the lamp" }],
  waitingFor:
    run.standing === "waiting"
      ? [
          {
            callId: "call_1",
            invocationId: "inv_root",
            toolId: "mcp:mail/send",
            title: "Send mail",
            argumentsSummary: 'to "innkeeper"',
            argumentsSha256: "9".repeat(64),
            sideEffects: ["Sends a message that cannot be taken back."],
            reason: "A rule asks for every call of mcp/*.",
          },
        ]
      : [],
});

const filesOf = [...contents.values()].map((file) => ({
  path: file.path,
  bytes: "text" in file ? Buffer.byteLength(file.text) : file.data.length,
  sha256: file.sha256,
}));

export const lines: ReadonlyArray<RunLine> = Array.from({ length: 12 }, (_, index) => ({
  seq: index + 1,
  at: "2026-11-30T12:00:00.000Z",
  type: "file_written",
  text: `event ${index + 1}`,
}));

export const tools: ReadonlyArray<ToolDescriptor> = Schema.decodeUnknownSync(Schema.Array(ToolDescriptor))(
  ["workspace.read", "workspace.write", "dice.roll"].map((name) => ({
    id: `builtin:${name}`,
    title: name,
    description: `What ${name} does.`,
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    annotations: {
      readOnly: name !== "workspace.write",
      destructive: false,
      idempotent: true,
      openWorld: false,
      cost: "none",
    },
    source: "builtin",
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 120_000 },
  })),
);

const noRun = (runId: RunId) =>
  new OfferFault({ kind: "runNotFound", code: "agent.run_not_found", message: `There is no run ${runId}.` });

const known = (runId: RunId): Effect.Effect<RunEntry, OfferFault> => {
  const found = entries.find((run) => run.runId === runId);
  return found === undefined ? Effect.fail(noRun(runId)) : Effect.succeed(found);
};

/** Nothing in it changes anything. */
export const offer: Offer = {
  identity: { name: "cahier", version: "1.2.3", title: "Cahier" },
  runs: {
    list: ({ before, limit }) =>
      Effect.sync(() => {
        const from = before === undefined ? 0 : entries.findIndex(({ runId }) => runId === before.runId) + 1;
        return entries.slice(from, from + limit);
      }),
    show: (runId) => Effect.map(known(runId), detailOf),
    events: (runId, { afterSeq, limit }) =>
      Effect.map(known(runId), () => lines.filter(({ seq }) => seq > afterSeq).slice(0, limit)),
    follow: () => Stream.empty,
  },
  files: {
    list: (runId) => Effect.map(known(runId), () => filesOf),
    read: (runId, path) =>
      Effect.flatMap(known(runId), () => {
        const file = contents.get(path);
        return file === undefined
          ? Effect.fail(
              new OfferFault({
                kind: "fileNotFound",
                code: "workspace.file_not_found",
                message: `There is no ${path}.`,
              }),
            )
          : Effect.succeed(file);
      }),
  },
  diff: (runId, { from = 0, paths, to }) =>
    Effect.map(known(runId), () => ({
      runId,
      from: typeof from === "number" ? { seq: from } : { seq: 6, checkpointId: from },
      to: typeof to === "string" ? { seq: 6, checkpointId: to } : { seq: to ?? 12 },
      files: paths.length > 0 && !paths.some((path) => path === "output/main.md") ? [] : [change],
    })),
  tools: Effect.succeed(tools),
};

const change = {
  path: "output/main.md",
  status: "added",
  addedLines: 1,
  removedLines: 0,
  diff: "--- /dev/null\n+++ b/output/main.md\n@@ -0,0 +1 @@\n+The inn stood where two roads met.\n",
} as const;
