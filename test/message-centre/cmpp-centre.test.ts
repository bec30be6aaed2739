// The CMPP message centre and the CMPP channel against each other, with every fault at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel, Part, SubmitOutcome } from '../../src/channels/channel.js';
import { openCmppChannel } from '../../src/channels/cmpp/cmpp-channel.js';
import { startCmppCentre } from '../../tools/message-centre/message-centre.js';
import { createConfig, createParts, deps, openChannel, submitAll, waitFor } from '../channels/cmpp/peer.js';
import { buildCode } from '../support/service-process.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(setup: Parameters<typeof startCmppCentre>[0]) {
  const centre = await startCmppCentre({ port: 0, testNumbers: false, redeliverMs: 300, ...setup });
  closers.push(() => centre.stop());
  return centre;
}

async function open(...over: Parameters<typeof openChannel>) {
  const { channel, feedback } = await openChannel(...over);
  closers.push(() => channel.close());
  channel.onFeedback((each) => {
    feedback.push(each);
    each.ack();
  });
  return { channel, feedback };
}

/** Submits until every part has an answer or is unknown, as the pipeline does. */
async function submitThrough(channel: Channel, parts: readonly Part[]): Promise<SubmitOutcome[]> {
  const final: SubmitOutcome[] = [];
  let waiting = parts;
  while (waiting.length > 0) {
    const outcomes = await submitAll(channel, waiting);
    const again = outcomes.filter(({ kind }) => kind === 'throttled' || kind === 'unsent');
    final.push(...outcomes.filter((outcome) => !again.includes(outcome)));
    waiting = again.map(({ part }) => part);
  }
  return final;
}

const count = (outcomes: readonly SubmitOutcome[], kind: SubmitOutcome['kind']) =>
  outcomes.filter((outcome) => outcome.kind === kind).length;

describe('5,000 numbers through a CMPP message centre that misbehaves', () => {
  it.each(['2.0', '3.0'] as const)(
    'are each sent at most once, and each is reported or unknown, in %s',
    async (version) => {
      const centre = await start({
        seed: 7,
        duplicateRate: 0.02,
        earlyRate: 0.05,
        reorderRate: 0.05,
        lateMs: 100,
        throttleRate: 0.03,
        contradictRate: 0.02,
        poisonRate: 0.05,
        cutEvery: 997,
        unbindEvery: 1_499,
        garbageEvery: 300,
        receipts: 'mixed',
      });
      const { channel, feedback } = await open(centre.port, { sessions: 2, window: 16, version });
      const outcomes = await submitThrough(channel, createParts(5_000));
      await waitFor(() => centre.pending() === 0);

      const { doubled, accepted, cuts, unbinds, garbage, throttled, duplicates, contradictions } = centre.counts();
      expect(doubled).toBe(0);
      expect(outcomes).toHaveLength(5_000);
      expect(count(outcomes, 'accepted') + count(outcomes, 'unknown')).toBe(5_000);
      expect(count(outcomes, 'unknown')).toBeLessThanOrEqual(cuts * 16);
      expect(Math.min(cuts, unbinds, garbage)).toBeGreaterThanOrEqual(3);
      expect(Math.min(throttled, duplicates)).toBeGreaterThan(50);
      expect(feedback.length).toBeGreaterThanOrEqual(accepted + duplicates + contradictions);

      const numbers = new Map(feedback.map((each) => [each.kind === 'report' ? each.messageId : '', each]));
      for (const outcome of outcomes) {
        if (outcome.kind !== 'accepted') continue;
        expect(numbers.get(outcome.messageId)).toMatchObject({ kind: 'report', phone: outcome.part.to });
      }
    },
  );
});

describe('the CMPP message centre', () => {
  it('sends a message again that the client has not answered', async () => {
    const centre = await start({ testNumbers: true });
    const { channel, feedback } = await openChannel(centre.port);
    closers.push(() => channel.close());
    await submitAll(channel, createParts(1, { to: '8613800139008' }));
    await waitFor(() => feedback.filter(({ kind }) => kind === 'report').length === 3);
    expect(centre.counts().redelivered).toBeGreaterThanOrEqual(2);
    for (const each of feedback) each.ack();
    await waitFor(() => centre.pending() === 0);
    // The uplink went again with the report, and was recognised.
    expect(feedback.filter(({ kind }) => kind === 'uplink')).toHaveLength(1);
  });

  it('keeps strangers out', async () => {
    const centre = await start({ systemId: '900001', password: 'other' });
    const { channel } = await open(centre.port, { password: 'other' });
    expect(channel.health().state).toBe('up');
    const stranger = openCmppChannel(createConfig(centre.port, { password: 'wrong' }), deps);
    closers.push(() => stranger.close());
    await waitFor(() => stranger.health().detail === 'connect refused: 3 (authentication failed)');
    expect(centre.counts().binds).toBe(1);
  });

  it('runs as a process of its own and prints its ports and its counts', async () => {
    await buildCode();
    const bin = fileURLToPath(new URL('../../bin/postrider.mjs', import.meta.url));
    const child = spawn(process.execPath, [bin, 'message-centre', 'cmpp', '--port', '0', '--no-test-numbers'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    closers.push(async () => {
      child.kill('SIGKILL');
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ports: { cmpp: number; counts: number } = JSON.parse((await lines.next()).value ?? '');
    const { channel } = await open(ports.cmpp);
    expect(count(await submitAll(channel, createParts(100)), 'accepted')).toBe(100);
    const answer = await fetch(`http://127.0.0.1:${ports.counts}/counts?destinations`);
    const counts = (await answer.json()) as { by_destination: Record<string, number> };
    expect(Object.keys(counts.by_destination).sort()).toEqual(createParts(100).map(({ to }) => to));
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ submits: 100, accepted: 100, doubled: 0 });
    expect((await ended)[0]).toBe(0);
  });
});
