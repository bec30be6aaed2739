// The Chinese pages say what the English ones say: the same sections, samples, links, and codes in the same rows. The words
// between are free. A change of an English page that is missing in its translation fails here.

import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allWords } from '../../packages/console/src/words/all-words.js';
import { RECEIPT_CODES } from '../../src/domain/record/receipt-codes.js';
import { checkout } from '../support/service-process.js';
import {
  findBlocks,
  findHeadings,
  findLinks,
  originalOf,
  type Page,
  readPage,
  readTable,
  readTranslations,
  unquote,
} from './pages.js';

/** What customers read. Guides for operators, of carriers and of the calls one by one are in English only. */
const CUSTOMER_PAGES = [
  'docs/README.md',
  'docs/guides/first-message.md',
  'docs/guides/console.md',
  'docs/guides/receipts.md',
  'docs/guides/webhooks.md',
  'docs/guides/retries.md',
  'docs/guides/scheduling.md',
  'docs/guides/batches.md',
  'docs/guides/submit-unknown.md',
  'docs/guides/rules.md',
  'docs/guides/users.md',
  'docs/guides/money.md',
  'docs/guides/reconciliation.md',
  'docs/signing/README.md',
  'docs/sdks.md',
  'docs/reference/api.md',
  'docs/reference/errors.md',
  'docs/reference/receipt-codes.md',
  'docs/reference/words.md',
  'docs/state-machine.md',
  'packages/client/README.md',
];

const translations = readTranslations();

it('exist for every page that customers read', () => {
  expect(translations.map(({ path }) => originalOf(path)).sort()).toEqual([...CUSTOMER_PAGES].sort());
});

// The Chinese index lists what there is in Chinese; the links of both are followed elsewhere.
describe.each(translations.filter(({ path }) => path !== 'docs/zh/README.md'))('$path', (translation) => {
  const original = readPage(originalOf(translation.path));

  it('has the sections of the English page', () => {
    const levels = (page: Page) => findHeadings(page).map(({ level }) => level);
    expect(levels(translation)).toEqual(levels(original));
  });

  it('has its samples', () => {
    expect(samplesOf(translation)).toEqual(samplesOf(original));
  });

  it('has its links, to the Chinese page where there is one', () => {
    expect(linksOf(translation)).toEqual(linksOf(original));
  });

  it('has its tables, with the same codes in every row', () => {
    expect(tablesOf(translation)).toEqual(tablesOf(original));
  });

  it('has no line break inside of a paragraph, which would show as a space', () => {
    const prose = translation.text.replaceAll(/^```[\s\S]*?^```/gm, '');
    expect(prose.match(/[\p{Script=Han}，。：；、）]\n[\p{Script=Han}（]/u)?.[0]).toBeUndefined();
  });
});

it('the Chinese page on receipt codes explains them as the console does', () => {
  const documented = readTable(readPage('docs/zh/reference/receipt-codes.md'), '代码').map((row) => [
    unquote(row.代码),
    row.说明,
  ]);
  const words = new Map(Object.entries(allWords).map(([word, [, chinese]]) => [word, chinese]));
  expect(documented).toEqual(Object.keys(RECEIPT_CODES).map((code) => [code, words.get(`reason.${code}`)]));
});

/** Blocks as they are, and of a diagram its arrows: their words are translated. */
function samplesOf(page: Page): string[] {
  const blocks = findBlocks(page).map(({ language, marks, text }) =>
    [language, ...marks, language === 'mermaid' ? text.replaceAll(/(-->.*?): .*/g, '$1') : text].join('\n'),
  );
  const indented = page.text.match(/^ {4}\S.*$/gm) ?? [];
  return [...blocks, ...(page.path.endsWith('signing/README.md') ? indented : [])];
}

/** Where the links lead, in terms of the English pages: a heading is named by its position. */
function linksOf(page: Page): string[] {
  return findLinks(page)
    .map((target) => {
      if (/^[a-z]+:/.test(target)) return target;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page.path : normalize(join(dirname(page.path), path));
      const heading = anchor === undefined ? '' : ` section ${findSection(file, anchor)}`;
      return `${isForgotten(page, file) ? 'not translated: ' : ''}${originalOf(file)}${heading}`;
    })
    .sort();
}

function findSection(file: string, anchor: string): number {
  return findHeadings(readPage(file)).findIndex((heading) => heading.anchor === anchor);
}

/** A Chinese page leads to an English one although there is a translation. The table of keys is in English only. */
function isForgotten(page: Page, file: string): boolean {
  if (!page.path.startsWith('docs/zh/') || file.startsWith('docs/zh/') || file === 'docs/reference/errors.md')
    return false;
  return translations.some(({ path }) => originalOf(path) === file && existsSync(join(checkout, path)));
}

/** Each row of each table as the codes in it. The sentences by key are those of the service, and in English only. */
function tablesOf({ text }: Page): string[][][] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const tables = prose.match(/(?:^\|.*\n)+/gm) ?? [];
  return tables
    .filter((table) => !table.startsWith('| key |'))
    .map((table) =>
      table
        .trim()
        .split('\n')
        .map((row) => [...row.matchAll(/`[^`]+`/g)].map(([code]) => code).sort()),
    );
}
