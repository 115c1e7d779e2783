/**
 * The short texts of an event's envelope as JSON, for storages that write envelopes by hand on their hot path.
 */

/** A text as a JSON string; what needs no escape is only put between quotes. */
export const quoted = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

/** `make`, which gives again what it made of the text before when the same text comes again, as it mostly does in one append. */
export const remembering = (make: (text: string) => string): ((text: string) => string) => {
  const last = { text: "", made: make("") };
  return (text) => {
    if (text !== last.text) {
      last.made = make(text);
      last.text = text;
    }
    return last.made;
  };
};

const plain = /^[\w.:-]*$/;
