// The SMGP message centre and the SMGP channel against each other, with every fault at once.
import { afterEach, expect, it } from 'vitest';
import type { Feedback, Part, SubmitOutcome } from '../../src/channels/channel.js';
import { openSmgpChannel } from '../../src/channels/smgp/smgp-channel.js';
import { startSmgpCentre } from '../../tools/message-centre/message-centre.js';
import { createParts, deps, QUICK, submitAll, waitFor } from '../channels/cmpp/peer.js';
import { createConfig } from '../channels/smgp/conformance.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('3,000 numbers are each sent at most once, and each is reported or unknown', async () => {
  const centre = await startSmgpCentre({
    port: 0,
    testNumbers: false,
    seed: 7,
    duplicateRate: 0.02,
    earlyRate: 0.05,
    reorderRate: 0.05,
    lateMs: 100,
    throttleRate: 0.03,
    poisonRate: 0.05,
    cutEvery: 997,
    unbindEvery: 1_099,
    garbageEvery: 300,
    receipts: 'mixed',
  });
  closers.push(() => centre.stop());
  const channel = openSmgpChannel(createConfig(centre.port, { sessions: 2 }), deps, QUICK);
  closers.push(() => channel.close());
  const feedback: Feedback[] = [];
  channel.onFeedback((each) => {
    feedback.push(each);
    each.ack();
  });
  await waitFor(() => channel.health().state === 'up');

  const outcomes: SubmitOutcome[] = [];
  let waiting: readonly Part[] = createParts(3_000);
  while (waiting.length > 0) {
    const given = await submitAll(channel, waiting);
    const again = given.filter(({ kind }) => kind === 'throttled' || kind === 'unsent');
    outcomes.push(...given.filter((outcome) => !again.includes(outcome)));
    waiting = again.map(({ part }) => part);
  }
  await waitFor(() => centre.pending() === 0);

  const { doubled, accepted, cuts, unbinds, garbage, duplicates, throttled } = centre.counts();
  const unknown = outcomes.filter(({ kind }) => kind === 'unknown');
  expect(doubled).toBe(0);
  expect(outcomes).toHaveLength(3_000);
  expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(3_000 - unknown.length);
  expect(unknown.length).toBeLessThanOrEqual(cuts * 16);
  expect(Math.min(cuts, unbinds, garbage)).toBeGreaterThanOrEqual(2);
  expect(Math.min(throttled, duplicates)).toBeGreaterThan(20);
  expect(feedback.length).toBeGreaterThanOrEqual(accepted + duplicates);
  const reports = new Map(feedback.map((each) => [each.kind === 'report' ? each.messageId : '', each]));
  for (const outcome of outcomes) {
    if (outcome.kind !== 'accepted') continue;
    expect(reports.get(outcome.messageId)).toMatchObject({ code: 'DELIVRD', phone: outcome.part.to });
  }
});
