/** The beginning of a text that somebody else has made, for a sentence that quotes it. */
export const shorten = (text: string): string => (text.length <= 500 ? text : `${text.slice(0, 500)}…`);
