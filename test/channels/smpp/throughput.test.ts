// How much of a window is used, and how the pace of a throttling carrier is found, over real sockets.
import { afterEach, expect, it } from 'vitest';
import type { Channel, Part, SubmitOutcome } from '../../../src/channels/channel.js';
import { type SmppObserver, silentObserver } from '../../../src/channels/smpp/observer.js';
import { makePacer, type Pacer } from '../../../src/pipeline/channel/pacer.js';
import { startMessageCentre } from '../../../src/smsc/message-centre.js';
import { tell } from '../../support/tell.js';
import { makeParts, openChannel } from './peer.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Opened {
  readonly channel: Channel;
  /** The mean time until an answer, in milliseconds. */
  latencyMs(): number;
}

async function open(setup: Parameters<typeof startMessageCentre>[0]): Promise<Opened> {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, ...setup });
  closers.push(() => centre.stop());
  let sumMs = 0;
  let answers = 0;
  const observer: SmppObserver = {
    ...silentObserver,
    outcome(_kind, latencyMs = 0) {
      sumMs += latencyMs;
      answers += 1;
    },
  };
  const { channel } = await openChannel(centre.port, { window: 100 }, { observer });
  closers.push(() => channel.close());
  channel.onFeedback((each) => each.ack());
  return { channel, latencyMs: () => sumMs / answers };
}

/** Submits a part whenever there is room, each by a call of its own, and counts what is accepted after the first second. */
async function measure(
  channel: Channel,
  seconds: number,
  pacer: Pacer = makePacer(undefined, () => performance.now()),
) {
  const parts = makeParts(200_000);
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const again: Part[] = [];
  let next = 0;
  let room = channel.window;
  let accepted = 0;
  let onRoom = () => {};

  const settle = (outcome: SubmitOutcome) => {
    room += 1;
    pacer.answered(outcome.kind === 'throttled');
    if (outcome.kind === 'throttled') again.push(outcome.part);
    else if (outcome.kind === 'accepted' && elapsed() >= 1_000) accepted += 1;
    onRoom();
  };
  const submit = async (part: Part) => {
    for await (const outcome of channel.submit([part], new AbortController().signal)) settle(outcome);
  };
  while (elapsed() < (seconds + 1) * 1_000) {
    const taken = pacer.take(room);
    room -= taken;
    for (let left = taken; left > 0; left--) void submit(again.shift() ?? (parts[next++] as Part));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, Math.min(20, pacer.delayMs())));
      onRoom = () => {
        if (pacer.delayMs() > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
  return accepted / seconds;
}

// What a busy machine adds to the time until an answer is no fault of the channel: the window is full when as many parts
// are answered a second as it holds in the time that an answer took.
it.each([50, 300])('a window of 100 is kept full with answers after %i ms', async (answerMs) => {
  const { channel, latencyMs } = await open({ answerMs });
  expect(channel.window).toBe(100);
  const rate = await measure(channel, 3);
  expect((rate * latencyMs()) / 1_000).toBeGreaterThanOrEqual(85);
});

it('a carrier that throttles above 200 parts a second is used close to that', async () => {
  const { channel } = await open({ answerMs: 20, throttleAbove: 200 });
  const rate = await measure(channel, 6);
  tell(`${rate.toFixed(0)} parts/s of 200`);
  expect(rate).toBeGreaterThanOrEqual(150);
  expect(rate).toBeLessThanOrEqual(205);
}, 20_000);

it('a carrier that throttles a random quarter is not used at a trickle', async () => {
  const { channel } = await open({ answerMs: 50, throttleRate: 0.25 });
  const rate = await measure(channel, 6);
  tell(`${rate.toFixed(0)} parts/s of 1500`);
  expect(rate).toBeGreaterThanOrEqual(500);
}, 20_000);
