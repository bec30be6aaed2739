import { expect, it } from 'vitest';
import { type Assembled, createReassembler, type InboundSegment } from '../../../src/channels/session/reassembly.js';

function setUp() {
  const assembled: Assembled[] = [];
  const joinTexts = (segments: readonly InboundSegment[]) => segments.map(({ octets }) => octets.toString()).join('');
  const reassembler = createReassembler({ limitMs: 1_000, joinTexts, clock: () => 0 }, (each) => assembled.push(each));
  const add = (from: string, reference: number, part: number, parts: number, octets = Buffer.from(`${part}`)) => {
    const segment = { reference, part, parts };
    reassembler.add({ from, to: '10690', segment, octets, respond: () => {} });
  };
  return { assembled, reassembler, add };
}

it('a handset that begins message after message loses patience for its own oldest, not for those of others', () => {
  const { assembled, add } = setUp();
  add('patient', 1, 1, 2);
  for (let reference = 0; reference < 100; reference += 1) add('hasty', reference, 1, 2);
  expect(assembled).toHaveLength(92);
  expect(new Set(assembled.map(({ from, incomplete }) => `${from} ${incomplete}`))).toEqual(new Set(['hasty true']));
  add('patient', 1, 2, 2);
  expect(assembled.at(-1)).toMatchObject({ from: 'patient', text: '12', incomplete: false });
});

it('a segment that comes again and again ends its message before it fills the room of others', () => {
  const { assembled, add } = setUp();
  add('patient', 1, 1, 2);
  for (let copy = 0; copy < 5_000; copy += 1) add('broken', 7, 1, 2);
  expect(new Set(assembled.map(({ from }) => from))).toEqual(new Set(['broken']));
});

it('what is held has an end in segments and in octets', () => {
  const { assembled, add, reassembler } = setUp();
  for (let index = 0; index < 1_500; index += 1) add(`handset ${index}`, 1, 1, 2);
  expect(assembled).toHaveLength(500);
  reassembler.stop();
  for (let index = 0; index < 200; index += 1) add(`handset ${index}`, 1, 1, 2, Buffer.alloc(60_000));
  expect(assembled.length - 500).toBeGreaterThanOrEqual(200 - (4 * 1024 * 1024) / 60_000);
});

it('a message of 255 segments is joined', () => {
  const { assembled, add } = setUp();
  for (let part = 255; part >= 1; part -= 1) add('long', 1, part, 255, Buffer.from('x'));
  expect(assembled).toMatchObject([{ text: 'x'.repeat(255), incomplete: false }]);
});
