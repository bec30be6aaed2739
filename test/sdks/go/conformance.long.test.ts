import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeConformance } from '../conformance/conformance.js';
import { goFolder, makeFolder, missingGo, runGo } from './go.js';

const built = makeFolder();
afterAll(() => built.remove());
const program = join(built.path, 'runner');
if (missingGo === undefined) await runGo(['build', '-o', program, './conformance']);

describeConformance({
  name: 'Go',
  decimals: 'decimal',
  missing: missingGo,
  command: () => ({ program, words: [], cwd: goFolder }),
});
