import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePdu, encodePdu, FieldOverflow } from '../../../src/channels/smpp/codec.js';
import { createPduFramer, MAX_FRAME_BYTES } from '../../../src/channels/smpp/framing.js';
import { COMMANDS, type Command, EMPTY_MESSAGE, nameStatus, STATUS, TLVS } from '../../../src/channels/smpp/pdu.js';

type Loose = Parameters<typeof encodePdu<'submit_sm'>>[5];

function encode(command: Command, status: number, sequence: number, body?: object, tlvs?: object): Buffer {
  const target = Buffer.alloc(70_000);
  const end = encodePdu(target, 0, command as 'submit_sm', status, sequence, body as Loose, tlvs);
  return target.subarray(0, end);
}

const values = {
  int1: fc.integer({ min: 0, max: 255 }),
  int2: fc.integer({ min: 0, max: 0xffff }),
  int4: fc.integer({ min: 0, max: 0xffffffff }),
};

function cstring(limit: number): fc.Arbitrary<string> {
  return fc.string({ maxLength: limit - 1, unit: fc.integer({ min: 1, max: 255 }).map((c) => String.fromCharCode(c)) });
}

function octets(limit: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ maxLength: limit }).map((bytes) => Buffer.from(bytes));
}

function bodyOf(command: Command): fc.Arbitrary<object> {
  const fields = COMMANDS[command].fields.map(([name, kind, limit]) => {
    const value = kind === 'cstring' ? cstring(limit) : kind === 'octets' ? octets(limit) : values.int1;
    return [name, value] as const;
  });
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { noNullPrototype: true });
}

const tlvsOf = fc.record(
  Object.fromEntries(
    Object.entries(TLVS).map(([name, { kind }]) => [
      name,
      kind === 'cstring' ? cstring(65) : kind === 'octets' ? octets(300) : values[kind],
    ]),
  ) as Record<string, fc.Arbitrary<unknown>>,
  { requiredKeys: [], noNullPrototype: true },
);

describe('the codec', () => {
  it('reads back every PDU that it writes', () => {
    const commands = Object.keys(COMMANDS) as Command[];
    const pdus = fc
      .constantFrom(...commands)
      .chain((command) =>
        fc.tuple(fc.constant(command), fc.integer({ min: 0, max: 0x7fffffff }), bodyOf(command), tlvsOf),
      );
    fc.assert(
      fc.property(pdus, ([command, sequence, body, tlvs]) => {
        const frame = encode(command, 0, sequence, body, tlvs);
        expect(frame.readUInt32BE(0)).toBe(frame.length);
        expect(decodePdu(frame)).toEqual({ command, status: 0, sequence, body, tlvs });
      }),
      { numRuns: 500 },
    );
  });

  it('writes a submit_sm octet for octet as the specification lays it out', () => {
    const body = {
      ...EMPTY_MESSAGE,
      source_addr_ton: 5,
      source_addr: 'Ann',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '86138',
      registered_delivery: 1,
      short_message: Buffer.from('hi'),
    };
    const expected = [
      ['0000002b', '00000004', '00000000', '00000007'],
      ['00', '0500', '416e6e00', '0101', '383631333800'],
      ['00', '00', '00', '00', '00', '01', '00', '00', '00', '02', '6869'],
    ];
    expect(encode('submit_sm', 0, 7, body).toString('hex')).toBe(expected.flat().join(''));
  });

  it('gives an answer that reports an error no body', () => {
    expect(encode('submit_sm_resp', STATUS.ESME_RTHROTTLED, 9, { message_id: 'x' })).toHaveLength(16);
    expect(decodePdu(encode('submit_sm_resp', STATUS.ESME_RTHROTTLED, 9))).toMatchObject({
      status: STATUS.ESME_RTHROTTLED,
      body: { message_id: '' },
    });
  });

  it('takes an answer whose last string has no terminator', () => {
    const frame = encode('submit_sm_resp', 0, 3, { message_id: 'abc' });
    const cut = Buffer.from(frame.subarray(0, frame.length - 1));
    cut.writeUInt32BE(cut.length, 0);
    expect(decodePdu(cut)).toMatchObject({ command: 'submit_sm_resp', body: { message_id: 'abc' } });
  });

  it('calls a request malformed wherever it is cut off', () => {
    const body = { ...EMPTY_MESSAGE, source_addr: '123', destination_addr: '456', short_message: Buffer.from('text') };
    const whole = encode('deliver_sm', 0, 5, body);
    for (let length = 16; length < whole.length; length += 1) {
      expect(decodePdu(whole.subarray(0, length))).toMatchObject({ command: 'malformed', sequence: 5 });
    }
  });

  it('calls a request malformed whose string is longer than its field', () => {
    const body = { ...EMPTY_MESSAGE, source_addr: '1'.repeat(20), short_message: Buffer.from('text') };
    const whole = encode('deliver_sm', 0, 5, body);
    expect(decodePdu(whole)).toMatchObject({ command: 'deliver_sm', body });
    const end = 16 + 3 + 20;
    const longer = Buffer.concat([whole.subarray(0, end), Buffer.from('1'), whole.subarray(end)]);
    longer.writeUInt32BE(longer.length, 0);
    expect(decodePdu(longer)).toMatchObject({ command: 'malformed', sequence: 5, status: STATUS.ESME_RINVPARLEN });
  });

  it('cuts the id of an answer to what its field holds: the part was accepted all the same', () => {
    const answer = encode('submit_sm_resp', 0, 3, { message_id: 'x'.repeat(64) });
    const longer = Buffer.concat([answer.subarray(0, 80), Buffer.from('yz\0')]);
    longer.writeUInt32BE(longer.length, 0);
    expect(decodePdu(longer)).toMatchObject({ command: 'submit_sm_resp', body: { message_id: 'x'.repeat(64) } });
  });

  it('names an unknown command and parameters that overrun', () => {
    const unknown = encode('enquire_link', 0, 5);
    unknown.writeUInt32BE(0x777, 4);
    expect(decodePdu(unknown)).toMatchObject({ command: 'malformed', status: STATUS.ESME_RINVCMDID });
    const overrun = Buffer.concat([encode('deliver_sm', 0, 5, EMPTY_MESSAGE), Buffer.of(4, 0x24, 0xff, 0xff, 1)]);
    expect(decodePdu(overrun)).toMatchObject({ command: 'malformed', status: STATUS.ESME_RINVOPTPARSTREAM });
  });

  it('keeps an answer whose parameters overrun', () => {
    const answer = Buffer.concat([encode('submit_sm_resp', 0, 5, { message_id: 'a' }), Buffer.of(4, 0x24, 0xff, 0xff)]);
    expect(decodePdu(answer)).toMatchObject({ command: 'submit_sm_resp', body: { message_id: 'a' } });
  });

  it('refuses to write a value that its field cannot hold', () => {
    expect(() => encode('submit_sm', 0, 1, { ...EMPTY_MESSAGE, destination_addr: '1'.repeat(21) })).toThrow(
      FieldOverflow,
    );
    expect(() => encode('submit_sm', 0, 1, { ...EMPTY_MESSAGE, short_message: Buffer.alloc(255) })).toThrow(
      FieldOverflow,
    );
  });

  it('names statuses, also those of a carrier’s own', () => {
    expect(nameStatus(0x58)).toBe('ESME_RTHROTTLED');
    expect(nameStatus(0x400)).toBe('0x00000400');
  });

  it('reads arbitrary frames without throwing', () => {
    const frames = fc.tuple(
      fc.constantFrom(...Object.values(COMMANDS).map(({ id }) => id)),
      fc.uint8Array({ maxLength: 600 }),
    );
    fc.assert(
      fc.property(frames, ([id, bytes]) => {
        const frame = Buffer.alloc(16 + bytes.length);
        frame.writeUInt32BE(frame.length, 0);
        frame.writeUInt32BE(id, 4);
        frame.set(bytes, 16);
        decodePdu(frame);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('framing', () => {
  it('finds the same frames however the stream is cut', () => {
    const stream = Buffer.concat([
      encode('enquire_link', 0, 1),
      encode('submit_sm', 0, 2, { ...EMPTY_MESSAGE, short_message: Buffer.alloc(200, 'x') }),
      encode('deliver_sm', 0, 3, EMPTY_MESSAGE, { message_payload: Buffer.alloc(5_000, 'y') }),
      encode('unbind', 0, 4),
    ]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const framer = createPduFramer();
        const sequences: number[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          framer.push(stream.subarray(at, at + size), (frame) => sequences.push(frame.readUInt32BE(12)));
          at += size;
        }
        expect(sequences).toEqual([1, 2, 3, 4]);
        expect(framer.pendingBytes).toBe(0);
      }),
    );
  });

  it.each([0, 15, MAX_FRAME_BYTES + 1, 0xffffffff])(
    'refuses a frame of %i octets before allocating for it',
    (length) => {
      const framer = createPduFramer();
      const header = Buffer.alloc(4);
      header.writeUInt32BE(length, 0);
      expect(framer.push(header, () => expect.unreachable())).toBe(false);
      expect(framer.pendingBytes).toBeLessThanOrEqual(4);
      expect(framer.push(Buffer.alloc(100), () => expect.unreachable())).toBe(false);
    },
  );

  it('refuses an impossible length that arrives octet by octet', () => {
    const framer = createPduFramer();
    const verdicts = [...Buffer.of(0xff, 0xff, 0xff, 0xff)].map((octet) =>
      framer.push(Buffer.of(octet), () => undefined),
    );
    expect(verdicts).toEqual([true, true, true, false]);
  });
});
