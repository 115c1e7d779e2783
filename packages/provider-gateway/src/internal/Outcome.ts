/**
 * What came of one exchange with a server, whatever the way: the ground for a response or a fault.
 */
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type * as Result from "effect/Result";
import type { TransportFault } from "../transport/Transport.ts";
import type { Failure } from "./Reply.ts";

/** `lost` is why the transport gave up, which may be after the end of a response; `warnings` are of the request. */
export interface Outcome {
  readonly ended: Result.Result<ModelResponse, Failure>;
  readonly lost: TransportFault | undefined;
  /** Whether the server has answered at all. */
  readonly hasHead: boolean;
  readonly partial: ModelResponse | undefined;
  readonly warnings: ReadonlyArray<string>;
}
