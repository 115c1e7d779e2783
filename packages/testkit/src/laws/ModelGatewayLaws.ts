/**
 * The laws of ModelGateway.
 *
 * `MDL-01` to `-09` answers, `-20` to `-28` failures, `-40` to `-45` interruption and sessions.
 */
import type * as Law from "../Law.ts";
import * as Answering from "../internal/laws/modelGateway/Answering.ts";
import * as Ending from "../internal/laws/modelGateway/Ending.ts";
import * as Failing from "../internal/laws/modelGateway/Failing.ts";
import type * as Scenario from "../internal/laws/modelGateway/Scenario.ts";

/** What an adapter's test gives: a gateway, and requests to which the model behind it answers as asked. */
export type ModelGatewayHarness = Scenario.Harness;

/** One turn of a model, as in the file format `cahier.script/1`. */
export type Turn = Scenario.Turn;

export const laws: ReadonlyArray<Law.Law<ModelGatewayHarness>> = [...Answering.laws, ...Failing.laws, ...Ending.laws];
