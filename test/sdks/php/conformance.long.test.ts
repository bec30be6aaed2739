import { describeConformance } from '../conformance/conformance.js';
import { missingPhp, phpFolder } from './php.js';

describeConformance({
  name: 'PHP',
  decimals: 'decimal',
  missing: missingPhp,
  command: () => ({ program: 'php', words: ['conformance/runner.php'], cwd: phpFolder }),
});
