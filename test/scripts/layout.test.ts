import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

const ROOTS = ['src', 'tools', 'packages/client/src', 'packages/console/src'];
const MAX_FILES = 25;
/** One file per migration, numbered. */
const EXEMPT = new Set(['src/store/migrations']);

test('no folder of the sources holds more files than a reader scans', () => {
  const counts = new Map<string, number>();
  const count = (folder: string): void => {
    for (const entry of readdirSync(join(checkout, folder), { withFileTypes: true })) {
      if (entry.isDirectory()) count(`${folder}/${entry.name}`);
      else counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  };
  for (const root of ROOTS) count(root);
  expect(counts.size).toBeGreaterThan(50);
  expect([...counts].filter(([folder, files]) => files > MAX_FILES && !EXEMPT.has(folder))).toEqual([]);
});
