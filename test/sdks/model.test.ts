// What the SDKs are generated from is the whole customer API, and every name in it leads somewhere.

import { expect, test } from 'vitest';
import { customerApi } from '../client/wire-types.js';
import { createApiModel, type FieldType, toCamelCase, toSnakeCase } from './model.js';

const model = createApiModel();

function namesIn(type: FieldType): string[] {
  switch (type.kind) {
    case 'enum':
    case 'record':
      return [type.name];
    case 'list':
      return namesIn(type.of);
    case 'map':
      return [...(type.keys === null ? [] : [type.keys]), ...namesIn(type.of)];
    case 'either':
      return type.of.flatMap(namesIn);
    default:
      return [];
  }
}

test('every operation has a method of its own name', () => {
  expect(model.methods.map(({ operation }) => operation)).toEqual(customerApi.operations.map(({ name }) => name));
  expect(new Set(model.methods.map(({ name }) => name)).size).toBe(model.methods.length);
});

test('every name is declared once', () => {
  const { enums, models, bodies, filters, methods, webhookMessages } = model;
  const declared = [...enums, ...models, ...bodies, ...filters].map(({ name }) => name);
  expect(declared.filter((name, at) => declared.indexOf(name) !== at)).toEqual([]);
  const fields = [...models, ...bodies, ...filters].flatMap((one) => one.fields);
  const used = [
    ...fields.flatMap(({ type }) => namesIn(type)),
    ...methods.flatMap(({ answer, filters: of, body }) => [
      answer,
      ...(of === null ? [] : [of]),
      ...(body === null ? [] : [body.name]),
    ]),
    ...webhookMessages.map(({ data }) => data),
  ];
  expect(used.filter((name) => !declared.includes(name))).toEqual([]);
});

test('every amount is a decimal, in answers of every depth', () => {
  const amounts =
    /^(amount|price|unit_price|charged|frozen|available|held|released|refunded|credit_limit|daily_limit)$/;
  const wrong = model.models.flatMap(({ name, fields }) =>
    fields
      .filter((field) => amounts.test(field.name) && field.type.kind !== 'decimal')
      .map((field) => [name, field.name]),
  );
  expect(wrong).toEqual([]);
});

test('names of methods can be written in snake case and back', () => {
  expect(toSnakeCase('resendWebhookAttempt')).toBe('resend_webhook_attempt');
  for (const { name } of model.methods) expect(toCamelCase(toSnakeCase(name))).toBe(name);
});
