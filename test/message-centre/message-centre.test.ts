// The message centre, in this process and as one of its own, doing everything wrong at once.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Part, SubmitOutcome } from '../../src/channels/channel.js';
import { openSmppChannel } from '../../src/channels/smpp/smpp-channel.js';
import { messageKeyOf, reportKeysOf } from '../../src/domain/message/message-id.js';
import { startMessageCentre } from '../../tools/message-centre/message-centre.js';
import { parseOptions, SMPP_OPTIONS } from '../../tools/message-centre/options.js';
import { createConfig, createParts, openChannel, silentLog, submitAll, waitFor } from '../channels/smpp/peer.js';
import { buildCode } from '../support/service-process.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(setup: Parameters<typeof startMessageCentre>[0]) {
  const centre = await startMessageCentre({ port: 0, testNumbers: false, ...setup });
  closers.push(() => centre.stop());
  return centre;
}

/** Submits until every part has an answer or is unknown, as the pipeline does. */
async function submitThrough(
  channel: Parameters<typeof submitAll>[0],
  parts: readonly Part[],
): Promise<SubmitOutcome[]> {
  const final: SubmitOutcome[] = [];
  let waiting = parts;
  while (waiting.length > 0) {
    const again: Part[] = [];
    for (const outcome of await submitAll(channel, waiting)) {
      if (outcome.kind === 'throttled' || outcome.kind === 'unsent') again.push(outcome.part);
      else final.push(outcome);
    }
    waiting = again;
  }
  return final;
}

const count = (outcomes: readonly SubmitOutcome[], kind: SubmitOutcome['kind']) =>
  outcomes.filter((outcome) => outcome.kind === kind).length;

describe('20,000 numbers through a message centre that misbehaves', () => {
  it('are each sent at most once, and each is reported or unknown', async () => {
    const centre = await start({
      seed: 7,
      duplicateRate: 0.02,
      earlyRate: 0.05,
      throttleRate: 0.03,
      cutEvery: 2_999,
      garbageEvery: 400,
      ids: 'mixed',
      receipts: 'mixed',
    });
    const { channel, feedback } = await openChannel(centre.port, { sessions: 2, window: 50, receipts: 'by_text' });
    closers.push(() => channel.close());
    let received = 0;
    channel.onFeedback((each) => {
      received += 1;
      feedback.push(each);
      each.ack();
    });
    const outcomes = await submitThrough(channel, createParts(20_000));
    await waitFor(() => centre.pending() === 0, 30_000);

    const { doubled, accepted, cuts, throttled, duplicates } = centre.counts();
    expect(doubled).toBe(0);
    expect(outcomes).toHaveLength(20_000);
    expect(count(outcomes, 'accepted') + count(outcomes, 'unknown')).toBe(20_000);
    expect(count(outcomes, 'unknown')).toBeLessThanOrEqual(cuts * 50);
    expect(cuts).toBeGreaterThanOrEqual(6);
    expect(Math.min(throttled, duplicates)).toBeGreaterThan(100);
    expect(received).toBeGreaterThanOrEqual(accepted + duplicates);

    const keys = new Set(feedback.flatMap((each) => (each.kind === 'report' ? reportKeysOf(each.messageId) : [])));
    for (const outcome of outcomes) {
      if (outcome.kind === 'accepted') expect(keys.has(messageKeyOf(outcome.messageId))).toBe(true);
    }
  });
});

describe('a switch', () => {
  it('makes receipts late, missing or undelivered, and answers lost', async () => {
    const centre = await start({
      lateRate: 0.3,
      lateMs: 80,
      missingRate: 0.2,
      deliverRate: 0.5,
      loseRate: 0.1,
      refuseRate: 0.1,
    });
    const { channel, feedback } = await openChannel(centre.port, { window: 100, response_timeout_ms: 500 });
    closers.push(() => channel.close());
    channel.onFeedback((each) => {
      feedback.push(each);
      each.ack();
    });
    const outcomes = await submitThrough(channel, createParts(500));
    await waitFor(() => centre.pending() === 0);
    const counts = centre.counts();
    expect(count(outcomes, 'unknown')).toBe(counts.answersLost);
    expect(count(outcomes, 'refused')).toBe(counts.refused);
    expect(feedback).toHaveLength(counts.receipts);
    expect(counts.receipts + counts.withheld).toBe(counts.accepted);
    const delivered = feedback.filter((each) => each.kind === 'report' && each.status === 'delivered').length;
    for (const some of [
      counts.late,
      counts.withheld,
      counts.answersLost,
      counts.refused,
      delivered,
      feedback.length - delivered,
    ]) {
      expect(some).toBeGreaterThan(10);
    }
  });

  it('makes receipts contradict themselves, come in any order and poisoned, and none is lost on the way', async () => {
    const centre = await start({ contradictRate: 0.2, reorderRate: 0.5, lateMs: 50, poisonRate: 0.5, answerMaxMs: 30 });
    const { channel, feedback } = await openChannel(centre.port, { window: 100 });
    closers.push(() => channel.close());
    channel.onFeedback((each) => {
      feedback.push(each);
      each.ack();
    });
    const outcomes = await submitAll(channel, createParts(500));
    await waitFor(() => centre.pending() === 0);
    const { accepted, receipts, contradictions, reordered, poisoned } = centre.counts();
    expect([accepted, receipts]).toEqual([500, 500]);
    expect(Math.min(contradictions, reordered, poisoned)).toBeGreaterThan(50);
    expect(feedback).toHaveLength(receipts + contradictions);
    const keys = feedback.map((each) => (each.kind === 'report' ? messageKeyOf(each.messageId) : ''));
    const answered = outcomes.map((each) => (each.kind === 'accepted' ? messageKeyOf(each.messageId) : ''));
    expect(new Set(keys)).toEqual(new Set(answered));
    expect([...new Set(keys)]).not.toEqual(answered);
    const words = feedback.map((each) => (each.kind === 'report' ? each.code : ''));
    expect(new Set(words)).toEqual(new Set(['DELIVRD', 'UNDELIV:045']));
  });

  it('unbinds the client, which loses nothing', async () => {
    const centre = await start({ unbindEvery: 100, receipts: 'tlv' });
    const { channel, feedback } = await openChannel(centre.port, { window: 10, unsent_after_ms: 5_000 });
    closers.push(() => channel.close());
    channel.onFeedback((each) => {
      feedback.push(each);
      each.ack();
    });
    const outcomes = await submitThrough(channel, createParts(1_000));
    expect(count(outcomes, 'accepted')).toBe(1_000);
    await waitFor(() => centre.pending() === 0);
    expect(new Set(feedback.map((each) => each.kind === 'report' && each.messageId)).size).toBe(1_000);
    expect(centre.counts()).toMatchObject({ accepted: 1_000, doubled: 0, unbinds: 10 });
  });

  it('makes the same choices for the same seed', async () => {
    const runs = await Promise.all(
      [5, 5, 6].map(async (seed) => {
        const centre = await start({ seed, refuseRate: 0.5 });
        const { channel } = await openChannel(centre.port, { window: 1 });
        closers.push(() => channel.close());
        channel.onFeedback((each) => each.ack());
        return (await submitAll(channel, createParts(50))).map(({ kind }) => kind).join();
      }),
    );
    expect(runs[0]).toBe(runs[1]);
    expect(runs[0]).not.toBe(runs[2]);
  });

  it('keeps strangers out', async () => {
    const centre = await start({ systemId: 'test', password: 'other' });
    const stranger = openSmppChannel(createConfig(centre.port, { password: 'wrong' }), {
      log: silentLog,
      clock: () => performance.now(),
      now: Date.now,
      random: Math.random,
    });
    closers.push(() => stranger.close());
    await waitFor(() => stranger.health().detail === 'bind refused: ESME_RINVPASWD');
    const { channel } = await openChannel(centre.port, { password: 'other' });
    closers.push(() => channel.close());
    expect(centre.counts().binds).toBe(1);
  });
});

describe('the command', () => {
  const bin = fileURLToPath(new URL('../../bin/postrider.mjs', import.meta.url));

  function follow(child: ChildProcessByStdio<null, Readable, null>) {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    closers.push(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    return { child, ended, output: () => output };
  }

  async function run(...switches: string[]) {
    await buildCode();
    const followed = follow(
      spawn(process.execPath, [bin, 'smsc', '--port', '0', '--no-test-numbers', ...switches], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    await waitFor(() => followed.output().includes('\n'));
    const ports: { smpp: number; counts: number } = JSON.parse(followed.output());
    return { ...followed, ports };
  }

  async function sendHundred(port: number): Promise<void> {
    const { channel } = await openChannel(port);
    channel.onFeedback((each) => each.ack());
    expect(count(await submitAll(channel, createParts(100)), 'accepted')).toBe(100);
    await channel.close();
  }

  it('runs as a process of its own, tells its ports, its counts and its sum', async () => {
    const { child, ended, output, ports } = await run('--seed=3');
    await sendHundred(ports.smpp);
    const answer = await fetch(`http://127.0.0.1:${ports.counts}/counts?destinations`);
    const counts = (await answer.json()) as { accepted: number; by_destination: Record<string, number> };
    expect(counts).toMatchObject({ accepted: 100, doubled: 0 });
    expect(Object.keys(counts.by_destination)).toHaveLength(100);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(JSON.parse(output().trim().split('\n').at(-1) ?? '')).toMatchObject({ submits: 100, accepted: 100 });
  });

  it('writes down every accepted submit before it answers, so that being killed loses none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'smsc-journal-'));
    closers.push(async () => rmSync(folder, { recursive: true }));
    const journal = join(folder, 'journal');
    for (const runs of [1, 2]) {
      const { child, ended, ports } = await run('--journal', journal);
      await sendHundred(ports.smpp);
      child.kill('SIGKILL');
      await ended;
      const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
      const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const entries = written.filter(({ acknowledged }) => acknowledged === undefined);
      expect(entries).toHaveLength(runs * 100);
      expect(new Set(entries.map(({ to }) => to)).size).toBe(100);
      const known = new Set([undefined, ...entries.map(({ message_id }) => message_id)]);
      expect(written.filter(({ acknowledged }) => !known.has(acknowledged))).toEqual([]);
      expect(entries[0]).toMatchObject({ from: 'Postrider', reference: null, part: 1, parts: 1, text: 'hello' });
      expect(entries.every(({ at, message_id }) => !Number.isNaN(Date.parse(String(at))) && message_id !== '')).toBe(
        true,
      );
    }
  });

  it('ends when the process that started it is gone, where it is told to', async () => {
    await buildCode();
    const command = `"${process.execPath}" "${bin}" smsc --port 0 --with-parent & wait`;
    const shell = follow(spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] }));
    await waitFor(() => shell.output().includes('\n'));
    const { counts } = JSON.parse(shell.output()) as { counts: number };
    shell.child.kill('SIGKILL');
    await shell.ended;
    await waitFor(() => shell.output().trimEnd().split('\n').length === 2);
    await expect(fetch(`http://127.0.0.1:${counts}/counts`)).rejects.toThrow();
  });

  it('reads its options and names every fault at once', () => {
    expect(
      parseOptions(SMPP_OPTIONS, ['--cut-every', '3000', '--ids=mixed', '--throttle-rate', '0.03']).options,
    ).toMatchObject({
      cutEvery: 3_000,
      ids: 'mixed',
      throttleRate: 0.03,
      testNumbers: true,
    });
    expect(parseOptions(SMPP_OPTIONS, ['--cut-every', 'x', '--ids=odd', '--early-rate', '2', '--frob']).faults).toEqual(
      [
        '--cut-every needs a whole number',
        '--ids needs one of same, hex_then_decimal, decimal_then_hex, mixed',
        '--early-rate needs a number from 0 to 1',
        '--frob is not an option',
      ],
    );
  });
});
