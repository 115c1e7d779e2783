/**
 * The chapters of a Markdown text and how long each is.
 */
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";

/**
 * One chapter: from its heading up to the next one. `title` is null for text before the first heading. Lines count from
 * 1, both ends included; characters and words are those of the text below the heading.
 */
export interface Chapter extends TextMetrics.TextMetrics {
  readonly title: string | null;
  readonly startLine: number;
  readonly endLine: number;
}

/** Deepest heading that Markdown has. */
export const deepest = 6;

/**
 * The chapters of a text in their order. A heading of one to `level` number signs begins a chapter; a deeper one belongs
 * to the chapter that it stands in, and so does whatever stands in a fenced block.
 */
export const chaptersOf = (text: string, level: number = deepest): ReadonlyArray<Chapter> => {
  const lines = text.split(/\r?\n/u);
  const headings = headingsOf(lines).filter((heading) => heading.level <= level);
  const starts = [{ title: null, line: 0 }, ...headings];
  return starts.flatMap(({ line, title }, index) => {
    const next = starts[index + 1]?.line ?? lines.length + 1;
    const metrics = TextMetrics.measure(
      lines
        .slice(line, next - 1)
        .join("\n")
        .trim(),
    );
    if (title === null && metrics.chars === 0) return [];
    return [{ title, startLine: Math.max(1, line), endLine: next - 1, ...metrics }];
  });
};

interface Heading {
  readonly title: string;
  readonly level: number;
  readonly line: number;
}

const headingsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Heading> => {
  const headings: Array<Heading> = [];
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (fence === undefined) {
      const [, signs, title] = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$/u.exec(line) ?? [];
      if (signs !== undefined) headings.push({ title: title ?? "", level: signs.length, line: index + 1 });
      fence = mark;
    } else if (mark?.startsWith(fence) === true) fence = undefined;
  }
  return headings;
};
