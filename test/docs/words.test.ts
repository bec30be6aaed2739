// One word for each thing: the prose of the API, its errors, the pages of docs, the help of the command line and the heads of its tables
// use the words of docs/reference/words.md. Names of fields, commands and calls stand in backquotes, in capitals or in code, and keep
// what they are.

import { describe, expect, it } from 'vitest';
import * as operatorShapes from '../../src/cli/output/operator-shapes.js';
import * as shapes from '../../src/cli/output/shapes.js';
import { commandGroups } from '../../src/cli/table-of-commands.js';
import { FAULT_TEXTS } from '../../src/domain/fault/fault-texts.js';
import { PROBLEM_TEXTS } from '../../src/domain/fault/problem-texts.js';
import { createCustomerApi } from '../../src/http/customer/api.js';
import type { CustomerDeps } from '../../src/http/customer/deps.js';
import { createOpenApi } from '../../src/http/openapi.js';
import type { OperatorDeps } from '../../src/http/operator/operator-route.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import { readPage, readPages, readTable } from './pages.js';

/** Names of the API that are no words of the prose, and the word instead. */
const OTHERS: Readonly<Record<string, RegExp>> = {
  carrier: /\bfirms?\b/i,
  segment: /\b(message parts?|parts)\b/i,
  reserved: /\b(frozen|freez(e|es|ing))\b/i,
  reply: /\buplinks?\b/i,
  'retry queue': /\b(set aside|quarantined?)\b/i,
};

function findStrange(texts: readonly string[]): string[] {
  return texts.filter((text) => {
    const prose = text.replaceAll(/`[^`]*`|\{\w+\}|\]\([^)]*\)|\/openapi\/\S+/g, '');
    return Object.values(OTHERS).some((other) => other.test(prose));
  });
}

/** Decisions and pages about the inside have words of their own; the help of the command line has a test of its own. */
function isPage(path: string): boolean {
  const others = [
    'docs/decisions/',
    'docs/performance.md',
    'docs/simulation.md',
    'docs/reference/words.md',
    'docs/cli.md',
  ];
  return path.startsWith('docs/') && !others.some((other) => path.startsWith(other));
}

/** The lines of a page, without its blocks of code. */
function readProse(text: string): string[] {
  let isCode = false;
  return text.split('\n').filter((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    return !isCode && !/^ {4}\S/.test(line);
  });
}

/** Every summary and description of the document, at any depth. */
function collectProse(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectProse);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (name === 'description' || name === 'summary') && typeof member === 'string' ? [member] : collectProse(member),
  );
}

describe('the words', () => {
  it('are in the table, each with its name in the API', () => {
    const words = readTable(readPage('docs/reference/words.md'), 'word').map(({ word }) => word);
    expect(words).toEqual(expect.arrayContaining(Object.keys(OTHERS)));
  });

  it('are those of the API', () => {
    const apis = [createCustomerApi({} as CustomerDeps), createOperatorApi({} as OperatorDeps)];
    const prose = collectProse(createOpenApi(apis, '0'));
    expect(prose.length).toBeGreaterThan(500);
    expect(findStrange(prose)).toEqual([]);
  });

  it('are those of its errors', () => {
    expect(findStrange([...Object.values(PROBLEM_TEXTS), ...Object.values(FAULT_TEXTS)])).toEqual([]);
  });

  it('are those of the pages', () => {
    const pages = readPages().filter(({ path }) => path === 'README.md' || isPage(path));
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.flatMap((page) => findStrange(readProse(page.text)).map((line) => `${page.path}: ${line}`))).toEqual(
      [],
    );
  });

  it('are those of the tables of the command line', () => {
    const titles = [...Object.values(shapes), ...Object.values(operatorShapes)].flatMap(({ columns }) =>
      columns.map(({ title }) => title),
    );
    expect(titles.length).toBeGreaterThan(200);
    expect(findStrange(titles)).toEqual([]);
  });

  it('are those of the help of the command line', () => {
    const prose = commandGroups
      .flatMap(({ commands }) => commands)
      .flatMap(({ summary, arguments: words = [], options = {} }) => [
        summary,
        ...[...words, ...Object.values(options)].map((one) => one.summary),
      ]);
    expect(prose.length).toBeGreaterThan(300);
    expect(findStrange(prose)).toEqual([]);
  });
});
