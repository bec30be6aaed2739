// The runner of an SDK as a process: a question a line on its input, an answer a line on its output.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RunnerCommand {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunnerAnswer {
  readonly id: number;
  readonly ok?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  /** How long the clock of the client was asked to sleep, each time. */
  readonly sleeps_ms?: readonly number[];
}

export interface Runner {
  ask(call: string, options: unknown): Promise<RunnerAnswer>;
  /** Everything it has written. */
  readonly output: readonly string[];
  stop(): Promise<void>;
}

export function startRunner({ program, words, cwd, env }: RunnerCommand): Runner {
  const child = spawn(program, words, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  const output: string[] = [];
  const waiting = new Map<number, { resolve(answer: RunnerAnswer): void; reject(error: Error): void }>();
  const exited = once(child, 'exit').catch(() => undefined);
  let ended: string | undefined;
  const fail = (reason: string) => {
    ended = reason;
    for (const { reject } of waiting.values())
      reject(new Error(`The runner ${reason}:\n${output.slice(-20).join('\n')}`));
    waiting.clear();
  };
  createInterface({ input: child.stderr }).on('line', (line) => void output.push(line));
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    if (!line.startsWith('{')) return;
    const answer = JSON.parse(line) as RunnerAnswer;
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  child.on('error', (error) => fail(`does not start (${error.message})`));
  child.on('exit', (code) => fail(`ended with ${code}`));
  child.stdin.on('error', () => undefined);
  let count = 0;
  return {
    output,
    ask(call, options) {
      count += 1;
      const id = count;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        if (ended !== undefined) return fail(ended);
        child.stdin.write(`${JSON.stringify({ id, call, with: options })}\n`);
      });
    },
    async stop() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) child.kill();
      await exited;
    },
  };
}
