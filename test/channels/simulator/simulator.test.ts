import { afterEach, describe, expect, it } from 'vitest';
import type { Channel, Part } from '../../../src/channels/channel.js';
import { checkConfig } from '../../../src/channels/check-config.js';
import { SimulatorConfigSchema } from '../../../src/channels/simulator/config.js';
import { openSimulator } from '../../../src/channels/simulator/simulator.js';

const opened: Channel[] = [];

afterEach(async () => {
  for (const channel of opened.splice(0)) await channel.close();
});

function open(testNumbers: boolean | 'listed'): Channel {
  const checked = checkConfig(SimulatorConfigSchema, { test_numbers: testNumbers });
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults));
  const channel = openSimulator(checked.config, { now: () => 1_794_700_800_000, random: () => 0.5 });
  opened.push(channel);
  return channel;
}

async function submit(channel: Channel, to: string): Promise<string> {
  const part: Part = { reference: to, to, from: '10690', text: 'hello', encoding: 'gsm7', part: 1, parts: 1 };
  for await (const outcome of channel.submit([part], new AbortController().signal)) return outcome.kind;
  return 'no outcome';
}

describe('the numbers with a fate of their own', () => {
  const LISTED = '8613800139003';
  const OTHERS = ['8613900139003', '8613800149003', '18613800139003', '13800139003', '8613800139010'];

  it('are all that end like one of them', async () => {
    const channel = open(true);
    expect(await submit(channel, LISTED)).toBe('refused');
    expect(await Promise.all(OTHERS.slice(0, 4).map((to) => submit(channel, to)))).toEqual(
      new Array(4).fill('refused'),
    );
  });

  it('are the listed ones alone, so that any other range completes', async () => {
    const channel = open('listed');
    expect(await submit(channel, LISTED)).toBe('refused');
    expect(await submit(channel, '8613800139005')).toBe('unknown');
    expect(await Promise.all(OTHERS.map((to) => submit(channel, to)))).toEqual(new Array(5).fill('accepted'));
  });

  it('are none', async () => {
    expect(await submit(open(false), LISTED)).toBe('accepted');
  });
});

it('says since when it is up', () => {
  expect(open(true).health()).toMatchObject({ state: 'up', since: new Date(1_794_700_800_000) });
});
