import { expect, test } from 'vitest';
import { showChange } from '../../packages/console/src/pages/operator/show-change.js';

test('a change of the audit log is told field by field, with what was there before where that is known', () => {
  expect(
    showChange({ status: { before: 'active', after: 'suspended' }, daily_limit: { before: null, after: '5' } }),
  ).toBe('status: active → suspended · daily_limit: – → 5');
  expect(showChange({ name: 'Acme', ip_allow: [], scopes: ['read', 'send'], policy: { submit: 'manual' } })).toBe(
    'name: Acme · ip_allow: – · scopes: read, send · policy: {"submit":"manual"}',
  );
  expect(showChange({})).toBe('');
});
