// What the search knows: a passage for each heading of each page, and one for each row and call that can be linked to.

export interface SearchEntry {
  /** The page. */
  readonly page: string;
  /** The heading, code or call. */
  readonly title: string;
  readonly path: string;
  readonly text: string;
}

/** Enough to find a passage by, and to show a line of it. */
const MAX_TEXT_CHARACTERS = 700;

export function renderSearchIndex(entries: readonly SearchEntry[]): string {
  const compact = entries.map(({ page, title, path, text }) => [
    page,
    title,
    path,
    text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT_CHARACTERS),
  ]);
  return JSON.stringify(compact);
}
