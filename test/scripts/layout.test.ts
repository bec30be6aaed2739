import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../support/service-process.js';

const ROOTS = ['src', 'tools', 'packages/client/src', 'packages/console/src', 'test'];
const MAX_FILES = 25;
/** One file per migration, numbered. */
const EXEMPT = new Set(['src/store/migrations']);

test('no folder of the sources and tests holds more files than a reader scans', () => {
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

/** What each node imports. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** Depth first: an import of a node that is still being visited closes a cycle. */
function findCycles(graph: Graph): string[] {
  const cycles: string[] = [];
  const visited = new Set<string>();
  const visit = (node: string, importers: readonly string[]): void => {
    const start = importers.indexOf(node);
    if (start >= 0) cycles.push([...importers.slice(start), node].join(' -> '));
    if (start >= 0 || visited.has(node)) return;
    for (const imported of graph.get(node) ?? []) visit(imported, [...importers, node]);
    visited.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}

function graphOfFiles(sources: Sources): Graph {
  return new Map([...sources.keys()].map((file) => [file, listImports(file, sources)]));
}

/**
 * The entries of each folder, which are its files and its subfolders, and their imports of each other. The folders of `src` and `tools`
 * are entries of one folder: the command line starts tools, and tools are built on the rest of `src`.
 */
function graphOfEntries(sources: Sources): Graph {
  const graph = new Map<string, string[]>();
  for (const [file, imports] of graphOfFiles(sources)) {
    for (const imported of imports) {
      const [importer, target] = splitPaths(file, imported);
      const known = graph.get(importer) ?? [];
      graph.set(importer, known.includes(target) ? known : [...known, target]);
    }
  }
  return graph;
}

/** The entries of the innermost folder with both files that the files are, or are in. */
function splitPaths(one: string, other: string): [string, string] {
  const names = one.split('/');
  const otherNames = other.split('/');
  const depth = names.findIndex((name, at) => name !== otherNames[at]);
  const length = Math.max(depth + 1, 2);
  return [names.slice(0, length).join('/'), otherNames.slice(0, length).join('/')];
}

function readSources(): Sources {
  const files = ROOTS.flatMap((root) =>
    readdirSync(join(checkout, root), { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  ).filter((file) => /\.tsx?$/.test(file));
  return new Map(files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')]));
}

test('no file of the sources and tests imports itself through other files, not even for a type', () => {
  const sources = readSources();
  const graph = graphOfFiles(sources);
  expect([...graph.values()].flat().length).toBeGreaterThan(3 * sources.size);
  expect(findCycles(graph)).toEqual([]);
});

test('no file or folder imports itself through others of its folder: each folder has a bottom and a top', () => {
  expect(findCycles(graphOfEntries(readSources()))).toEqual([]);
});

test('a cycle through a type, an alias and a dynamic import is found', () => {
  const sources = new Map([
    ['src/main.ts', "import { a } from './a.js';"],
    ['src/a.ts', "import {\n  type B,\n} from '#tools/b.js';"],
    ['tools/b.ts', "export type { C } from './deep/c.js';"],
    ['tools/deep/c.tsx', "const load = () => import('../../src/a.js');"],
  ]);
  expect(findCycles(graphOfFiles(sources))).toEqual(['src/a.ts -> tools/b.ts -> tools/deep/c.tsx -> src/a.ts']);
});

test('folders that import each other are found, and so is a subfolder that imports a file above it which imports the subfolder', () => {
  const folders = new Map([
    ['src/store/task/task.ts', "import type { Condition } from '../lists/condition.js';"],
    ['src/store/lists/condition.ts', ''],
    ['src/store/lists/tasks.ts', "import { toTask } from '../task/task.js';"],
  ]);
  expect(findCycles(graphOfFiles(folders))).toEqual([]);
  expect(findCycles(graphOfEntries(folders))).toEqual(['src/store/task -> src/store/lists -> src/store/task']);
  const above = new Map([
    ['src/store/connect.ts', "import { mark } from './cluster/mark.js';"],
    ['src/store/cluster/mark.ts', "import type { Sql } from '../sql.js';"],
    ['src/store/cluster/pool.ts', "import { connect } from '../connect.js';"],
    ['src/store/sql.ts', ''],
  ]);
  expect(findCycles(graphOfEntries(above))).toEqual([
    'src/store/connect.ts -> src/store/cluster -> src/store/connect.ts',
  ]);
});

test('the folders of src and tools have one order: the command line starts tools, and what tools are built on does not', () => {
  const sources = new Map([
    ['src/cli/bench.ts', "import { run } from '#tools/bench/run.js';"],
    ['tools/bench/run.ts', "import { connect } from '#src/store/connect.js';"],
    ['src/store/connect.ts', ''],
  ]);
  expect(findCycles(graphOfEntries(sources))).toEqual([]);
  const back = new Map([...sources, ['src/store/connect.ts', "import '#tools/bench/run.js';"]]);
  expect(findCycles(graphOfEntries(back))).toEqual(['tools/bench -> src/store -> tools/bench']);
});
