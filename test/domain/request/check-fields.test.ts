import { type TSchema, Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { SmppConfigSchema } from '../../../src/channels/smpp/config.js';
import { ChannelFields } from '../../../src/domain/entities/channel.js';
import { CustomerFields } from '../../../src/domain/entities/customer.js';
import { closedObject } from '../../../src/domain/entities/fields.js';
import { FirmFields } from '../../../src/domain/entities/firm.js';
import { RateFields } from '../../../src/domain/entities/rate.js';
import { ServiceAccountFields } from '../../../src/domain/entities/service-account.js';
import { TemplateFields } from '../../../src/domain/entities/template.js';
import { WebhookFields } from '../../../src/domain/entities/webhook.js';
import { MAX_MONEY, MAX_UNIT_PRICE } from '../../../src/domain/money/money.js';
import { checkFields } from '../../../src/domain/request/check-fields.js';
import { explainPattern } from '../../../src/domain/request/text-forms.js';

function faultsOf(schema: TSchema, body: object): readonly string[] {
  const { faults = [] } = checkFields(schema, body, { defaults: true });
  return faults.map(({ pointer, code, message }) => `${pointer} ${code}: ${message}`);
}

test('what is wrong with a field is said in words', () => {
  const customer = { name: 'Acme', unit_price: '0.05' };
  expect(faultsOf(CustomerFields, { ...customer, currency: 'euro' })).toEqual([
    '/currency format: must be three capital letters, such as EUR',
  ]);
  expect(faultsOf(CustomerFields, { ...customer, unit_price: '0,05', daily_limit: '-1', name: '' })).toEqual([
    '/name too_short: must have at least 1 character',
    '/unit_price format: must be a decimal with at most six digits after the point, such as 0.05',
    '/daily_limit out_of_range: must be from 0 to 9223372036854.775807',
  ]);
  expect(faultsOf(ChannelFields, { name: 'Carrier', kind: 'smpp', firms: [], config: {} })).toEqual([
    '/firms too_few: must have at least 1 entry',
  ]);
  expect(faultsOf(FirmFields, { firm: 'a b', prefixes: ['0123'] })).toEqual([
    '/firm format: must be letters, digits, dots, dashes and underscores, and begin with a letter or a digit',
    '/prefixes/0 format: must be the first digits of international numbers, such as 86138',
  ]);
});

test('no price is so high that the price of a task is not an amount any more', () => {
  const prices = (unit_price: string) => faultsOf(RateFields, { firm: 'cmcc', unit_price });
  expect(prices('1000000')).toEqual([]);
  expect(prices('1000000.000001')).toEqual(['/unit_price out_of_range: must be from 0 to 1000000.000000']);
  expect(faultsOf(CustomerFields, { name: 'Acme', unit_price: '9223372036854.775807' })).toHaveLength(1);
  expect(5000n * 255n * MAX_UNIT_PRICE).toBeLessThan(MAX_MONEY);
});

test('the fault of an unknown field names the known ones', () => {
  expect(faultsOf(closedObject({ from: Type.String(), to: Type.String() }), { from: '1', to: '2', via: '3' })).toEqual([
    '/via unknown_field: is not known here; known are: from, to',
  ]);
  expect(faultsOf(closedObject({}), { via: '3' })).toEqual([
    '/via unknown_field: is not known here; there are no fields',
  ]);
});

test('a value may be of one type or another, and is checked as what it is', () => {
  const time = closedObject({ from: Type.Union([Type.String({ maxLength: 3 }), Type.Integer({ minimum: 0 })]) });
  expect(faultsOf(time, { from: 'abc' })).toEqual([]);
  expect(faultsOf(time, { from: 5 })).toEqual([]);
  expect(faultsOf(time, { from: 'abcd' })).toEqual(['/from too_long: has 4 characters; at most 3 are allowed']);
  expect(faultsOf(time, { from: -1 })).toEqual(['/from out_of_range: must be at least 0']);
  expect(faultsOf(time, { from: true })).toEqual(['/from type: must be a string or a whole number']);
  expect(faultsOf(time, { from: null })).toEqual(['/from type: must be a string or a whole number']);
});

test('every pattern of a body has its words', () => {
  const schemas = [CustomerFields, FirmFields, ServiceAccountFields, TemplateFields, ChannelFields, WebhookFields];
  const patterns = [...schemas, SmppConfigSchema].flatMap((schema) =>
    [...JSON.stringify(schema).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']): string =>
      JSON.parse(text),
    ),
  );
  expect(patterns.length).toBeGreaterThan(5);
  expect(patterns.filter((pattern) => explainPattern(pattern) === undefined)).toEqual([]);
});
