import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReceipt, parseReceipt } from '../../../src/channels/smpp/receipt.js';

const RECEIPT = 0x04;
const STANDARD =
  'id:0123456789 sub:001 dlvrd:001 submit date:2611140930 done date:2611140931 stat:DELIVRD err:000 text:Hello there';

const parse = (text: string, tlvs = {}, esmClass = RECEIPT) => parseReceipt(esmClass, tlvs, text, 0);

describe('a delivery receipt', () => {
  it('is recognised by parameter or by message type', () => {
    expect(isReceipt(0, { receipted_message_id: '1' }, '', 'marked')).toBe(true);
    expect(isReceipt(0, { receipted_message_id: '1' }, 'id:1 stat:DELIVRD', 'marked')).toBe(true);
    expect(isReceipt(0, { message_state: 2 }, '', 'marked')).toBe(true);
    expect(isReceipt(RECEIPT, {}, '', 'marked')).toBe(true);
    expect(isReceipt(0x20, {}, '', 'marked')).toBe(true);
    expect(isReceipt(0x40, {}, 'hello', 'marked')).toBe(false);
  });

  it('is not recognised by its text, which a handset can write too, unless the carrier marks none', () => {
    expect(isReceipt(0, {}, STANDARD, 'marked')).toBe(false);
    expect(isReceipt(0, {}, STANDARD, 'by_text')).toBe(true);
    expect(isReceipt(0, {}, 'my id: 7 please', 'by_text')).toBe(false);
  });

  it('is not a message with an id and no state: that is a reply', () => {
    expect(isReceipt(0, { receipted_message_id: '1' }, 'thank you', 'marked')).toBe(false);
  });

  it('is read from the text of the specification', () => {
    expect(parse(STANDARD)).toEqual({
      messageId: '0123456789',
      status: 'delivered',
      code: 'DELIVRD',
      doneAt: new Date('2026-11-14T09:31:00Z'),
    });
  });

  it('believes parameters before the text', () => {
    const tlvs = { receipted_message_id: 'AB12', message_state: 5, network_error_code: Buffer.of(3, 0, 42) };
    expect(parse(STANDARD, tlvs)).toMatchObject({ messageId: 'AB12', status: 'undelivered', code: 'DELIVRD:42' });
    expect(parse('', tlvs)).toMatchObject({ messageId: 'AB12', status: 'undelivered', code: 'UNDELIV:42' });
    expect(parse('id:7 stat:EXPIRED', { message_state: 99 })).toMatchObject({ messageId: '7', status: 'expired' });
  });

  it.each([
    ['stat:DELIVRD id:7 done date:261114093105', '7', 'delivered', 'DELIVRD', '2026-11-14T09:31:05Z'],
    [
      'id:7 submitdate:2611140930 donedate:2611140931 stat:UNDELIV err:045',
      '7',
      'undelivered',
      'UNDELIV:045',
      '2026-11-14T09:31:00Z',
    ],
    ['ID:ab-CD STAT:FAILED ERR:9', 'ab-CD', 'undelivered', 'FAILED:9', undefined],
    [
      'id:550e8400-e29b-41d4-a716-446655440000 stat:REJECTD',
      '550e8400-e29b-41d4-a716-446655440000',
      'rejected',
      'REJECTD',
      undefined,
    ],
    ['id: 7 stat: EXPIRED', '7', 'expired', 'EXPIRED', undefined],
    ['id:7 sub: dlvrd: submit date: done date: stat:DELIVRD err: text:', '7', 'delivered', 'DELIVRD', undefined],
    ['id:7 stat:ENROUTE', '7', 'intermediate', 'ENROUTE', undefined],
    ['id:7 stat:ACCEPTD', '7', 'intermediate', 'ACCEPTD', undefined],
    ['id:7 stat:DELETED', '7', 'undelivered', 'DELETED', undefined],
    ['id:7 stat:DELIVERED done date:20261114093105', '7', 'delivered', 'DELIVERED', '2026-11-14T09:31:05Z'],
    ['id:7 stat:SOMETHING', '7', 'intermediate', 'SOMETHING', undefined],
    ['stat:DELIVRD', '', 'delivered', 'DELIVRD', undefined],
    ['id:7 done date:9999999999 stat:DELIVRD', '7', 'delivered', 'DELIVRD', undefined],
    ['', '', 'intermediate', 'UNKNOWN', undefined],
    ['text:stat:NONE id:7 stat:DELIVRD', '7', 'intermediate', 'NONE', undefined],
  ] as const)('is read however it is written: %s', (text, messageId, status, code, doneAt) => {
    expect(parse(text)).toEqual({
      messageId,
      status,
      code,
      doneAt: doneAt === undefined ? undefined : new Date(doneAt),
    });
  });

  it('is not taken in by the text of the message', () => {
    expect(parse('id:7 stat:UNDELIV err:001 text:id:8 stat:DELIVRD err:000')).toMatchObject({
      messageId: '7',
      status: 'undelivered',
      code: 'UNDELIV:001',
    });
  });

  it('is not final while the carrier calls it a notification, unless it is delivered', () => {
    expect(parse('id:7 stat:UNDELIV', {}, 0x20).status).toBe('intermediate');
    expect(parse('id:7 stat:DELIVRD', {}, 0x20).status).toBe('delivered');
  });

  it('has its time in the carrier’s zone', () => {
    expect(parseReceipt(RECEIPT, {}, STANDARD, 480).doneAt).toEqual(new Date('2026-11-14T01:31:00Z'));
  });

  it('never fails, whatever the text', () => {
    const labels = fc.constantFrom(
      'id:',
      'stat:',
      'err:',
      'done date:',
      'text:',
      'sub:',
      ' ',
      ':',
      '7',
      'DELIVRD',
      '\0',
      '€',
    );
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 30 }), (words) => {
        expect(parse(words.join('')).code).not.toBe('');
      }),
    );
  });
});
