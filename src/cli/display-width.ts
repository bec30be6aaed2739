// Columns that a text takes in a terminal: names and messages here are often Chinese, and a Chinese character takes two.

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{Mark}|\u200d|\ufe0f/u;

export function measureWidth(text: string): number {
  let width = 0;
  for (const character of text) width += combining.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
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
