// The SGIP message centre and the SGIP channel against each other, with every fault at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel, Part, Report, SubmitOutcome } from '../../src/channels/channel.js';
import { openSgipChannel } from '../../src/channels/sgip/sgip-channel.js';
import { startSgipCentre } from '../../tools/message-centre/message-centre.js';
import { createParts, deps, submitAll, waitFor } from '../channels/cmpp/peer.js';
import { createConfig, findFreePort, openChannel } from '../channels/sgip/peer.js';
import { buildCode } from '../support/service-process.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(setup: Parameters<typeof startSgipCentre>[0]) {
  const clientPort = await findFreePort();
  const centre = await startSgipCentre({ port: 0, testNumbers: false, redeliverMs: 300, clientPort, ...setup });
  closers.push(() => centre.stop());
  return { centre, clientPort };
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

describe('5,000 numbers through an SGIP message centre that misbehaves', () => {
  it('are each sent at most once, and each that arrived is reported under its id or reference', async () => {
    const { centre, clientPort } = await start({
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
    });
    const { channel, feedback } = await open(centre.port, { sessions: 2, window: 16, listen_port: clientPort });
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

    const reports = feedback.filter((each): each is Report => each.kind === 'report');
    const byId = new Map(reports.map((report) => [report.messageId, report]));
    for (const outcome of outcomes) {
      if (outcome.kind !== 'accepted') continue;
      expect(byId.get(outcome.messageId)).toMatchObject({ phone: outcome.part.to });
    }
    // Those that arrived and whose answer was lost are reported under their own reference.
    const unknown = outcomes.filter(({ kind }) => kind === 'unknown').map(({ part }) => part);
    const arrived = unknown.filter(({ to }) => (centre.destinations()[to] ?? 0) > 0);
    expect(arrived.length).toBeGreaterThan(0);
    for (const { to, reference } of arrived) {
      expect(reports.filter(({ phone }) => phone === to).map((report) => report.reference)).toContain(reference);
    }
  });
});

describe('the SGIP message centre', () => {
  it('sends a message again that the client has not answered', async () => {
    const { centre, clientPort } = await start({ testNumbers: true });
    const { channel, feedback } = await openChannel(centre.port, { listen_port: clientPort });
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
    const { centre, clientPort } = await start({ systemId: 'sp90001', password: 'other' });
    await open(centre.port, { password: 'other', listen_port: clientPort });
    const wrong = createConfig(centre.port, await findFreePort(), { password: 'wrong' });
    const stranger = openSgipChannel(wrong, deps);
    closers.push(() => stranger.close());
    await waitFor(() => stranger.health().detail?.startsWith('bind refused: 1 (bad login)') === true);
  });

  it('runs as a process of its own and prints its ports and its counts', async () => {
    await buildCode();
    const clientPort = await findFreePort();
    const bin = fileURLToPath(new URL('../../bin/postrider.mjs', import.meta.url));
    const words = ['message-centre', 'sgip', '--port', '0', '--client-port', String(clientPort), '--no-test-numbers'];
    const child = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    closers.push(async () => {
      child.kill('SIGKILL');
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ports: { sgip: number; counts: number } = JSON.parse((await lines.next()).value ?? '');
    const { channel, feedback } = await open(ports.sgip, { listen_port: clientPort });
    expect(count(await submitAll(channel, createParts(100)), 'accepted')).toBe(100);
    await waitFor(() => feedback.length === 100);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ submits: 100, accepted: 100, doubled: 0 });
    expect((await ended)[0]).toBe(0);
  });
});
