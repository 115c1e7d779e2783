/**
 * Prose that is made up: sentences, quotation marks, paragraphs; never the same twice.
 */

const words =
  "the a of and to in sea lamp stair rope harbour gull stone evening letter hand window door rain salt lantern boat tide bell quiet slow bright old cold narrow first last she he they it waits turns listens remembers carries asks answers opens leaves keeps after before under beyond without because although while".split(
    " ",
  );

/** ASCII prose of exactly `bytes` bytes; another `seed` gives another text. */
export const prose = (seed: number, bytes: number): string => {
  let state = (seed + 1) * 2_654_435_761;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
  let text = "";
  while (text.length < bytes) text += paragraph(next);
  return text.slice(0, bytes);
};

const paragraph = (next: (limit: number) => number): string => {
  const sentences = Array.from({ length: 2 + next(4) }, () => sentence(next));
  return `${sentences.join(" ")}\n\n`;
};

const sentence = (next: (limit: number) => number): string => {
  const chosen = Array.from({ length: 5 + next(12) }, () => words[next(words.length)] ?? "sea").join(" ");
  const text = `${chosen.slice(0, 1).toUpperCase()}${chosen.slice(1)}.`;
  return next(4) === 0 ? `"${text}"` : text;
};
