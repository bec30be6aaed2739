// The documentation as data: its pages, the tables in them and the fenced blocks.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../support/service-process.js';

export interface Page {
  /** Relative to the checkout. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly language: string;
  /** The words after the language: `no-run`, `exit=5`. */
  readonly marks: readonly string[];
  readonly text: string;
  readonly line: number;
}

/**
 * In the order in which the README and the index of the guides lead through them: the first message, an upstream of one's own, and
 * what production needs. A newcomer runs them in a fresh checkout.
 */
export const NEWCOMER_PAGES = [
  'README.md',
  'docs/guides/first-message.md',
  'docs/guides/receipts.md',
  'docs/guides/retries.md',
  'docs/guides/going-live-with-smpp.md',
  'docs/guides/production.md',
];

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(checkout, path), 'utf8') };
}

/** Everything that people read first and all of `docs`, in English. Pages of the root that are not written yet are left out. */
export function readPages(): Page[] {
  const root = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const written = root.filter((path) => existsSync(join(checkout, path)));
  return [...written, ...listFiles('docs', /\.md$/).filter((path) => !path.startsWith('docs/zh/'))].map(readPage);
}

/** The pages in Chinese. Their samples are those of the English pages, where they are run. */
export function readTranslations(): Page[] {
  return listFiles('docs/zh', /\.md$/).map(readPage);
}

/** The English page that a page in Chinese translates. */
export function originalOf(path: string): string {
  return path === 'docs/zh/client.md' ? 'packages/client/README.md' : path.replace(/^docs\/zh\//, 'docs/');
}

/** Paths of a folder and all below it, relative to the checkout. */
export function listFiles(folder: string, name: RegExp): string[] {
  const found = readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' });
  return found
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))
    .sort();
}

export function findBlocks({ text }: Page): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; marks: string[]; lines: string[]; line: number } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const info = /^```(.*)$/.exec(line)?.[1];
    if (info === undefined) open?.lines.push(line);
    else if (open === undefined) {
      const [language = '', ...marks] = info.trim().split(/\s+/);
      open = { language, marks, lines: [], line: index + 1 };
    } else {
      const { lines, ...rest } = open;
      blocks.push({ ...rest, text: `${lines.join('\n')}\n` });
      open = undefined;
    }
  }
  return blocks;
}

const withoutBlocks = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** Targets of `[text](target)`, outside fenced blocks and code. */
export function findLinks({ text }: Page): string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '``');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The headings with their levels, and the names that they get when the page is shown. */
export function findHeadings({ text }: Page): { readonly level: number; readonly anchor: string }[] {
  return [...withoutBlocks(text).matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', heading = '']) => ({
    level: marks.length,
    anchor: heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  }));
}

/** The rows of every table whose heading has this column, each as a record by column. */
export function readTable({ path, text }: Page, column: string): Record<string, string>[] {
  const rows: Record<string, string>[] = [];
  let heading: string[] | undefined;
  for (const line of text.split('\n')) {
    const cells = line.startsWith('|') ? line.split('|').slice(1, -1) : undefined;
    const plain = cells?.map((cell) => cell.trim());
    if (plain === undefined) heading = undefined;
    else if (heading === undefined) heading = plain;
    else if (heading.includes(column) && !/^[-:]+$/.test(plain[0] ?? '')) {
      rows.push(Object.fromEntries(heading.map((name, index) => [name, plain[index] ?? ''])));
    }
  }
  if (rows.length === 0) throw new Error(`${path} has no table with a column "${column}"`);
  return rows;
}

/** What stands between backquotes, or the text itself. */
export function unquote(cell: string | undefined): string {
  return /^`(.*)`$/.exec(cell ?? '')?.[1] ?? cell ?? '';
}
