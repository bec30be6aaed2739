import { describeConformance } from '../conformance/conformance.js';
import { compileJava, javaFolder, missingJava, quickJava } from './java.js';

describeConformance({
  name: 'Java',
  decimals: 'decimal',
  missing: missingJava,
  command: () => ({
    program: 'java',
    words: [...quickJava, '-cp', compileJava().classPath, 'Runner'],
    cwd: javaFolder,
  }),
});
