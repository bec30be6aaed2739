// One word for each thing: the prose of the API and the help of the command line use the words of docs/reference/words.md. Names of
// fields, commands and calls stand in backquotes, in capitals or in code, and keep what they are.

import { describe, expect, it } from 'vitest';
import { commandGroups } from '../../src/cli/table-of-commands.js';
import { createCustomerApi } from '../../src/http/customer/api.js';
import type { CustomerDeps } from '../../src/http/customer/deps.js';
import { buildOpenApi } from '../../src/http/openapi.js';
import type { OperatorDeps } from '../../src/http/operator/operator-route.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import { readPage, readTable } from './pages.js';

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
    const prose = text.replaceAll(/`[^`]*`/g, '');
    return Object.values(OTHERS).some((other) => other.test(prose));
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
    const prose = collectProse(buildOpenApi(apis, '0'));
    expect(prose.length).toBeGreaterThan(500);
    expect(findStrange(prose)).toEqual([]);
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
