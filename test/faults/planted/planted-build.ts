// A copy of the build with one bug in it, and nothing of it in the product: the text of a compiled file is changed.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import type { PlantedBug } from './planted-bugs.js';

export interface PlantedBuild {
  readonly root: string;
  remove(): void;
}

export function plantBug({ name, changes }: PlantedBug): PlantedBuild {
  const root = mkdtempSync(join(tmpdir(), 'postrider-planted-'));
  cpSync(join(checkout, 'dist'), join(root, 'dist'), { recursive: true });
  cpSync(join(checkout, 'package.json'), join(root, 'package.json'));
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  symlinkSync(join(checkout, 'packages'), join(root, 'packages'));
  for (const { file, find, replace } of changes) {
    const path = join(root, 'dist', file);
    const text = readFileSync(path, 'utf8');
    // A bug that is not planted would pass for one that is not caught.
    if (text.split(find).length !== 2) throw new Error(`${name}: ${file} does not hold this exactly once: ${find}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
