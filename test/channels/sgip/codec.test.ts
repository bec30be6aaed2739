import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldOverflow, MAX_FRAME_BYTES } from '../../../src/channels/china/fields.js';
import { splitHeader } from '../../../src/channels/china/long-text.js';
import { classifyResult } from '../../../src/channels/china/result-class.js';
import { decodeText, encodeUcs2 } from '../../../src/channels/china/text-format.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '../../../src/channels/sgip/codec.js';
import { type Body, COMMANDS, type Command, LOGIN_TYPE } from '../../../src/channels/sgip/pdu.js';
import { REPORT_OF_DELIVER, readReportState } from '../../../src/channels/sgip/report.js';
import { RESULTS } from '../../../src/channels/sgip/results.js';
import { createSequence, formatSequence, type SgipSequence } from '../../../src/channels/sgip/sequence.js';
import { bodyOf, countOctets, createFrameMaker } from '../china/pdus.js';
import { VECTORS } from './vectors.js';

const NODE = 3010090001;
const ours = (counter: number) => createSequence(NODE, Date.parse('2025-10-21T08:05:10+08:00'), counter);
const theirs = createSequence(101001, Date.parse('2025-10-21T08:06:12+08:00'), 9);

function encode<C extends Command>(command: C, sequence: SgipSequence, body?: Body<NoInfer<C>>): Buffer {
  const target = Buffer.alloc(MAX_FRAME_BYTES, 0xee);
  return target.subarray(0, encodePdu(target, 0, command, sequence, body));
}

const SUBMIT: Body<'submit'> = {
  sp_number: '10690001',
  charge_number: '0'.repeat(21),
  user_numbers: ['8613000000001'],
  corp_id: '90001',
  service_type: 'MSG001',
  fee_type: 1,
  fee_value: '0',
  given_value: '0',
  agent_flag: 0,
  mo_relate_to_mt_flag: 2,
  priority: 0,
  expire_time: '251231235959032+',
  schedule_time: '',
  report_flag: 1,
  tp_pid: 0,
  tp_udhi: 0,
  message_coding: 8,
  message_type: 0,
  message_content: encodeUcs2('【测试】验证码1234').octets,
  reserve: '',
};

const REPORT: Body<'report'> = {
  submit_sequence: formatSequence(ours(2)),
  report_type: 0,
  user_number: '8613000000001',
  state: 2,
  error_code: 25,
  reserve: '',
};

const DELIVER: Body<'deliver'> = {
  user_number: '8613000000001',
  sp_number: '10690001',
  tp_pid: 0,
  tp_udhi: 0,
  message_coding: 15,
  message_content: Buffer.from('cdcbb6a9', 'hex'),
  reserve: '',
};

/** Every PDU of the vectors: how it is written, and what it is read as. */
const PDUS: readonly (readonly [name: keyof typeof VECTORS, Command, SgipSequence, body: object])[] = [
  [
    'bind',
    'bind',
    ours(1),
    { login_type: LOGIN_TYPE.toGateway, login_name: 'sp90001', login_password: '888888', reserve: '' },
  ],
  ['submit', 'submit', ours(2), SUBMIT],
  ['report', 'report', theirs, REPORT],
  ['reportResp', 'report_resp', theirs, { result: 0, reserve: '' }],
  ['deliver', 'deliver', theirs, DELIVER],
];

describe('the SGIP codec', () => {
  it.each(PDUS)('writes %s to the octet', (name, command, sequence, body) => {
    expect(encode(command as 'bind', sequence, body as Body<'bind'>).toString('hex')).toBe(VECTORS[name]);
  });

  it.each(PDUS)('reads %s', (name, command, sequence, body) => {
    expect(decodePdu(Buffer.from(VECTORS[name], 'hex'))).toEqual({ command, sequence, body });
  });

  it('names a message by its sequence number, in which no bit is lost', () => {
    expect(formatSequence(ours(2))).toBe('b36a54113cdc73be00000002');
    expect(formatSequence({ node: 0xffffffff, time: 1, counter: 0x80000001 })).toBe('ffffffff0000000180000001');
    expect(createSequence(NODE, 0, 0x100000000 + 5).counter).toBe(5);
  });

  it('reads the state of a report', () => {
    expect(readReportState(REPORT)).toEqual({ status: 'undelivered', code: '2:25' });
    expect(readReportState({ ...REPORT, state: 0, error_code: 0 })).toEqual({ status: 'delivered', code: '0' });
    expect(readReportState({ ...REPORT, state: 1 })).toEqual({ status: 'intermediate', code: '1' });
    expect(readReportState({ ...REPORT, state: 9, error_code: 1 })).toEqual({ status: 'undelivered', code: '9:1' });
    expect(REPORT_OF_DELIVER).not.toBe(REPORT.report_type);
  });

  it('takes answers without their reserved octets, and calls a cut content malformed', () => {
    const answer = Buffer.from(VECTORS.reportResp, 'hex');
    expect(decodePdu(answer.subarray(0, -8))).toEqual(decodePdu(answer));
    const cut = Buffer.from(VECTORS.deliver, 'hex').subarray(0, -9);
    expect(decodePdu(cut)).toMatchObject({ command: 'malformed', sequence: theirs, reason: 'too_short' });
    const huge = Buffer.from(VECTORS.deliver, 'hex');
    huge.writeUInt32BE(0xffffffff, HEADER_BYTES + 45);
    expect(decodePdu(huge)).toMatchObject({ command: 'malformed', reason: 'too_short' });
  });

  it('refuses to write what a field cannot hold', () => {
    const faults = [{ corp_id: '900001' }, { message_content: Buffer.alloc(2_049) }, { priority: 1.5 }];
    for (const fault of faults) expect(() => encode('submit', ours(1), { ...SUBMIT, ...fault })).toThrow(FieldOverflow);
  });

  it('reads back every PDU that it writes', () => {
    const word = fc.integer({ min: 0, max: 0xffffffff });
    const sequences = fc.record({ node: word, time: word, counter: word }, { noNullPrototype: true });
    const pdus = fc
      .constantFrom(...(Object.keys(COMMANDS) as Command[]))
      .chain((command) => fc.tuple(fc.constant(command), sequences, bodyOf(COMMANDS[command].fields)));
    fc.assert(
      fc.property(pdus, ([command, sequence, body]) => {
        const frame = encode(command as 'bind', sequence, body as Body<'bind'>);
        expect(frame.readUInt32BE(0)).toBe(frame.length);
        expect(decodePdu(frame)).toEqual({ command, sequence, body });
      }),
      { numRuns: 500 },
    );
  });

  const seed = Number(process.env.CODEC_FUZZ_SEED ?? Date.now() % 1_000_000);

  it(`reads 10,000 PDUs of nonsense and holds no more than they do, with seed ${seed}`, () => {
    const createFrame = createFrameMaker(seed, {
      headerBytes: HEADER_BYTES,
      commandIds: Object.values(COMMANDS).map(({ id }) => id),
      samples: Object.values(VECTORS),
    });
    for (let round = 0; round < 10_000; round += 1) {
      const frame = createFrame();
      const pdu = decodePdu(frame);
      expect(pdu.command).toBeTypeOf('string');
      if (pdu.command === 'malformed') continue;
      expect(countOctets(pdu.body)).toBeLessThanOrEqual(frame.length);
      if (pdu.command === 'report') expect(readReportState(pdu.body).code).toBeTypeOf('string');
      if (pdu.command !== 'deliver') continue;
      const { octets } = splitHeader(pdu.body.tp_udhi, pdu.body.message_content);
      expect(decodeText(octets, pdu.body.message_coding)).toBeTypeOf('string');
    }
  });
});

describe('the results of SGIP', () => {
  it.each([
    [0, 'accepted'],
    [3, 'session'],
    [6, 'refused'],
    [9, 'configuration'],
    [11, 'throttled'],
    [33, 'throttled'],
    [88, 'throttled'],
    [25, 'refused'],
    [181, 'refused'],
    [254, 'refused'],
  ])('class %i as %s', (result, name) => {
    expect(classifyResult(RESULTS, result)).toBe(name);
  });
});
