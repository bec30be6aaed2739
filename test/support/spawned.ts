// The service and the message centre as processes of their own, which a test can kill, stop and start again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { noteKind } from './kind.js';
import { checkout } from './service-process.js';

export const OPERATOR_TOKEN = 'operator-token-of-the-tests';
export const SECRET_KEY = 'secret-key-of-the-tests-0123456789';

export interface SpawnedProcess {
  readonly child: ChildProcess;
  /** Sends the signal and resolves with the exit code when the process is gone; null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  /** What it has logged. */
  log(): string;
}

export interface SpawnedService extends SpawnedProcess {
  readonly url: string;
}

export interface SpawnOptions {
  readonly databaseUrl: string;
  readonly roles?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another checkout, or a copy of its build, to run from. */
  readonly root?: string;
}

/** Resolves when the service says that it is ready. */
export async function spawnService(options: SpawnOptions): Promise<SpawnedService> {
  const spawned = spawnUnready(options);
  const line = await spawned.firstLine(/ready on (\S+)/);
  return { ...spawned, url: line[1] ?? '' };
}

/** The process as it is from its first moment. */
export function spawnUnready(options: SpawnOptions): ReturnType<typeof follow> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-spawned-'));
  const child = spawn(process.execPath, [join(options.root ?? checkout, 'dist/main.js')], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      POSTRIDER_DATABASE_URL: options.databaseUrl,
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_PORT: '0',
      POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
      POSTRIDER_SECRET_KEY: SECRET_KEY,
      ...(options.roles === undefined ? {} : { POSTRIDER_ROLES: options.roles }),
      ...options.env,
    },
  });
  return follow(child, () => rmSync(dataDir, { recursive: true, force: true }));
}

export interface SpawnedCentre extends SpawnedProcess {
  readonly port: number;
  /** What it counted; `by_destination` says how often each number was accepted. */
  counts(): Promise<Record<string, number> & { readonly by_destination: Record<string, number> }>;
}

export type CentreKind = 'smpp' | 'cmpp' | 'smgp' | 'sgip' | 'http';

/** `postrider smsc`, or the message centre of another kind, with the given switches. */
export async function spawnCentre(
  switches: readonly string[],
  port = 0,
  kind: CentreKind = 'smpp',
): Promise<SpawnedCentre> {
  const program = join(checkout, 'bin/postrider.mjs');
  const command = kind === 'smpp' ? ['smsc'] : ['message-centre', kind];
  const all = [...command, '--port', String(port), '--no-test-numbers', '--with-parent', ...switches];
  const child = spawn(process.execPath, [program, ...all], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const spawned = follow(child, () => undefined);
  const [text] = await spawned.firstLine(/^\{.*\}$/);
  const ports = JSON.parse(text) as Record<CentreKind | 'counts', number>;
  return {
    ...spawned,
    port: ports[kind],
    counts: async () => (await fetch(`http://127.0.0.1:${ports.counts}/counts?destinations`)).json() as never,
  };
}

function follow(child: ChildProcess, onExit: () => void) {
  noteKind('service');
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the process has no output');
  const logged: string[] = [];
  createInterface({ input: stderr }).on('line', (line) => {
    logged.push(line);
    if (logged.length > 2000) logged.shift();
  });
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => {
    onExit();
    return code ?? null;
  });
  const signal = (name: NodeJS.Signals) => {
    child.kill(name);
  };
  const log = () => logged.join('\n');
  return {
    child,
    log,
    signal,
    end: (name: NodeJS.Signals) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(name);
      return exited;
    },
    firstLine: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        createInterface({ input: stdout }).on('line', (line) => {
          const match = pattern.exec(line);
          if (match !== null) resolve(match);
        });
        exited.then((code) => reject(new Error(`the process ended with ${code} instead:\n${log()}`)));
      }),
  };
}
