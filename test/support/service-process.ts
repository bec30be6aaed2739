import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EmbeddedAddress } from '../../src/store/embedded/start.js';
import { noteKind } from './kind.js';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

type ServiceEvent =
  | { readonly kind: 'log'; readonly message: string }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'up'; readonly isAttached: boolean; readonly address: EmbeddedAddress }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'exited' };

type EventOf<Kind> = Extract<ServiceEvent, { kind: Kind }>;

/** A service reduced to its database, in a process of its own. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly events: readonly ServiceEvent[];
  /** The first event of this kind; rejects when the process ends without one. */
  waitFor<Kind extends ServiceEvent['kind']>(kind: Kind): Promise<EventOf<Kind>>;
  /** Kills with the signal and resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Another checkout to run from. */
  readonly root?: string;
}

export async function buildCode(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(checkout, 'scripts', 'build.mjs')]);
}

export function spawnService(options: ServiceOptions): ServiceProcess {
  noteKind('service');
  const root = options.root ?? checkout;
  const child = spawn(
    process.execPath,
    [join(root, 'test/support/embedded-service.mjs'), options.dataDir, join(root, 'dist')],
    { ...options.identity, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const events: ServiceEvent[] = [];
  const waiting = new Set<() => void>();
  const add = (event: ServiceEvent) => {
    events.push(event);
    for (const look of [...waiting]) look();
  };
  const exited = once(child, 'close').then(() => add({ kind: 'exited' }));
  if (child.stdout === null) throw new Error('The service has no output.');
  createInterface({ input: child.stdout }).on('line', (line) => add(JSON.parse(line) as ServiceEvent));

  const waitFor = <Kind extends ServiceEvent['kind']>(kind: Kind) =>
    new Promise<EventOf<Kind>>((resolve, reject) => {
      const look = () => {
        const found = events.find((event): event is EventOf<Kind> => event.kind === kind);
        if (found === undefined && !events.some((event) => event.kind === 'exited')) return;
        waiting.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`The service ended without "${kind}": ${JSON.stringify(events)}`));
      };
      waiting.add(look);
      look();
    });
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { child, events, waitFor, kill };
}
