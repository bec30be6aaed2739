// Writes what a run came to into the file that POSTRIDER_TEST_RESULT names: how many tests passed, which were skipped, and what
// failed. A hook that fails, a file that cannot be loaded and an error that nothing caught fail no test, and are named all the same.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class ResultReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state) => tests.filter((test) => test.result().state === state);
    const failed = [
      ...inState('failed').map((test) => `${nameOf(test.module)} > ${test.fullName}`),
      ...modules.flatMap((module) => [module, ...module.children.allSuites()]).flatMap(describeErrors),
      ...unhandledErrors.map(describeUnhandled),
    ];
    const result = {
      passed: inState('passed').length,
      skipped: inState('skipped').map((test) => test.fullName),
      failed,
    };
    writeFileSync(process.env.POSTRIDER_TEST_RESULT, JSON.stringify(result));
  }
}

const nameOf = (module) => relative(process.cwd(), module.moduleId);

const firstLine = ({ name, message }) => `${name ?? 'Error'}: ${String(message).split('\n')[0]}`;

/** Of a file or a group of tests: its hooks, and what stands outside its tests. */
function describeErrors(suite) {
  const name = suite.type === 'module' ? nameOf(suite) : `${nameOf(suite.module)} > ${suite.fullName}`;
  return suite.errors().map((error) => `${name}, outside its tests: ${firstLine(error)}`);
}

function describeUnhandled(error) {
  const { VITEST_TEST_PATH: file, VITEST_TEST_NAME: test, stack = '' } = error;
  const place = /\(?([^\s(]+:\d+:\d+)\)?/.exec(
    stack.split('\n').find((line) => line.trim().startsWith('at ')) ?? '',
  )?.[1];
  const during = [file && relative(process.cwd(), file), test].filter(Boolean).join(' > ');
  return `an error that nothing caught${during ? `, during ${during}` : ''}: ${firstLine(error)}${place ? ` (${place})` : ''}`;
}
