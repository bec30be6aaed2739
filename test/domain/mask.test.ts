import { expect, test } from 'vitest';
import { maskAnswer, maskPhone, maskText } from '../../src/domain/access/mask.js';

test.each([
  ['13800139001', '138****9001'],
  ['+8613800139001', '+86138****9001'],
  ['138-0013-9001', '138-****-9001'],
  ['(138) 0013 9001', '(138) **** 9001'],
  ['１３８００１３９００１', '１３８****９００１'],
  ['12345678', '****5678'],
  ['1234567', '1****67'],
  ['10086', '10086'],
  ['nonsense', 'nonsense'],
  ['erased-0123456789abcdef', 'erased-0123456789abcdef'],
])('the number %s is shown as %s', (phone, masked) => {
  expect(maskPhone(phone)).toBe(masked);
});

test.each([
  ['Call 13800139001 now', 'Call 138****9001 now'],
  ['您的号码13800139001已开通', '您的号码138****9001已开通'],
  ['tel13800139001,+8613900139002;', 'tel138****9001,+86139****9002;'],
  ['138 0013 9001 or 138-0013-9001', '138 **** 9001 or 138-****-9001'],
  ['Your code is 123456, valid on 2026-11-17 at 14:40', 'Your code is 123456, valid on 2026-11-17 at 14:40'],
  ['T0123456789012 of 20 numbers', 'T0123456789012 of 20 numbers'],
  ['12345678.500000,-1234567.000000', '12345678.500000,-1234567.000000'],
])('the text %j is shown as %j', (text, masked) => {
  expect(maskText(text)).toBe(masked);
});

test('a record keeps what is no phone number', () => {
  const at = new Date();
  const kept = {
    task_no: 'T0123456789012',
    api_key: 'pk_13800139001',
    amount: '12345678.500000',
    done_at: '2026-11-17T14:40:00.000Z',
    at,
    total: 13800139001,
    client_request_id: '1731853200000',
    sender: '106900012345',
    prefixes: ['8613800'],
    isTest: true,
    none: null,
  };
  expect(maskAnswer(kept)).toEqual(kept);
});

test('a record is masked at any depth, and in fields that are not known', () => {
  const shown = {
    items: [{ phone: '13800139001', anything: { text: 'to 13800139001' }, client_request_id: 'otp-13800139001' }],
    phones: ['13800139001'],
    uplink: { sender: '+8613800139001', recipient: '10690001234' },
  };
  expect(JSON.stringify(maskAnswer(shown))).not.toContain('00139001');
});
