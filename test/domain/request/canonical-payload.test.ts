import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalPayload } from '../../../src/domain/request/canonical-payload.js';
import { checkSendRequest } from '../../../src/domain/request/send-request.js';

const canonical = (body: unknown, serviceAccountNo = 'A1'): string => {
  const check = checkSendRequest(body);
  if (!check.ok) throw new Error(JSON.stringify(check.faults));
  return canonicalPayload(check.request, serviceAccountNo);
};
const base = { template_no: 'T1', phones: ['1', '2'] };

test('the form is pinned: it is hashed and kept for ever', () => {
  const body = {
    ...base,
    target_firms: ['cmcc'],
    variable_values: { p3: 'c', p1: 'a' },
    client_request_id: 'x',
    auto_freeze: true,
  };
  expect(canonical(body)).toBe('[1,"T1","A1",["cmcc"],true,true,false,["a",null,"c"],["1","2"],null]');
  const recipients = [{ phone: '1', variable_values: ['a'] }, { phone: '2' }];
  expect(canonical({ template_no: 'T1', recipients })).toBe(
    '[1,"T1","A1",[],true,false,false,[],["1","2"],[["a"],[]]]',
  );
  expect(canonical({ ...base, batch_id: 'b' })).toBe(
    '[1,"T1","A1",[],true,false,false,[],["1","2"],null,{"batch_id":"b"}]',
  );
});

describe('the same payload', () => {
  test.each<[string, unknown]>([
    ['with keys in another order', { phones: ['1', '2'], template_no: 'T1' }],
    ['with its defaults spelled out', { ...base, auto_prepare: true, auto_freeze: false, auto_submit: false }],
    ['with empty variables', { ...base, variable_values: {} }],
    ['with an empty array of variables', { ...base, variable_values: [] }],
    ['with an id', { ...base, client_request_id: 'order-1' }],
  ])('%s', (_name, body) => {
    expect(canonical(body)).toBe(canonical(base));
  });

  test('in either form of variables', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()), { maxLength: 18 }), (values) => {
        const entries = values.map((value, at) => [`p${at + 1}`, value] as const).reverse();
        const dictionary = Object.fromEntries(entries);
        expect(canonical({ ...base, variable_values: dictionary })).toBe(
          canonical({ ...base, variable_values: values }),
        );
        const recipients = (variables: unknown): unknown => ({
          template_no: 'T1',
          recipients: [{ phone: '1', variable_values: variables }],
        });
        expect(canonical(recipients(dictionary))).toBe(canonical(recipients(values)));
      }),
    );
  });
});

describe('another payload', () => {
  test.each<[string, unknown]>([
    ['another template', { ...base, template_no: 'T2' }],
    ['another order of phones', { ...base, phones: ['2', '1'] }],
    ['another spelling of a phone', { ...base, phones: ['1', ' 2'] }],
    ['a variable', { ...base, variable_values: ['x'] }],
    ['an empty variable', { ...base, variable_values: [''] }],
    ['the text null for a variable', { ...base, variable_values: { p1: 'null', p2: 'x' } }],
    ['a gap before a variable', { ...base, variable_values: { p2: 'x' } }],
    ['a firm', { ...base, target_firms: ['cmcc'] }],
    ['a batch', { ...base, batch_id: 'b' }],
    ['a time to send at', { ...base, send_at: '2026-11-15T09:00:00+08:00' }],
    ['a time to end at', { ...base, expires_at: '2026-11-15T09:00:00+08:00' }],
    ['freezing', { ...base, auto_freeze: true }],
    ['per-number mode', { template_no: 'T1', recipients: [{ phone: '1' }, { phone: '2' }] }],
  ])('%s', (_name, body) => {
    expect(canonical(body)).not.toBe(canonical(base));
  });

  test('from another service account', () => {
    expect(canonical(base, 'A2')).not.toBe(canonical(base, 'A1'));
  });
});
