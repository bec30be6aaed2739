// Columns that a text takes in a terminal: names and messages here are often Chinese, and a Chinese character takes two.

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{Mark}|\u200d|\ufe0f/u;

/** A non-breaking space, within a command to copy. From a range that no text uses. */
export const GLUE = '\ue000';

export function measureWidth(text: string): number {
  let width = 0;
  for (const character of text) width += combining.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** Breaks text between words, so that no line is wider than this. A word that is wider alone stays whole. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && measureWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** Prose as a reader can have it: in a terminal, paragraphs are filled anew, and lines that are set in, such as commands, stay apart. */
export function wrapProse(
  text: string,
  { isTty, columns }: { readonly isTty: boolean; readonly columns: number },
): string {
  if (!isTty || columns >= 120) return text.replaceAll(GLUE, ' ');
  return text
    .split('\n\n')
    .map((paragraph) => {
      const parts = paragraph.split(/\n(?=\s)|(?<=\n\s.*)\n/);
      return parts
        .map((part) => (/^\s/.test(part) ? wrapSetIn(part, columns) : wrapText(part, columns).join('\n')))
        .join('\n');
    })
    .join('\n\n')
    .replaceAll(GLUE, ' ');
}

/** `  a command      what it does`: what it does goes below where the two do not fit side by side. */
function wrapSetIn(line: string, columns: number): string {
  if (measureWidth(line) <= columns) return line;
  const [, left = line, right = ''] = /^(\s+\S.*?)\s{3,}(\S.*)$/.exec(line) ?? [];
  const indent = `\n${' '.repeat(6)}`;
  const first = /^\s*/.exec(left)?.[0] ?? '';
  const lines = [first + wrapText(left, columns - 6).join(indent), ...wrapText(right, columns - 6)];
  return lines.join(indent);
}

/** Cuts to a width, with an ellipsis where something was cut. */
export function cutToWidth(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const character of text) {
    used += measureWidth(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

export function padToWidth(text: string, width: number, align: 'left' | 'right'): string {
  const padding = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return align === 'right' ? padding + text : text + padding;
}
