import { checkout } from '../../support/service-process.js';
import { describeConformance } from '../conformance/conformance.js';

describeConformance({
  name: 'TypeScript',
  decimals: 'text',
  command: () => ({ program: process.execPath, words: ['packages/client/test/conformance-runner.mjs'], cwd: checkout }),
});
