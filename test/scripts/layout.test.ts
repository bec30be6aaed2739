import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** The text of each source file, by its path in the checkout. */
type Sources = ReadonlyMap<string, string>;

/** Static and dynamic imports and re-exports, of values and of types. */
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g;

function listImports(file: string, sources: Sources): string[] {
  return [...(sources.get(file) ?? '').matchAll(IMPORT)].flatMap(([, name = '']) => {
    const alias = name.replace(/^#/, '').replace(/^@postrider\/client$/, 'packages/client/src/index.js');
    const path = (name.startsWith('.') ? join(dirname(file), name) : alias).replace(/\.js$/, '');
    return [`${path}.ts`, `${path}.tsx`].filter((candidate) => sources.has(candidate));
  });
}

/** Depth first: an import of a file that is still being visited closes a cycle. */
function findCycles(sources: Sources): string[] {
  const cycles: string[] = [];
  const visited = new Set<string>();
  const visit = (file: string, importers: readonly string[]): void => {
    const start = importers.indexOf(file);
    if (start >= 0) cycles.push([...importers.slice(start), file].join(' -> '));
    if (start >= 0 || visited.has(file)) return;
    for (const imported of listImports(file, sources)) visit(imported, [...importers, file]);
    visited.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return cycles;
}

test('no file of the sources imports itself through other files, not even for a type', () => {
  const files = ROOTS.flatMap((root) =>
    readdirSync(join(checkout, root), { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  ).filter((file) => /\.tsx?$/.test(file));
  const sources = new Map(files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')]));
  expect(files.flatMap((file) => listImports(file, sources)).length).toBeGreaterThan(3 * files.length);
  expect(findCycles(sources)).toEqual([]);
});

test('a cycle through a type, an alias and a dynamic import is found', () => {
  const sources = new Map([
    ['src/main.ts', "import { a } from './a.js';"],
    ['src/a.ts', "import {\n  type B,\n} from '#tools/b.js';"],
    ['tools/b.ts', "export type { C } from './deep/c.js';"],
    ['tools/deep/c.tsx', "const load = () => import('../../src/a.js');"],
  ]);
  expect(findCycles(sources)).toEqual(['src/a.ts -> tools/b.ts -> tools/deep/c.tsx -> src/a.ts']);
});
