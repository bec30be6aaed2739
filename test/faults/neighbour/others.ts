// Ten ordinary customers: they send, read, export and receive webhooks. Every call is tried once and timed.

import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostriderClient } from '@postrider/client';
import { createSender, type Sender } from '../../support/campaign.js';

export type Doing = 'send' | 'read' | 'export' | 'webhook';

export interface Others {
  /** Durations in milliseconds since the last call of `begin`. */
  readonly took: Readonly<Record<Doing, number[]>>;
  /** What was refused or failed, ever. */
  readonly refused: readonly string[];
  begin(): void;
  /** Messages whose receipts have not arrived at their webhook. */
  unpushed(): number;
  /** Resolves when the calls under way are over. */
  stop(): Promise<void>;
  close(): void;
}

const CUSTOMERS = 10;
/** Long enough that two services and their databases leave a machine of two processors half idle. */
const PAUSE_MS = 1000;
/** Few enough that all customers find a place together. */
const EXPORTERS = 1;
const EXPORT_PAUSE_MS = 500;

export async function startOthers(url: string, channelNos: readonly string[]): Promise<Others> {
  const took: Record<Doing, number[]> = { send: [], read: [], export: [], webhook: [] };
  const refused: string[] = [];
  /** When each task was accepted, until its receipt arrives. */
  const awaited = new Map<string, number>();
  /** A receipt may arrive before the answer to its send. */
  const early = new Set<string>();
  const over = new AbortController();
  // Every pause listens to it.
  setMaxListeners(CUSTOMERS + EXPORTERS, over.signal);

  const receive = (taskNo: string): void => {
    const since = awaited.get(taskNo);
    if (since === undefined) early.add(taskNo);
    else took.webhook.push(performance.now() - since);
    awaited.delete(taskNo);
  };
  const server = await serve(receive);
  const { port } = server.address() as AddressInfo;

  const time = async <T>(doing: Doing, act: () => Promise<T>): Promise<T | undefined> => {
    const start = performance.now();
    try {
      const result = await act();
      took[doing].push(performance.now() - start);
      return result;
    } catch (error) {
      refused.push(`${doing}: ${error}`);
      return undefined;
    }
  };

  const pause = (ms: number) => sleep(ms * (0.5 + Math.random()), undefined, { signal: over.signal }).catch(() => {});

  const work = async (sender: Sender, at: number): Promise<void> => {
    const client = sender.at(url, 1);
    for (let no = 0; !over.signal.aborted; no += 1) {
      const phone = `136${String(at).padStart(2, '0')}${String(no).padStart(6, '0')}`;
      const flags = { auto_freeze: true, auto_submit: true };
      const start = performance.now();
      const task = await time('send', () => client.send({ template_no: sender.templateNo, phones: [phone], ...flags }));
      if (task !== undefined && !early.delete(task.task_no)) awaited.set(task.task_no, start);
      if (task !== undefined) await time('read', () => client.task(task.task_no));
      await pause(PAUSE_MS);
    }
  };
  const exportAgain = async (clients: readonly PostriderClient[]): Promise<void> => {
    for (let no = 0; !over.signal.aborted; no += 1) {
      const client = clients[no % clients.length];
      await time('export', async () => {
        for await (const _ of client?.receipts().csv() ?? []);
      });
      await pause(EXPORT_PAUSE_MS);
    }
  };

  const senders: Sender[] = [];
  for (let at = 0; at < CUSTOMERS; at += 1) {
    const sender = await createSender(url, channelNos, { name: `other-${at}` });
    await sender.at(url).createWebhook({ url: `http://127.0.0.1:${port}/`, events: ['receipts'] });
    senders.push(sender);
  }
  const clients = senders.map((sender) => sender.at(url, 1));
  const working = [...senders.map(work), ...Array.from({ length: EXPORTERS }, () => exportAgain(clients))];
  return {
    took,
    refused,
    begin() {
      for (const list of Object.values(took)) list.length = 0;
    },
    unpushed: () => awaited.size,
    async stop() {
      over.abort();
      await Promise.all(working);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function serve(receive: (taskNo: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(pieces).toString('utf8'));
      if (type === 'receipts') for (const { task_no } of data.items) receive(task_no);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
