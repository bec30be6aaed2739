// Which words of a text were taken out and which were put in.

export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Words of letters and digits; Chinese characters, blanks and signs one by one. */
const TOKENS = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+|./gsu;

/** By the longest common subsequence: a template has at most 2,000 characters. */
export function diffWords(before: string, after: string): DiffPiece[] {
  const [old, next] = [before.match(TOKENS) ?? [], after.match(TOKENS) ?? []];
  const width = next.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = next.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === next[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pieces: { kind: DiffPiece['kind']; text: string }[] = [];
  const add = (kind: DiffPiece['kind'], text: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [row, column] = [0, 0];
  while (row < old.length || column < next.length) {
    const [gone, came] = [old[row], next[column]];
    if (gone !== undefined && gone === came) {
      add('same', gone);
      row += 1;
      column += 1;
    } else if (came === undefined || (gone !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      add('removed', gone ?? '');
      row += 1;
    } else {
      add('added', came);
      column += 1;
    }
  }
  return pieces;
}
