// Kannel, where it is installed: bearerbox and smsbox with a spool store, bound to our message centre.

import { access, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort, isRunning, type Program, startProgram } from './program.js';
import { createBenchFolder } from './service.js';

const POLL_MS = 100;
const WINDOW = 100;

export interface Kannel {
  /** Where smsbox takes a message. */
  readonly sendUrl: string;
  stop(): Promise<void>;
}

interface Ports {
  readonly admin: number;
  readonly box: number;
  readonly send: number;
  readonly centre: number;
}

/** The paths of its two programs; undefined where one is missing. */
export async function findKannel(path = process.env.PATH ?? ''): Promise<[string, string] | undefined> {
  const [bearerbox, smsbox] = await Promise.all([findProgram(path, 'bearerbox'), findProgram(path, 'smsbox')]);
  return bearerbox === undefined || smsbox === undefined ? undefined : [bearerbox, smsbox];
}

async function findProgram(path: string, name: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

export async function startKannel(
  [bearerbox, smsbox]: [string, string],
  centrePort: number,
  signal: AbortSignal,
): Promise<Kannel> {
  const folder = await createBenchFolder();
  const [admin, box, sendPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const ports = { admin, box, send: sendPort, centre: centrePort };
  const file = join(folder, 'kannel.conf');
  await mkdir(join(folder, 'spool'));
  await writeFile(file, describeConfiguration(folder, ports));
  const programs: Program[] = [];
  const stop = async () => {
    for (const program of programs.reverse()) await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const quietly = { stdio: 'ignore' as const, cwd: folder };
    programs.push(startProgram(bearerbox, ['-v', '4', file], quietly));
    const status = `http://127.0.0.1:${admin}/status.txt?password=bench`;
    await waitFor(programs, signal, async () => (await readText(status)).includes('online'));
    programs.push(startProgram(smsbox, ['-v', '4', file], quietly));
    await waitFor(programs, signal, async () => /smsbox.*on-line/.test(await readText(status)));
    return { sendUrl: `http://127.0.0.1:${sendPort}/cgi-bin/sendsms?username=bench&password=bench`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readText(url: string): Promise<string> {
  const answer = await fetch(url).catch(() => undefined);
  return answer === undefined ? '' : await answer.text();
}

async function waitFor(
  programs: readonly Program[],
  signal: AbortSignal,
  isReady: () => Promise<boolean>,
): Promise<void> {
  while (!(await isReady())) {
    if (!programs.every(({ child }) => isRunning(child))) throw new Error('Kannel ended before it was ready.');
    await delay(POLL_MS, undefined, { signal });
  }
}

function describeConfiguration(folder: string, ports: Ports): string {
  return `
group = core
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
admin-password = bench
smsbox-port = ${ports.box}
smsbox-interface = 127.0.0.1
store-type = spool
store-location = ${join(folder, 'spool')}
log-level = 4

group = smsc
smsc = smpp
smsc-id = bench
host = 127.0.0.1
port = ${ports.centre}
transceiver-mode = true
smsc-username = bench
smsc-password = bench
system-type = ""
interface-version = 34
max-pending-submits = ${WINDOW}

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.send}
sendsms-interface = 127.0.0.1
log-level = 4

group = sendsms-user
username = bench
password = bench
`;
}
