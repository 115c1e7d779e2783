/**
 * The versions of the protocol that a server can be registered with; `auto` is the newest that both sides speak.
 */
export const protocolVersions = ["auto", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const;
