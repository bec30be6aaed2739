import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatValidity } from '../../../src/channels/china/beijing-time.js';
import { FieldOverflow, MAX_FRAME_BYTES } from '../../../src/channels/china/fields.js';
import { hashLoginAnswer, isLoginAnswerGenuine } from '../../../src/channels/china/login-hash.js';
import { joinHeader, splitHeader } from '../../../src/channels/china/long-text.js';
import { decodeText, encodeUcs2 } from '../../../src/channels/china/text-format.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '../../../src/channels/cmpp/codec.js';
import { hashConnect, hashPaddedConnect } from '../../../src/channels/cmpp/login.js';
import { formatMessageId } from '../../../src/channels/cmpp/message-id.js';
import {
  type Body,
  type CmppVersion,
  COMMANDS,
  type Command,
  NO_MESSAGE_ID,
  type PduOf,
  VERSION_OCTETS,
} from '../../../src/channels/cmpp/pdu.js';
import { createReport, parseReport } from '../../../src/channels/cmpp/report.js';
import { bodyOf, countOctets, createFrameMaker } from '../china/pdus.js';
import { VECTORS } from './vectors.js';

const VERSIONS: readonly CmppVersion[] = ['2.0', '3.0'];
const REPORT = {
  msg_id: 'aaa0528003e90102',
  stat: 'DELIVRD',
  submit_time: '2510210805',
  done_time: '2510210806',
  dest_terminal_id: '13800138000',
  smsc_sequence: 7,
};

function encode<C extends Command>(
  version: CmppVersion,
  command: C,
  sequence: number,
  body?: Body<NoInfer<C>>,
): Buffer {
  const target = Buffer.alloc(MAX_FRAME_BYTES, 0xee);
  return target.subarray(0, encodePdu(target, 0, version, command, sequence, body));
}

function decode<C extends Command>(hex: string, version: CmppVersion, command: C): PduOf<C> {
  const pdu = decodePdu(Buffer.from(hex, 'hex'), version);
  expect(pdu.command).toBe(command);
  return pdu as PduOf<C>;
}

function submitBody(over: Partial<Body<'submit'>>): Body<'submit'> {
  const { format, octets } = encodeUcs2('【测试】验证码1234');
  return {
    msg_id: NO_MESSAGE_ID,
    pk_total: 1,
    pk_number: 1,
    registered_delivery: 1,
    msg_level: 1,
    service_id: 'MSG001',
    fee_user_type: 2,
    fee_terminal_id: '',
    fee_terminal_type: 0,
    tp_pid: 0,
    tp_udhi: 0,
    msg_fmt: format,
    msg_src: '900001',
    fee_type: '01',
    fee_code: '000000',
    valid_time: formatValidity(new Date('2025-12-31T23:59:59+08:00')),
    at_time: '',
    src_id: '10690001',
    dest_terminal_ids: ['13800138000'],
    dest_terminal_type: 0,
    msg_content: octets,
    reserve: '',
    link_id: '',
    ...over,
  };
}

function deliverBody(over: Partial<Body<'deliver'>>): Body<'deliver'> {
  return {
    msg_id: 'aaa0608003e9012c',
    dest_id: '10690001',
    service_id: 'MSG001',
    tp_pid: 0,
    tp_udhi: 0,
    msg_fmt: 0,
    src_terminal_id: '13800138000',
    src_terminal_type: 0,
    registered_delivery: 0,
    msg_content: Buffer.alloc(0),
    reserve: '',
    link_id: '',
    ...over,
  };
}

const second = joinHeader({ reference: 0x2a, part: 2, parts: 2 }, encodeUcs2('第二').octets);

/** Every PDU of the vectors: how it is written, and what it is read as. */
const PDUS: readonly (readonly [name: keyof typeof VECTORS, CmppVersion, Command, sequence: number, body: object])[] = [
  [
    'connect3',
    '3.0',
    'connect',
    1,
    {
      source_addr: '900001',
      authenticator_source: hashConnect('900001', '888888', 1021080510),
      version: VERSION_OCTETS['3.0'],
      timestamp: 1021080510,
    },
  ],
  [
    'connectResp2',
    '2.0',
    'connect_resp',
    1,
    {
      status: 0,
      authenticator_ismg: hashLoginAnswer(0, 1, VECTORS.hashedAccount, '888888'),
      version: VERSION_OCTETS['2.0'],
    },
  ],
  ['submit2', '2.0', 'submit', 2, submitBody({})],
  ['submit3', '3.0', 'submit', 2, submitBody({})],
  ['submitPart3', '3.0', 'submit', 3, submitBody({ pk_total: 2, pk_number: 2, tp_udhi: 1, msg_content: second })],
  ['submitResp2', '2.0', 'submit_resp', 2, { msg_id: formatMessageId('1021080510', 1001, 258), result: 0 }],
  ['submitResp3', '3.0', 'submit_resp', 2, { msg_id: NO_MESSAGE_ID, result: 8 }],
  [
    'deliverReport3',
    '3.0',
    'deliver',
    77,
    deliverBody({ registered_delivery: 1, msg_content: createReport('3.0', REPORT) }),
  ],
  ['deliverResp3', '3.0', 'deliver_resp', 77, { msg_id: 'aaa0608003e9012c', result: 0 }],
  ['deliverUplink2', '2.0', 'deliver', 79, deliverBody({ msg_fmt: 15, msg_content: Buffer.from('cdcbb6a9', 'hex') })],
  [
    'deliverUplink3',
    '3.0',
    'deliver',
    80,
    deliverBody({ tp_udhi: 0x40, msg_fmt: 8, msg_content: Buffer.from('050003000101597d', 'hex') }),
  ],
];

describe('the CMPP codec', () => {
  it.each(PDUS)('writes %s to the octet', (name, version, command, sequence, body) => {
    expect(encode(version, command as 'connect', sequence, body as Body<'connect'>).toString('hex')).toBe(
      VECTORS[name],
    );
  });

  it.each(PDUS)('reads %s', (name, version, command, sequence, body) => {
    expect(decodePdu(Buffer.from(VECTORS[name], 'hex'), version)).toEqual({ command, sequence, body });
  });

  it('hashes the login, with the account as it is or filled up', () => {
    expect(hashConnect('900001', '888888', 1021080510)).toBe(VECTORS.hashedAccount);
    expect(hashConnect('9001', '888888', 1021080510)).toBe(VECTORS.hashedShortAccount);
    expect(hashPaddedConnect('9001', '888888', 1021080510)).toBe(VECTORS.hashedPaddedAccount);
  });

  it('believes a login answer that hashes the status as one octet or as four, and no other', () => {
    for (const octets of [1, 4] as const) {
      const genuine = hashLoginAnswer(0, octets, VECTORS.hashedAccount, '888888');
      expect(isLoginAnswerGenuine(0, genuine, VECTORS.hashedAccount, '888888')).toBe(true);
      expect(isLoginAnswerGenuine(1, genuine, VECTORS.hashedAccount, '888888')).toBe(false);
      expect(isLoginAnswerGenuine(0, genuine, VECTORS.hashedAccount, '888889')).toBe(false);
    }
  });

  it('reads an uplink in GB18030, and one under the header of a single part', () => {
    const gb = decode(VECTORS.deliverUplink2, '2.0', 'deliver').body;
    expect(decodeText(gb.msg_content, gb.msg_fmt)).toBe('退订');
    const single = decode(VECTORS.deliverUplink3, '3.0', 'deliver').body;
    const { octets, segment } = splitHeader(single.tp_udhi, single.msg_content);
    expect(segment).toBeUndefined();
    expect(decodeText(octets, single.msg_fmt)).toBe('好');
  });

  it('tells answers apart by their length, whatever version was agreed', () => {
    const answers = ['connectResp2', 'submitResp2', 'submitResp3', 'deliverResp3'] as const;
    for (const name of answers) {
      const frame = Buffer.from(VECTORS[name], 'hex');
      expect(decodePdu(frame, '2.0')).toEqual(decodePdu(frame, '3.0'));
    }
    expect(decode(VECTORS.submitResp3, '2.0', 'submit_resp').body.result).toBe(8);
  });

  it('takes a PDU without its reserved octets, and one with octets after its end', () => {
    const whole = Buffer.from(VECTORS.deliverUplink2, 'hex');
    expect(decodePdu(whole.subarray(0, -8), '2.0')).toEqual(decodePdu(whole, '2.0'));
    expect(decodePdu(Buffer.concat([whole, Buffer.alloc(9)]), '2.0')).toEqual(decodePdu(whole, '2.0'));
  });

  it('calls a PDU malformed whose content would run past its end, and one of an unknown command', () => {
    const cut = Buffer.from(VECTORS.deliverUplink2, 'hex').subarray(0, -9);
    expect(decodePdu(cut, '2.0')).toMatchObject({ command: 'malformed', sequence: 79, reason: 'too_short' });
    const unknown = Buffer.from('0000000c0000077700000005', 'hex');
    expect(decodePdu(unknown, '2.0')).toMatchObject({ command: 'malformed', sequence: 5, reason: 'unknown_command' });
  });

  it('refuses to write what a field cannot hold', () => {
    const faults: Partial<Body<'submit'>>[] = [
      { msg_id: 'aaa0528003e901' },
      { msg_id: 'aaa0528003e9010z' },
      { src_id: '1'.repeat(22) },
      { src_id: '签名' },
      { src_id: '1\u00002' },
      { msg_fmt: 256 },
      { msg_fmt: -1 },
      { msg_content: Buffer.alloc(256) },
      { dest_terminal_ids: new Array(100).fill('13800138000') },
    ];
    for (const fault of faults) expect(() => encode('3.0', 'submit', 1, submitBody(fault))).toThrow(FieldOverflow);
  });

  it.each(VERSIONS)('reads back every PDU of %s that it writes', (version) => {
    const commands = Object.keys(COMMANDS) as Command[];
    const pdus = fc
      .constantFrom(...commands)
      .chain((command) =>
        fc.tuple(
          fc.constant(command),
          fc.integer({ min: 0, max: 0xffffffff }),
          bodyOf(COMMANDS[command].fields, version === '2.0' ? 2 : 3),
        ),
      );
    fc.assert(
      fc.property(pdus, ([command, sequence, body]) => {
        const frame = encode(version, command as 'connect', sequence, body as Body<'connect'>);
        expect(frame.readUInt32BE(0)).toBe(frame.length);
        expect(decodePdu(frame, version)).toEqual({ command, sequence, body });
      }),
      { numRuns: 500 },
    );
  });

  const seed = Number(process.env.CODEC_FUZZ_SEED ?? Date.now() % 1_000_000);

  it(`reads 10,000 PDUs of nonsense and holds no more than they do, with seed ${seed}`, () => {
    const createFrame = createFrameMaker(seed, {
      headerBytes: HEADER_BYTES,
      commandIds: Object.values(COMMANDS).map(({ id }) => id),
      samples: PDUS.map(([name]) => VECTORS[name]),
    });
    for (let round = 0; round < 10_000; round += 1) {
      const frame = createFrame();
      for (const version of VERSIONS) {
        const pdu = decodePdu(frame, version);
        expect(pdu.command).toBeTypeOf('string');
        if (pdu.command === 'malformed') continue;
        expect(countOctets(pdu.body)).toBeLessThanOrEqual(frame.length);
        if (pdu.command !== 'deliver') continue;
        const { octets } = splitHeader(pdu.body.tp_udhi, pdu.body.msg_content);
        expect(decodeText(octets, pdu.body.msg_fmt)).toBeTypeOf('string');
        expect(parseReport(pdu.body.msg_content).stat.length).toBeLessThanOrEqual(7);
      }
    }
  });
});

describe('a CMPP report', () => {
  it.each([
    ['2.0', VECTORS.report2],
    ['3.0', VECTORS.report3],
  ] as const)('is written to the octet and read in %s', (version, hex) => {
    expect(createReport(version, REPORT).toString('hex')).toBe(hex);
    expect(parseReport(Buffer.from(hex, 'hex'))).toEqual({
      messageId: 'aaa0528003e90102',
      stat: 'DELIVRD',
      submittedAt: new Date('2025-10-21T08:05:00+08:00'),
      doneAt: new Date('2025-10-21T08:06:00+08:00'),
      phone: '8613800138000',
    });
  });

  it('is read when its words are filled with NUL and its times make no sense', () => {
    const report = { ...REPORT, stat: 'AF:4', submit_time: '0001010000', done_time: '0001010000' };
    expect(parseReport(createReport('3.0', report))).toMatchObject({
      stat: 'AF:4',
      submittedAt: undefined,
      doneAt: undefined,
      phone: '8613800138000',
    });
  });

  it('is read as far as it goes when it is cut short', () => {
    const whole = createReport('2.0', REPORT);
    expect(parseReport(whole.subarray(0, 49))).toEqual(parseReport(whole));
    expect(parseReport(whole.subarray(0, 15))).toMatchObject({ messageId: REPORT.msg_id, stat: 'DELIVRD' });
    expect(parseReport(whole.subarray(0, 15)).phone).toBeUndefined();
    expect(parseReport(whole.subarray(0, 7)).messageId).toBe('');
    expect(parseReport(Buffer.alloc(0)).stat).toBe('');
  });

  it('keeps every bit of an id that no number holds', () => {
    const ids = ['ffffffffffffffff', '0020000000000001', '8000000000000001'];
    for (const id of ids) expect(parseReport(createReport('3.0', { ...REPORT, msg_id: id })).messageId).toBe(id);
    expect(formatMessageId('1231235959', 0x3fffff, 0xffff)).toBe('cfdfbeffffffffff');
  });
});
