import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/service/config.js';
import { readStartArguments } from '../../src/service/start-arguments.js';

function findProblems(words: readonly string[]): readonly string[] {
  try {
    readStartArguments(words);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('they were taken');
}

describe('arguments of a start', () => {
  test('are the settings that people change first', () => {
    const all = ['--port', '9000', '--host=0.0.0.0', '--data-dir', '/tmp/some where', '--processes', '4'];
    expect(readStartArguments(all)).toEqual({
      POSTRIDER_PORT: '9000',
      POSTRIDER_HOST: '0.0.0.0',
      POSTRIDER_DATA_DIR: '/tmp/some where',
      POSTRIDER_PROCESSES: '4',
    });
    expect(readStartArguments([])).toEqual({});
  });

  test('that are not known are refused, all at once', () => {
    expect(findProblems(['--prot', '9000', '--verbose', '--host'])).toEqual([
      'There is no option --prot; did you mean --port?',
      '"9000" means nothing here. npm passes options on after "--": npm start -- --port 9000',
      'There is no option --verbose; there are --port, --host, --data-dir and --processes.',
      '--host needs a value.',
    ]);
  });
});
