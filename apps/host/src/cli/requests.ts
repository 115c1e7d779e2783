/**
 * `cahier runs show ID --requests`: what a run sent to models and what came back, where it was asked to be logged.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { type LoggedRequests, readRequests } from "@cahier/application/requests/RequestLog";
import { showRun } from "@cahier/application/run/RunReader";
import * as Effect from "effect/Effect";
import { look } from "./look.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { printable, printableLines, shortened } from "./printable.ts";

/** Prints the logged exchanges of a run, oldest first. */
export const showRequests = (command: ParsedCommand, runId: RunId): Effect.Effect<number, Fatal> =>
  look(
    command,
    Effect.gen(function* () {
      yield* showRun(runId);
      const logged = yield* readRequests(runId);
      if (has(command, "json")) yield* Output.json({ runId, ...logged });
      else if (logged.requests.length + logged.unreadable.length === 0)
        yield* Output.line("No request of this run was logged; cahier run --log-requests logs those of a run.");
      else
        yield* Effect.forEach(linesOf(logged, columnsOf(process.stdout)), Output.line, {
          discard: true,
        });
      return 0;
    }),
  );

/**
 * The exchanges as lines of at most `columns`. Of a long body there is the beginning; what a request has in common with the
 * beginning of the one before it is only counted, so that what is new is seen.
 */
export const linesOf = ({ requests, unreadable }: LoggedRequests, columns: number): ReadonlyArray<string> => [
  ...requests.flatMap((request, index) => [
    `${request.number}  ${request.at}  ${printable(request.method)} ${printable(request.endpoint)}: ${
      request.status ?? "no answer"
    }, ${request.outcome}, ${Date.parse(request.endedAt) - Date.parse(request.at)} ms, ${request.invocationId}`,
    ...(request.detail === undefined ? [] : [`  ${printable(request.detail)}`]),
    "  sent",
    ...headerLines(request.requestHeaders, columns),
    ...bodyLines(request.requestBody, columns, requests[index - 1]),
    ...(request.status === undefined && request.responseBody === ""
      ? []
      : [
          "  received",
          ...headerLines(request.responseHeaders ?? {}, columns),
          ...bodyLines(request.responseBody, columns),
        ]),
    "",
  ]),
  ...unreadable.map((id) => `${printable(id)} cannot be read; cahier doctor tells why`),
];

/** A terminal's own width; elsewhere lines are as long as people still read. */
const columnsOf = ({ columns, isTTY }: typeof process.stdout): number => (isTTY ? columns : 160);

/** So much of a body is on a screen; all of it is in the JSON. */
const mostLines = 40;

const headerLines = (headers: Readonly<Record<string, string>>, columns: number): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => shortened(`    ${printable(name)}: ${printable(value)}`, columns));

/** Fewer lines than these are sooner read than skipped. */
const fewestInCommon = 8;

/** `before` is an exchange whose request may begin in the same way. */
const bodyLines = (
  body: string,
  columns: number,
  before?: LoggedRequests["requests"][number],
): ReadonlyArray<string> => {
  const whole = linesIn(body);
  const common = before === undefined ? 0 : inCommon(whole, linesIn(before.requestBody));
  const isSkipped = common >= fewestInCommon;
  const lines = isSkipped ? whole.slice(common) : whole;
  const more = lines.length - mostLines;
  return [
    ...(isSkipped ? [`    … ${common} lines as in request ${before?.number ?? 0}`] : []),
    ...lines.slice(0, mostLines).map((line) => shortened(`    ${line}`, columns)),
    ...(more > 0 ? [`    … ${more} more lines; --json prints all of them`] : []),
  ];
};

const linesIn = (body: string): ReadonlyArray<string> => printableLines(pretty(body).trim()).split("\n");

/** How many lines both begin with. */
const inCommon = (lines: ReadonlyArray<string>, others: ReadonlyArray<string>): number => {
  const first = lines.findIndex((line, index) => line !== others[index]);
  return first === -1 ? lines.length : first;
};

/** JSON with its members below each other; anything else, such as a stream of events, as it came. */
const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};
