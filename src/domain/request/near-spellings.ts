/** The known names that `name` may be a misspelling of. The common prefix is not compared. */
export function findNearSpellings(name: string, known: readonly string[], prefix: string): string[] {
  const written = name.slice(prefix.length);
  return known.filter((candidate) => {
    const meant = candidate.slice(prefix.length);
    const isPart = written.length >= 4 && (meant.includes(written) || written.includes(meant));
    return (
      isPart ||
      sortLetters(written) === sortLetters(meant) ||
      isOneLetterShort(written, meant) ||
      measureDistance(written, meant) <= Math.max(1, Math.floor(meant.length / 4))
    );
  });
}

// Letters in the wrong order are one slip of the fingers, however far apart they are by count.
function sortLetters(text: string): string {
  return [...text].sort().join('');
}

/** `sate` for `stage`: one letter is missing, and others are in the wrong order. */
function isOneLetterShort(written: string, meant: string): boolean {
  if (written.length < 4 || written.length + 1 !== meant.length || written[0] !== meant[0]) return false;
  return measureDistance(sortLetters(written), sortLetters(meant)) === 1;
}

// Levenshtein: the least number of letters to add, drop or change.
function measureDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...right].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
