/**
 * The way to files of other people: the transport of the model gateway, with its rule of addresses.
 */
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";

/** The transport; its network library is loaded at the first request. */
export const layer = UndiciTransport.layer();
