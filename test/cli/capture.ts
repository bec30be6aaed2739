import { join } from 'node:path';
import type { Output, Terminal } from '../../src/cli/terminal.js';

export interface Capture extends Output {
  text: string;
}

export function createCapture(isTty = false): Capture {
  return {
    text: '',
    isTty,
    columns: 100,
    color: false,
    async write(text) {
      this.text += text;
    },
  };
}

export interface TestTerminal extends Terminal {
  readonly out: Capture;
  readonly err: Capture;
}

export interface TestTerminalOptions {
  readonly env?: Record<string, string>;
  readonly folder?: string;
  /** Standard input; without it, a terminal that nobody types at. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  readonly program?: string;
}

async function* emit(text: string): AsyncGenerator<string> {
  yield text;
}

export function createTestTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const folder = options.folder ?? '/nonexistent';
  return {
    out: createCapture(),
    err: createCapture(),
    input: emit(options.input ?? ''),
    inputIsTty: options.input === undefined,
    env: options.env ?? {},
    folder,
    homeFolder: folder,
    dataFolder: join(folder, 'data'),
    program: options.program ?? 'postrider',
    target: '',
    signal: options.signal ?? new AbortController().signal,
    releaseSignals() {},
  };
}
