import { expect, test } from 'vitest';
import { nameField } from '../../packages/console/src/pages/operator/audit/field-names.js';
import { showChange } from '../../packages/console/src/pages/operator/audit/show-change.js';
import { allWords, type Word } from '../../packages/console/src/words/all-words.js';
import { ChannelFields } from '../../src/domain/entities/channel.js';
import { CredentialFields } from '../../src/domain/entities/credential.js';
import { CustomerFields, NewCustomerFields } from '../../src/domain/entities/customer.js';
import { FilingFields } from '../../src/domain/entities/filing.js';
import { FirmFields } from '../../src/domain/entities/firm.js';
import { OperatorFields } from '../../src/domain/entities/operator.js';
import { RateFields } from '../../src/domain/entities/rate.js';
import { ServiceAccountFields } from '../../src/domain/entities/service-account.js';
import { ReviewFields, TemplateFields } from '../../src/domain/entities/template.js';
import { OperatorUserFields } from '../../src/domain/entities/user.js';
import { WebhookFields } from '../../src/domain/entities/webhook.js';

test('a change of the audit log is shown field by field, with what was there before where that is known', () => {
  expect(
    showChange({ status: { before: 'active', after: 'suspended' }, daily_limit: { before: null, after: '5' } }),
  ).toBe('status: active → suspended · daily_limit: – → 5');
  expect(showChange({ name: 'Acme', ip_allow: [], scopes: ['read', 'send'], policy: { submit: 'manual' } })).toBe(
    'name: Acme · ip_allow: – · scopes: read, send · policy.submit: manual',
  );
  expect(showChange({})).toBe('');
});

test('of an object that was changed the fields that differ are shown', () => {
  const before = { submit: 'manual', freeze: 'always', window: { from: 1, until: 2 } };
  const after = { submit: 'always', freeze: 'always', window: { from: 1, until: 3 } };
  expect(showChange({ policy: { before, after } })).toBe('policy.submit: manual → always · policy.window.until: 2 → 3');
  expect(showChange({ policy: { before: null, after: { submit: 'always' } } })).toBe('policy.submit: – → always');
  expect(showChange({ firms: { before: null, after: ['a', 'b'] } })).toBe('firms: – → a, b');
});

test('a list of objects is shown without its brackets, and a moment as the viewer has it', () => {
  expect(showChange({ rules: [{ code: 'A', wait: 1 }, { code: 'B' }], none: {} })).toBe(
    'rules: code: A, wait: 1; code: B · none: –',
  );
  const change = { send_at: { before: '2026-11-17T08:00:00.000Z', after: null }, day: '2026-11-17' };
  expect(showChange(change, (at) => `at ${at.slice(11, 16)}`)).toBe('send_at: at 08:00 → – · day: 2026-11-17');
});

test('every field that an operator can write has a name', () => {
  const written = [
    ...[CustomerFields, NewCustomerFields, ChannelFields, CredentialFields, TemplateFields, ServiceAccountFields],
    ...[FirmFields, RateFields, FilingFields, ReviewFields, WebhookFields, OperatorFields, OperatorUserFields],
  ].flatMap(({ properties }) => Object.keys(properties));
  expect(written.length).toBeGreaterThan(60);
  const say = (word: Word) => allWords[word][0];
  // Objects are spread: their fields have names.
  const spread = ['policy', 'config'];
  expect(written.filter((name) => !spread.includes(name) && nameField(say, name) === undefined)).toEqual([]);
  expect(nameField(say, 'upstream_codes.H1')).toBe('Template code at the carrier H1');
  expect(nameField(say, 'config.answer_ms')).toBe('answer_ms');
  expect(nameField(say, 'nonsense.of')).toBeUndefined();
});
