import { runCommandLine } from '../../../src/cli/main.js';
import { createCapture, createTestTerminal } from '../../cli/capture.js';

/** With a terminal that shows every step of the progress. */
export function start(
  { url }: { readonly url: string },
  words: readonly string[],
  signal = new AbortController().signal,
) {
  const terminal = {
    ...createTestTerminal({ env: { POSTRIDER_DATABASE_URL: url }, signal }),
    err: createCapture(true),
  };
  return { terminal, exitCode: runCommandLine(words, terminal) };
}

export async function run(database: { readonly url: string }, words: readonly string[]) {
  const { terminal, exitCode } = start(database, words);
  return { exitCode: await exitCode, out: terminal.out.text, err: terminal.err.text };
}
