/**
 * Whether a text is the secret. How long it takes to say no depends on the length of what is given alone, so that nobody learns from it
 * how much was right. An empty secret is nobody's, and what is longer than any token is none.
 */
export const sameSecret = (given: string, secret: string): boolean => {
  if (secret === "" || given.length > longest) return false;
  return (
    Array.from({ length: given.length }, (_, index) => index).reduce(
      (difference, index) => difference | (given.charCodeAt(index) ^ secret.charCodeAt(index % secret.length)),
      given.length ^ secret.length,
    ) === 0
  );
};

const longest = 4096;
