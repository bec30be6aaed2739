import fc from 'fast-check';
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
  ['(138) 1234-9001', '(138) ****-9001'],
  ['138.1234.9001', '138.****.9001'],
  ['138–1234–9001, 138—1234—9001', '138–****–9001, 138—****—9001'],
  ['138\u00a01234\u00a09001', '138\u00a0****\u00a09001'],
  ['138 1234\n9001', '138 ****\n9001'],
  ['１３８－１２３４－９００１', '１３８－****－９００１'],
  ['138 1234 9001 139 1234 9002', '138 **** 9001 139 **** 9002'],
  ['13812349001 13912349002', '138****9001 139****9002'],
  ['13812349001\n13912349002\n', '138****9001\n139****9002\n'],
  ['138-1234-9001-139-1234-9002', '138-****-9001-139-****-9002'],
  ['1381234900113912349002', '******************9002'],
  ['Order 4711 13812349001', 'Order 4711 138****9001'],
  ['+44 20 7946 0958', '+44 20 **** 0958'],
  ['06 12 34 56 78', '06 ** ** 56 78'],
  ['(415) 555-2671 (415) 555-2672', '(41*) ***-2671 (41*) ***-2672'],
  ['from 192.168.100.200 on 14.11.2026', 'from 192.168.100.200 on 14.11.2026'],
  ['2026-11-14 18:00 to 2026-11-15 09:00', '2026-11-14 18:00 to 2026-11-15 09:00'],
  ['sale of 20261114, 20261114180000', 'sale of 20261114, 20261114180000'],
  ['0f8fad5b-1234-4567-8901-123456789012', '0f8fad5b-1234-4567-8901-123456789012'],
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

test('a Chinese mobile is masked in any spelling, also beside others', () => {
  const digits = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });
  const number = fc.tuple(fc.constantFrom('138', '199', '156'), digits(4), digits(4));
  const between = fc.constantFrom('', ' ', '-', '.', '–', '\u00a0', '\n', ') ', '·');
  const apart = fc.constantFrom(' ', ', ', '\n', ' or ', '; +86', ' / ');
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 4 }), between, apart, (numbers, separator, gap) => {
      const text = numbers.map((groups) => groups.join(separator)).join(gap);
      const shown = numbers.map(([first, , last]) => [first, '****', last].join(separator)).join(gap);
      expect(maskText(text)).toBe(shown);
    }),
  );
});

test.each([
  ['spring-20261114', 'spring-20261114'],
  ['order-100200300', 'order-100200300'],
  ['1731853200000', '1731853200000'],
  ['2026-11-14/0001-0002-0003', '2026-11-14/0001-0002-0003'],
  ['98765432109876543210', '98765432109876543210'],
  ['otp-13800139001', 'otp-138****9001'],
  ['otp-8613800139001-1', 'otp-86138****9001-1'],
  ['otp-447400123456', 'otp-4474****3456'],
  ['otp-138-0013-9001', 'otp-138-****-9001'],
])('the identifier %s is shown as %s', (id, masked) => {
  expect(maskAnswer({ batch_id: id, client_request_id: id })).toEqual({ batch_id: masked, client_request_id: masked });
});

test('a record is masked at any depth, and in fields that are not known', () => {
  const shown = {
    items: [{ phone: '13800139001', anything: { text: 'to 13800139001' }, client_request_id: 'otp-13800139001' }],
    phones: ['13800139001'],
    uplink: { sender: '+8613800139001', recipient: '10690001234' },
  };
  expect(JSON.stringify(maskAnswer(shown))).not.toContain('00139001');
});
