import { once } from 'node:events';
import { homedir } from 'node:os';
import { defaultDataDir } from '../service/checkout.js';
import { nameProgram } from './name-program.js';
import { watchParent } from './parent.js';

/** Everything of the outside world that a command may touch, so that tests can stand in for it. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly input: AsyncIterable<Uint8Array | string>;
  readonly inputIsTty: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly homeFolder: string;
  /** Where a service of this checkout keeps its data, unless the environment names another folder. */
  readonly dataFolder: string;
  /** How this command was called, for hints that can be copied. */
  readonly program: string;
  /** The options of this call that say which service is meant, for the same hints. */
  readonly target: string;
  /** Aborts on Ctrl-C, when the terminal is closed, and when npm, which started the command, is gone. */
  readonly signal: AbortSignal;
  /** For a command that handles Ctrl-C and other signals itself from here on. */
  releaseSignals(): void;
}

export interface Output {
  readonly isTty: boolean;
  readonly columns: number;
  /** Whether escape sequences for colour are wanted. */
  readonly color: boolean;
  /** Resolves when more may be written, so that a slow reader slows the command down instead of filling memory. */
  write(text: string): Promise<void>;
}

function createOutput(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  const isTty = stream.isTTY === true;
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  return {
    isTty,
    get columns() {
      // Some terminals say 0 when they do not know.
      return stream.columns || 80;
    },
    // https://no-color.org: present and not empty, whatever its value.
    color: !env.NO_COLOR && env.TERM !== 'dumb' && (isTty || forced),
    async write(text) {
      if (!stream.write(text)) await once(stream, 'drain');
    },
  };
}

/** One Ctrl-C reaches a process twice where npm passes it on as well; that is one wish, not impatience. */
const echoMs = 1_000;

/** The first Ctrl-C asks the command to stop, a later one does not ask. */
function watchSignals(impatient: () => never): Pick<Terminal, 'signal' | 'releaseSignals'> {
  const interrupted = new AbortController();
  let firstAtMs: number | null = null;
  const interrupt = () => {
    firstAtMs ??= performance.now();
    if (performance.now() - firstAtMs > echoMs) impatient();
    interrupted.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const endWatch = watchParent(process.env, () => process.ppid, interrupt);
  return {
    signal: interrupted.signal,
    releaseSignals() {
      endWatch();
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}

export function createTerminal(impatient: () => never): Terminal {
  return {
    out: createOutput(process.stdout, process.env),
    err: createOutput(process.stderr, process.env),
    input: process.stdin,
    inputIsTty: process.stdin.isTTY === true,
    env: process.env,
    folder: process.cwd(),
    homeFolder: homedir(),
    dataFolder: defaultDataDir,
    program: nameProgram({ env: process.env, folder: process.cwd(), script: process.argv[1] ?? '' }),
    target: '',
    ...watchSignals(impatient),
  };
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function paint(output: Output, style: keyof typeof styles, text: string): string {
  return output.color ? `\u001b[${styles[style]}m${text}\u001b[0m` : text;
}
