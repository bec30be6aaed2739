import { describeConformance } from '../conformance/conformance.js';
import { missingPython, python, pythonEnv, pythonFolder } from './python.js';

for (const [name, words] of [
  ['Python', []],
  ['Python, async', ['--async']],
] as const) {
  describeConformance({
    name,
    decimals: 'decimal',
    missing: missingPython,
    command: () => ({
      program: python,
      words: ['conformance/runner.py', ...words],
      cwd: pythonFolder,
      env: pythonEnv,
    }),
  });
}
