import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAULT_CODES } from '../../../src/domain/fault/fault.js';
import { VARIABLE_NAMES } from '../../../src/domain/message/template.js';
import { checkVariables } from '../../../src/domain/request/check-variables.js';
import { checkSendRequest, type SendRequest } from '../../../src/domain/request/send-request.js';
import { SendRequestSchema } from '../../../src/domain/request/send-request-schema.js';

const PHONE = '13800138000';
const minimal = { template_no: 'T1', phones: [PHONE] };
const perNumber = { template_no: 'T1', recipients: [{ phone: PHONE }] };
const many = (count: number): string[] => Array.from({ length: count }, () => PHONE);

const faultsOf = (body: unknown): string[] => {
  const check = checkSendRequest(body);
  return check.ok ? [] : check.faults.map((fault) => `${fault.pointer} ${fault.code}`);
};
const accept = (body: unknown): SendRequest => {
  const check = checkSendRequest(body);
  if (!check.ok) throw new Error(JSON.stringify(check.faults));
  return check.request;
};

describe('a request in normal form', () => {
  test('has its defaults', () => {
    expect(accept(minimal)).toEqual({
      templateNo: 'T1',
      phones: [PHONE],
      recipientVariables: undefined,
      variables: {},
      serviceAccountNo: undefined,
      targetFirms: [],
      clientRequestId: undefined,
      autoPrepare: true,
      autoFreeze: false,
      autoSubmit: false,
    });
  });

  test('keeps what was given, and the order of phones', () => {
    const body = {
      template_no: 'T1',
      phones: ['3', '1', '2', '1'],
      service_account_no: 'A1',
      target_firms: ['cmcc', 'cucc', 'cmcc'],
      variable_values: ['Ann', 5.1],
      client_request_id: 'order-1',
      auto_prepare: true,
      auto_freeze: true,
      auto_submit: true,
    };
    expect(accept(body)).toEqual({
      templateNo: 'T1',
      phones: ['3', '1', '2', '1'],
      recipientVariables: undefined,
      variables: { p1: 'Ann', p2: '5.1' },
      serviceAccountNo: 'A1',
      targetFirms: ['cmcc', 'cucc'],
      clientRequestId: 'order-1',
      autoPrepare: true,
      autoFreeze: true,
      autoSubmit: true,
    });
  });

  test('has the variables of each recipient at the position of its phone', () => {
    const recipients = [
      { phone: '1', variable_values: { p2: 'b', p1: 0 } },
      { phone: '2' },
      { phone: '3', variable_values: ['x'] },
    ];
    const request = accept({ template_no: 'T1', recipients });
    expect(request.phones).toEqual(['1', '2', '3']);
    expect(request.recipientVariables).toEqual([{ p1: '0', p2: 'b' }, {}, { p1: 'x' }]);
  });

  test('writes numbers as String() does', () => {
    const { variables } = accept({ ...minimal, variable_values: [1, -0.5, 1e21, 5.1, -0] });
    expect(variables).toEqual({ p1: '1', p2: '-0.5', p3: '1e+21', p4: '5.1', p5: '0' });
  });
});

describe('what is accepted', () => {
  test.each<[string, unknown]>([
    ['5,000 phones', { ...minimal, phones: many(5000) }],
    ['5,000 recipients', { template_no: 'T1', recipients: many(5000).map((phone) => ({ phone })) }],
    ['an empty phone: the number fails, not the request', { ...minimal, phones: [''] }],
    ['a phone that is no number', { ...minimal, phones: ['not a number'] }],
    ['a phone of 32 characters', { ...minimal, phones: ['1'.repeat(32), '😜'.repeat(32)] }],
    ['the same phone twice', { ...minimal, phones: many(2) }],
    ['an id of 64 characters', { ...minimal, client_request_id: 'x'.repeat(64) }],
    ['an id of 64 emoji: characters are code points', { ...minimal, client_request_id: '😜'.repeat(64) }],
    ['an id with spaces and Chinese', { ...minimal, client_request_id: ' 订单 1 ' }],
    [
      'all eighteen variables',
      { ...minimal, variable_values: Object.fromEntries(VARIABLE_NAMES.map((name) => [name, name])) },
    ],
    ['an array of eighteen', { ...minimal, variable_values: [...VARIABLE_NAMES] }],
    ['no variables, in either form', { ...minimal, variable_values: [] }],
    ['an empty value', { ...minimal, variable_values: { p1: '' } }],
    ['a value of 500 characters', { ...minimal, variable_values: ['x'.repeat(500), '😜'.repeat(500)] }],
    ['a value with a line break', { ...minimal, variable_values: ['a\nb'] }],
    ['no firms named', { ...minimal, target_firms: [] }],
    ['the same firm twice', { ...minimal, target_firms: ['cmcc', 'cmcc'] }],
    ['freezing with the default for preparing', { ...minimal, auto_freeze: true }],
    ['nothing automatic', { ...minimal, auto_prepare: false }],
  ])('%s', (_name, body) => {
    expect(faultsOf(body)).toEqual([]);
  });
});

describe('what is refused', () => {
  test.each<[string, unknown, string[]]>([
    ['no object', null, [' type']],
    ['an array', [minimal], [' type']],
    ['text', 'x', [' type']],
    ['nothing', undefined, [' type']],
    ['an empty object', {}, ['/template_no required', ' exactly_one_of']],

    ['template_no left out', { phones: [PHONE] }, ['/template_no required']],
    ['template_no null', { ...minimal, template_no: null }, ['/template_no type']],
    ['template_no a number', { ...minimal, template_no: 1 }, ['/template_no type']],
    ['template_no empty', { ...minimal, template_no: '' }, ['/template_no too_short']],
    ['template_no too long', { ...minimal, template_no: 'x'.repeat(65) }, ['/template_no too_long']],
    ['template_no with NUL', { ...minimal, template_no: 'a\u0000' }, ['/template_no format']],

    ['neither phones nor recipients', { template_no: 'T1' }, [' exactly_one_of']],
    ['both phones and recipients', { ...minimal, ...perNumber }, [' exactly_one_of']],
    ['phones null', { ...minimal, phones: null }, ['/phones type']],
    ['phones a string', { ...minimal, phones: PHONE }, ['/phones type']],
    ['no phones', { ...minimal, phones: [] }, ['/phones too_few']],
    ['5,001 phones', { ...minimal, phones: many(5001) }, ['/phones too_many']],
    ['a phone that is a number', { ...minimal, phones: [PHONE, 13800138000] }, ['/phones/1 type']],
    ['a phone that is null', { ...minimal, phones: [null] }, ['/phones/0 type']],
    ['a phone of 33 characters', { ...minimal, phones: ['1'.repeat(33)] }, ['/phones/0 too_long']],
    ['a phone with NUL', { ...minimal, phones: ['1\u0000'] }, ['/phones/0 format']],
    ['a phone with half a pair', { ...minimal, phones: ['\ud83d'] }, ['/phones/0 format']],

    ['recipients null', { template_no: 'T1', recipients: null }, ['/recipients type']],
    ['no recipients', { template_no: 'T1', recipients: [] }, ['/recipients too_few']],
    [
      '5,001 recipients',
      { template_no: 'T1', recipients: many(5001).map((phone) => ({ phone })) },
      ['/recipients too_many'],
    ],
    ['a recipient that is a string', { template_no: 'T1', recipients: [PHONE] }, ['/recipients/0 type']],
    ['a recipient without phone', { template_no: 'T1', recipients: [{}] }, ['/recipients/0/phone required']],
    [
      'a recipient whose phone is null',
      { template_no: 'T1', recipients: [{ phone: null }] },
      ['/recipients/0/phone type'],
    ],
    [
      'a recipient with another field',
      { template_no: 'T1', recipients: [{ phone: PHONE, name: 'Ann' }] },
      ['/recipients/0/name unknown_field'],
    ],
    [
      'a recipient with bad variables',
      { template_no: 'T1', recipients: [{ phone: PHONE }, { phone: PHONE, variable_values: { p19: 'x' } }] },
      ['/recipients/1/variable_values/p19 unknown_variable'],
    ],
    [
      'a recipient whose variables are null',
      { template_no: 'T1', recipients: [{ phone: PHONE, variable_values: null }] },
      ['/recipients/0/variable_values type'],
    ],

    [
      'variables together with recipients',
      { ...perNumber, variable_values: {} },
      ['/variable_values not_allowed_together'],
    ],
    ['variables that are null', { ...minimal, variable_values: null }, ['/variable_values type']],
    ['variables that are text', { ...minimal, variable_values: 'x' }, ['/variable_values type']],
    ['nineteen variables', { ...minimal, variable_values: many(19) }, ['/variable_values too_many']],
    ['the variable p0', { ...minimal, variable_values: { p0: 'x' } }, ['/variable_values/p0 unknown_variable']],
    ['the variable p01', { ...minimal, variable_values: { p01: 'x' } }, ['/variable_values/p01 unknown_variable']],
    ['the variable p19', { ...minimal, variable_values: { p19: 'x' } }, ['/variable_values/p19 unknown_variable']],
    ['the variable P1', { ...minimal, variable_values: { P1: 'x' } }, ['/variable_values/P1 unknown_variable']],
    [
      'the variable __proto__',
      JSON.parse(`{"template_no":"T1","phones":["1"],"variable_values":{"__proto__":"x"}}`),
      ['/variable_values/__proto__ unknown_variable'],
    ],
    ['a value that is null', { ...minimal, variable_values: ['a', null] }, ['/variable_values/1 type']],
    ['a value that is true', { ...minimal, variable_values: { p1: true } }, ['/variable_values/p1 type']],
    ['a value that is an object', { ...minimal, variable_values: { p1: {} } }, ['/variable_values/p1 type']],
    [
      'a value that JSON reads as infinite',
      JSON.parse('{"template_no":"T1","phones":["1"],"variable_values":[1e999]}'),
      ['/variable_values/0 type'],
    ],
    [
      'a value of 501 characters',
      { ...minimal, variable_values: { p1: 'x'.repeat(501) } },
      ['/variable_values/p1 too_long'],
    ],
    ['a value of 501 emoji', { ...minimal, variable_values: ['😜'.repeat(501)] }, ['/variable_values/0 too_long']],
    ['a value with NUL', { ...minimal, variable_values: { p1: '\u0000' } }, ['/variable_values/p1 format']],

    ['an id that is null', { ...minimal, client_request_id: null }, ['/client_request_id type']],
    ['an id that is a number', { ...minimal, client_request_id: 1 }, ['/client_request_id type']],
    ['an empty id', { ...minimal, client_request_id: '' }, ['/client_request_id too_short']],
    ['an id of 65 characters', { ...minimal, client_request_id: 'x'.repeat(65) }, ['/client_request_id too_long']],
    ['an id of 65 emoji', { ...minimal, client_request_id: '😜'.repeat(65) }, ['/client_request_id too_long']],
    ['an id with a line break', { ...minimal, client_request_id: 'a\nb' }, ['/client_request_id format']],
    ['an id with DEL', { ...minimal, client_request_id: 'a\u007f' }, ['/client_request_id format']],
    ['an id with NUL: one fault', { ...minimal, client_request_id: 'a\u0000' }, ['/client_request_id format']],
    ['an id with half a pair', { ...minimal, client_request_id: '\ude1c' }, ['/client_request_id format']],

    ['auto_prepare null', { ...minimal, auto_prepare: null }, ['/auto_prepare type']],
    ['auto_freeze a string', { ...minimal, auto_freeze: 'true' }, ['/auto_freeze type']],
    ['auto_submit a number', { ...minimal, auto_freeze: true, auto_submit: 1 }, ['/auto_submit type']],
    ['freezing without preparing', { ...minimal, auto_prepare: false, auto_freeze: true }, ['/auto_freeze requires']],
    ['submitting without freezing', { ...minimal, auto_submit: true }, ['/auto_submit requires']],
    [
      'submitting and freezing without preparing',
      { ...minimal, auto_prepare: false, auto_freeze: true, auto_submit: true },
      ['/auto_freeze requires'],
    ],
    ['neither, by default', { ...minimal, auto_prepare: false, auto_submit: true }, ['/auto_submit requires']],

    ['service_account_no null', { ...minimal, service_account_no: null }, ['/service_account_no type']],
    ['service_account_no empty', { ...minimal, service_account_no: '' }, ['/service_account_no too_short']],
    [
      'service_account_no too long',
      { ...minimal, service_account_no: 'x'.repeat(65) },
      ['/service_account_no too_long'],
    ],

    ['target_firms null', { ...minimal, target_firms: null }, ['/target_firms type']],
    ['target_firms a string', { ...minimal, target_firms: 'cmcc' }, ['/target_firms type']],
    ['a firm that is null', { ...minimal, target_firms: ['cmcc', null] }, ['/target_firms/1 type']],
    ['an empty firm', { ...minimal, target_firms: [''] }, ['/target_firms/0 too_short']],
    ['a firm too long', { ...minimal, target_firms: ['x'.repeat(65)] }, ['/target_firms/0 too_long']],
    ['101 firms', { ...minimal, target_firms: many(101) }, ['/target_firms too_many']],

    ['a field that is not in the list', { ...minimal, priority: 1 }, ['/priority unknown_field']],
    ['a field with a pointer character', { ...minimal, 'a/b': 1 }, ['/a~1b unknown_field']],
    [
      'the field __proto__',
      JSON.parse('{"template_no":"T1","phones":["1"],"__proto__":{}}'),
      ['/__proto__ unknown_field'],
    ],
  ])('%s', (_name, body, faults) => {
    expect(faultsOf(body)).toEqual(faults);
  });

  test('all faults are found at once', () => {
    const body = {
      template_no: '',
      phones: ['1', 2, '1'.repeat(33)],
      client_request_id: '',
      auto_submit: true,
      extra: 1,
    };
    const expected = [
      '/extra unknown_field',
      '/template_no too_short',
      '/phones/1 type',
      '/phones/2 too_long',
      '/client_request_id too_short',
      '/auto_submit requires',
    ];
    expect(faultsOf(body)).toEqual(expected);
  });

  test('at most 20 are reported', () => {
    const numbers = Array.from({ length: 5000 }, (_, at) => at);
    expect(faultsOf({ ...minimal, phones: numbers })).toHaveLength(20);
    expect(faultsOf({ ...minimal, ...Object.fromEntries(numbers.map((at) => [`x${at}`, at])) })).toHaveLength(20);
    expect(faultsOf({ template_no: 'T1', recipients: numbers })).toHaveLength(20);
  });

  test('messages say what is allowed', () => {
    const check = checkSendRequest({ ...minimal, phones: many(5001) });
    expect(check).toMatchObject({
      ok: false,
      faults: [
        {
          pointer: '/phones',
          code: 'too_many',
          message: 'has 5001 entries; at most 5000 are allowed',
          key: 'too_many_entries',
          params: { count: 5001, max: 5000 },
        },
      ],
    });
  });
});

describe('placeholders without a value', () => {
  test('are named, at the variables that lack them', () => {
    const request = accept({ ...minimal, variable_values: { p2: 'x' } });
    expect(checkVariables(['p1', 'p2', 'p3'], request)).toEqual([
      {
        pointer: '/variable_values',
        code: 'missing_variable',
        message: 'has no value for p1, which the template uses',
        key: 'missing_variable',
        params: { name: 'p1' },
      },
      {
        pointer: '/variable_values',
        code: 'missing_variable',
        message: 'has no value for p3, which the template uses',
        key: 'missing_variable',
        params: { name: 'p3' },
      },
    ]);
  });

  test('are found for each recipient', () => {
    const recipients = [
      { phone: '1', variable_values: ['a'] },
      { phone: '2' },
      { phone: '3', variable_values: { p1: '' } },
    ];
    const faults = checkVariables(['p1'], accept({ template_no: 'T1', recipients }));
    expect(faults.map((fault) => fault.pointer)).toEqual(['/recipients/1/variable_values']);
  });

  test('are reported 20 times at most, and not where the template has none', () => {
    const request = accept({ template_no: 'T1', recipients: many(100).map((phone) => ({ phone })) });
    expect(checkVariables(['p1'], request)).toHaveLength(20);
    expect(checkVariables([], request)).toEqual([]);
  });

  test('may have more values than they need', () => {
    expect(checkVariables(['p1'], accept({ ...minimal, variable_values: ['a', 'b'] }))).toEqual([]);
  });
});

describe('whatever the body', () => {
  const fields = ['template_no', 'phones', 'recipients', 'service_account_no', 'target_firms', 'variable_values'];
  const more = [
    'client_request_id',
    'batch_id',
    'title',
    'auto_prepare',
    'auto_freeze',
    'auto_submit',
    'send_at',
    'expires_at',
    'x',
  ];
  const text = fc.string({ unit: 'binary', maxLength: 5 });
  const variables = fc.oneof(
    fc.dictionary(fc.constantFrom(...VARIABLE_NAMES, 'p0'), fc.oneof(text, fc.double())),
    fc.array(fc.oneof(text, fc.integer()), { maxLength: 20 }),
  );
  const recipient = fc.record({ phone: text, variable_values: variables }, { requiredKeys: [] });
  const value = fc.oneof(fc.jsonValue(), text, fc.boolean(), fc.array(text), fc.array(recipient), variables);
  const body = fc.dictionary(fc.constantFrom(...fields, ...more), value);

  test('checking never throws, and every fault has a pointer, a known code and a message', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), body), (any) => {
        const check = checkSendRequest(any);
        if (check.ok) return;
        expect(check.faults.length).toBeGreaterThan(0);
        expect(check.faults.length).toBeLessThanOrEqual(20);
        for (const fault of check.faults) {
          expect(fault.pointer).toMatch(/^(\/|$)/);
          expect(FAULT_CODES).toContain(fault.code);
          expect(fault.message).not.toBe('');
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('what is accepted fits the schema that the API reference shows', () => {
    const likely = fc
      .record(
        {
          service_account_no: text,
          target_firms: fc.array(text, { maxLength: 3 }),
          client_request_id: text,
          title: text,
          auto_prepare: fc.boolean(),
          auto_freeze: fc.boolean(),
          auto_submit: fc.boolean(),
        },
        { requiredKeys: [] },
      )
      .chain((common) =>
        fc
          .oneof(
            fc.record(
              { phones: fc.array(text, { maxLength: 3 }), variable_values: variables },
              { requiredKeys: ['phones'] },
            ),
            fc.record({ recipients: fc.array(recipient, { maxLength: 3 }) }),
          )
          .map((who) => ({ template_no: 'T1', ...common, ...who })),
      );
    let accepted = 0;
    fc.assert(
      fc.property(likely, (any) => {
        if (!checkSendRequest(any).ok) return;
        accepted++;
        expect(Value.Check(SendRequestSchema, any)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  test('the schema names the same fields, and its example is accepted', () => {
    expect(Object.keys(SendRequestSchema.properties).sort()).toEqual(
      [...fields, ...more].filter((name) => name !== 'x').sort(),
    );
    for (const example of SendRequestSchema.examples) expect(faultsOf(example)).toEqual([]);
  });
});
