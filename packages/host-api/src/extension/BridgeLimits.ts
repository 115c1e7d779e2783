/**
 * What both ends of the bridge hold to. Apart from the forms of its messages, so that a page loads no more than it needs.
 */

/** The version of the messages; a peer that speaks another one is refused. */
export const protocolVersion = 1;

/** Most bytes of one message, as UTF-8. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** Most tools of one connection. */
export const maxTools = 512;

/** Most calls of one connection that wait for their answer. */
export const maxCalls = 64;

/** With which codes a host closes a connection, beside those of WebSocket. After these a peer does not come again by itself. */
export const closeCodes = { tokenRefused: 4401, versionRefused: 4400 } as const;
