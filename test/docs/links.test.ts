// Every relative link of the documentation leads somewhere, headings included.

import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../support/service-process.js';
import { type Page, readPage, readPages } from './pages.js';

/** Targets of `[text](target)`, outside fenced blocks and code. */
function findLinks({ text }: Page): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '``');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The names that headings get when the page is shown. */
function findAnchors({ text }: Page): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe.each(readPages())('$path', (page) => {
  it('has no dead link', () => {
    const dead = findLinks(page)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page.path : relative(checkout, join(checkout, dirname(page.path), path));
        if (!existsSync(join(checkout, file))) return true;
        if (anchor === undefined || statSync(join(checkout, file)).isDirectory()) return false;
        return !findAnchors(readPage(file)).has(anchor);
      });
    expect(dead).toEqual([]);
  });
});

it('the index of the documentation, and that of the decisions, lead to every page', () => {
  const indexes = [readPage('docs/README.md'), readPage('docs/decisions/README.md')];
  const linked = new Set(
    indexes.flatMap((index) => findLinks(index).map((target) => join(dirname(index.path), target.split('#')[0] ?? ''))),
  );
  const pages = readPages().map(({ path }) => path);
  expect(pages.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md' && !linked.has(path))).toEqual(
    [],
  );
});
