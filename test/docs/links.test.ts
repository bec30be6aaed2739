// Every relative link of the documentation leads somewhere, headings included.

import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../support/service-process.js';
import { findHeadings, findLinks, readPage, readPages, readTranslations } from './pages.js';

describe.each([...readPages(), ...readTranslations()])('$path', (page) => {
  it('has no dead link', () => {
    const dead = findLinks(page)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page.path : relative(checkout, join(checkout, dirname(page.path), path));
        if (!existsSync(join(checkout, file))) return true;
        if (anchor === undefined || statSync(join(checkout, file)).isDirectory()) return false;
        return !findHeadings(readPage(file)).some((heading) => heading.anchor === anchor);
      });
    expect(dead).toEqual([]);
  });
});

it('the indexes of the documentation in both languages, and that of the decisions, lead to every page', () => {
  const indexes = ['docs/README.md', 'docs/zh/README.md', 'docs/decisions/README.md'].map(readPage);
  const linked = new Set(
    indexes.flatMap((index) => findLinks(index).map((target) => join(dirname(index.path), target.split('#')[0] ?? ''))),
  );
  const pages = [...readPages(), ...readTranslations()].map(({ path }) => path);
  const expected = pages.filter((path) => path.startsWith('docs/') && !/^docs\/(zh\/)?README\.md$/.test(path));
  expect(expected.filter((path) => !linked.has(path))).toEqual([]);
});
