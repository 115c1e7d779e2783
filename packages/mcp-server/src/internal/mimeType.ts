/** What a file of a workspace holds, by its name. */

/** A text is plain where its name says nothing of a text, and bytes are anything where it says nothing of bytes. */
export const mimeTypeOf = (path: string, isText: boolean): string => {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return isText ? (texts.get(ending) ?? "text/plain") : (others.get(ending) ?? "application/octet-stream");
};

const texts = new Map([
  ["md", "text/markdown"],
  ["json", "application/json"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["html", "text/html"],
  ["csv", "text/csv"],
  ["css", "text/css"],
  ["js", "text/javascript"],
]);

const others = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["pdf", "application/pdf"],
]);
