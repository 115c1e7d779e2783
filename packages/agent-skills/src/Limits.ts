/**
 * What an Agent Skills package may be: its limits.
 */
export const maxFiles = 1000;
