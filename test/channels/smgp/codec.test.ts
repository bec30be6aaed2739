import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldOverflow, MAX_FRAME_BYTES } from '../../../src/channels/china/fields.js';
import { hashLoginAnswer, isLoginAnswerGenuine } from '../../../src/channels/china/login-hash.js';
import { joinHeader, splitHeader } from '../../../src/channels/china/long-text.js';
import { classifyResult } from '../../../src/channels/china/result-class.js';
import { decodeText, encodeUcs2 } from '../../../src/channels/china/text-format.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '../../../src/channels/smgp/codec.js';
import { hashClient } from '../../../src/channels/smgp/login.js';
import { formatMessageId } from '../../../src/channels/smgp/message-id.js';
import {
  type Body,
  COMMANDS,
  type Command,
  LOGIN_MODE,
  NO_MESSAGE_ID,
  SMGP_VERSION,
} from '../../../src/channels/smgp/pdu.js';
import { createReport, nameReportCode, parseReport } from '../../../src/channels/smgp/report.js';
import { RESULTS } from '../../../src/channels/smgp/results.js';
import { decodeTlvs, encodeTlvs } from '../../../src/channels/smgp/tlvs.js';
import { bodyOf, countOctets, createFrameMaker } from '../china/pdus.js';
import { VECTORS } from './vectors.js';

function encode<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): Buffer {
  const target = Buffer.alloc(MAX_FRAME_BYTES, 0xee);
  return target.subarray(0, encodePdu(target, 0, command, sequence, body));
}

const NO_TLVS = Buffer.alloc(0);
const MESSAGE_ID = formatMessageId('010061', '1021080510', 258);

const SUBMIT: Body<'submit'> = {
  msg_type: 6,
  need_report: 1,
  priority: 1,
  service_id: 'MSG001',
  fee_type: '00',
  fee_code: '000000',
  fixed_fee: '000000',
  msg_format: 8,
  valid_time: '251231235959032+',
  at_time: '',
  src_term_id: '10690001',
  charge_term_id: '',
  dest_term_ids: ['13300000001'],
  msg_content: encodeUcs2('【测试】验证码1234').octets,
  reserve: '',
  tlvs: NO_TLVS,
};

const PART: Body<'submit'> = {
  ...SUBMIT,
  msg_content: joinHeader({ reference: 0x2a, part: 1, parts: 2 }, encodeUcs2('第一').octets),
  tlvs: encodeTlvs({ tp_udhi: 1, pk_total: 2, pk_number: 1 }),
};

const REPORT = {
  messageId: MESSAGE_ID,
  submitTime: '2510210805',
  doneTime: '2510210806',
  stat: 'DELIVRD',
  error: '000',
};

const DELIVER: Body<'deliver'> = {
  msg_id: '01006110210806000300',
  is_report: 1,
  msg_format: 0,
  recv_time: '20251021080610',
  src_term_id: '13300000001',
  dest_term_id: '10690001',
  msg_content: createReport(REPORT),
  reserve: '',
  tlvs: NO_TLVS,
};

/** Every PDU of the vectors: how it is written, and what it is read as. */
const PDUS: readonly (readonly [name: keyof typeof VECTORS, Command, sequence: number, body: object])[] = [
  [
    'login',
    'login',
    1,
    {
      client_id: '10690001',
      authenticator_client: hashClient('10690001', '888888', 301000000),
      login_mode: LOGIN_MODE.both,
      timestamp: 301000000,
      client_version: SMGP_VERSION,
    },
  ],
  ['submit', 'submit', 2, SUBMIT],
  ['submitPart', 'submit', 2, PART],
  ['submitResp', 'submit_resp', 2, { msg_id: MESSAGE_ID, status: 0 }],
  ['deliverReport', 'deliver', 78, DELIVER],
];

describe('the SMGP codec', () => {
  it.each(PDUS)('writes %s to the octet', (name, command, sequence, body) => {
    expect(encode(command as 'login', sequence, body as Body<'login'>).toString('hex')).toBe(VECTORS[name]);
  });

  it.each(PDUS)('reads %s', (name, command, sequence, body) => {
    expect(decodePdu(Buffer.from(VECTORS[name], 'hex'))).toEqual({ command, sequence, body });
  });

  it('believes a login answer that hashes the status as four octets or as one', () => {
    const client = hashClient('10690001', '888888', 301000000);
    for (const octets of [1, 4] as const) {
      const genuine = hashLoginAnswer(21, octets, client, '888888');
      expect(isLoginAnswerGenuine(21, genuine, client, '888888')).toBe(true);
      expect(isLoginAnswerGenuine(0, genuine, client, '888888')).toBe(false);
    }
    expect(NO_MESSAGE_ID).toHaveLength(MESSAGE_ID.length);
  });

  it('takes a PDU without its reserved octets, and calls a cut content malformed', () => {
    const whole = Buffer.from(VECTORS.submit, 'hex');
    expect(decodePdu(whole.subarray(0, -8))).toEqual(decodePdu(whole));
    expect(decodePdu(whole.subarray(0, -9))).toMatchObject({ command: 'malformed', sequence: 2, reason: 'too_short' });
  });

  it('refuses to write what a field cannot hold', () => {
    const faults = [{ service_id: '1'.repeat(11) }, { msg_content: Buffer.alloc(256) }, { dest_term_ids: ['伪码'] }];
    for (const fault of faults) expect(() => encode('submit', 1, { ...SUBMIT, ...fault })).toThrow(FieldOverflow);
    expect(() => encodeTlvs({ msg_src: '123456789' })).toThrow(FieldOverflow);
  });

  it('reads back every PDU that it writes', () => {
    const sequences = fc.integer({ min: 0, max: 0xffffffff });
    const pdus = fc
      .constantFrom(...(Object.keys(COMMANDS) as Command[]))
      .chain((command) => fc.tuple(fc.constant(command), sequences, bodyOf(COMMANDS[command].fields)));
    fc.assert(
      fc.property(pdus, ([command, sequence, body]) => {
        const frame = encode(command as 'login', sequence, body as Body<'login'>);
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
      samples: PDUS.map(([name]) => VECTORS[name]),
    });
    for (let round = 0; round < 10_000; round += 1) {
      const frame = createFrame();
      const pdu = decodePdu(frame);
      expect(pdu.command).toBeTypeOf('string');
      if (pdu.command === 'malformed') continue;
      expect(countOctets(pdu.body)).toBeLessThanOrEqual(frame.length);
      if (pdu.command !== 'deliver') continue;
      const { octets } = splitHeader(decodeTlvs(pdu.body.tlvs).tp_udhi ?? 0, pdu.body.msg_content);
      expect(decodeText(octets, pdu.body.msg_format)).toBeTypeOf('string');
      expect(nameReportCode(parseReport(pdu.body.msg_content)).length).toBeLessThanOrEqual(11);
    }
  });
});

describe('the parameters of SMGP', () => {
  const texts = (maxLength: number) => fc.stringMatching(new RegExp(`^[!-~]{0,${maxLength}}$`));
  const octet = fc.integer({ min: 0, max: 255 });
  const tlvs = fc.record(
    {
      tp_pid: octet,
      tp_udhi: octet,
      link_id: texts(20),
      pk_total: octet,
      pk_number: octet,
      src_term_type: octet,
      msg_src: texts(8),
      m_service_id: texts(21),
    },
    { requiredKeys: [], noNullPrototype: true },
  );

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(tlvs, (given) => {
        expect(decodeTlvs(encodeTlvs(given))).toEqual(given);
      }),
    );
  });

  it('are read in any order, shorter than their fields, beside unknown ones, up to where they make no sense', () => {
    const octets = Buffer.from('7777000201020010000539303031000002000140000a000a01', 'hex');
    expect(decodeTlvs(octets)).toEqual({ msg_src: '9001', tp_udhi: 0x40 });
    expect(decodeTlvs(Buffer.from('00020000', 'hex'))).toEqual({});
  });
});

describe('an SMGP report', () => {
  const spell = (form: string, id: string = MESSAGE_ID) =>
    Buffer.concat([Buffer.from('id:'), Buffer.from(id, 'hex'), Buffer.from(form, 'latin1')]);

  it('has 122 octets and is read', () => {
    expect(createReport(REPORT)).toHaveLength(122);
    const report = parseReport(createReport(REPORT));
    expect(report).toEqual({
      messageId: MESSAGE_ID,
      stat: 'DELIVRD',
      error: '000',
      doneAt: new Date('2025-10-21T08:06:00+08:00'),
    });
    expect(nameReportCode(report)).toBe('DELIVRD');
  });

  it('is read in the variant with underscores and without a blank after the id', () => {
    const report = parseReport(Buffer.from(VECTORS.reportVariant, 'hex'));
    expect(report).toMatchObject({ messageId: MESSAGE_ID, stat: 'UNDELIV', error: '006' });
    expect(report.doneAt).toEqual(new Date('2025-10-21T08:06:00+08:00'));
    expect(nameReportCode(report)).toBe('UNDELIV:006');
  });

  it('is read in the variant with an s for each blank', () => {
    const form =
      'sSub:001sDlvrd:001sSubmit_Date:2510210805sDone_Date:2510210806sStat:DELIVRDsErr:000sText:005stat:UNDELIV';
    expect(parseReport(spell(form))).toEqual(parseReport(createReport(REPORT)));
  });

  it('takes the id by its place, whatever octets it has', () => {
    const id = '20003a73746174ff0d0a';
    expect(parseReport(spell(' stat:EXPIRED err:001', id))).toMatchObject({ messageId: id, stat: 'EXPIRED' });
  });

  it('does not believe labels in the text of the message', () => {
    expect(parseReport(spell(' stat:UNDELIV err:005 Text:020stat:DELIVRD'))).toMatchObject({ stat: 'UNDELIV' });
    expect(parseReport(spell(' txt:stat:DELIVRD')).stat).toBe('');
  });

  it('is read as far as it goes when labels are missing or it is cut short', () => {
    expect(nameReportCode(parseReport(spell('')))).toBe('UNKNOWN');
    expect(parseReport(Buffer.from('id:12', 'latin1')).messageId).toBe('');
    expect(nameReportCode(parseReport(spell(' stat:mk:1 err:E text:')))).toBe('MK:1:E');
  });
});

describe('the statuses of SMGP', () => {
  it.each([
    [0, 'accepted'],
    [1, 'throttled'],
    [2, 'session'],
    [12, 'unknown'],
    [21, 'session'],
    [43, 'configuration'],
    [47, 'refused'],
    [74, 'refused'],
    [200, 'refused'],
  ])('class %i as %s', (status, name) => {
    expect(classifyResult(RESULTS, status)).toBe(name);
  });
});
