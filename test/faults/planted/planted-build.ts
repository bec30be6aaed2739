// A copy of the build with one bug in it, and nothing of it in the product: the text of compiled files is changed.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import type { PlantedBug } from './planted-bug.js';

export interface BuildCopy {
  readonly root: string;
  /** In place of the bug that was planted before. */
  plant(bug: PlantedBug): void;
  remove(): void;
}

export function copyBuild(): BuildCopy {
  const root = mkdtempSync(join(tmpdir(), 'postrider-planted-'));
  cpSync(join(checkout, 'dist'), join(root, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  cpSync(join(checkout, 'package.json'), join(root, 'package.json'));
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  symlinkSync(join(checkout, 'packages'), join(root, 'packages'));
  let changed: ReadonlyMap<string, string> = new Map();
  return {
    root,
    plant(bug) {
      for (const file of changed.keys()) cpSync(join(checkout, 'dist', file), join(root, 'dist', file));
      changed = changedFiles(bug);
      for (const [file, text] of changed) writeFileSync(join(root, 'dist', file), text);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The files of the build with the bug in them. A bug that is not planted would pass for one that is not caught. */
export function changedFiles({ name, changes }: PlantedBug): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { file, find, replace } of changes) {
    const text = files.get(file) ?? readFileSync(join(checkout, 'dist', file), 'utf8');
    if (text.split(find).length !== 2) throw new Error(`${name}: ${file} does not hold this exactly once: ${find}`);
    files.set(
      file,
      text.replace(find, () => replace),
    );
  }
  return files;
}
