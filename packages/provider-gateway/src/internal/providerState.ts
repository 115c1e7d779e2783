/**
 * Where the session of a provider stands after a response, as it is journalled.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { ProviderState } from "@cahier/domain/model/ProviderState";

/** The transport that the states of sessions over a socket name. */
export const socketTransport = "responses_websocket";

/** The state; none of a format in which there is nothing to go on from. */
export const after = (request: ModelRequest, { message, responseId }: ModelResponse): ProviderState | undefined => {
  const { format, source, transport } = request.binding;
  if (format === "openai-chat" || format === "scripted") return undefined;
  const partCount = message.parts.filter((part) => part.type === "native" && part.format === format).length;
  const isContinued = transport === "websocket" && responseId !== undefined;
  return {
    source,
    format,
    ...(isContinued ? { transport: socketTransport, previousResponseId: responseId } : {}),
    messageCursor: request.messages.length,
    ...(responseId === undefined ? {} : { lastResponseId: responseId }),
    nativeContinuation: { format, partCount },
  };
};
