// The presets are valid, complete but for their secrets, and as the guide lists them.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { httpDriver } from '../../../src/channels/http-upstream/driver.js';
import { HTTP_PRESETS } from '../../../src/channels/http-upstream/presets.js';
import { applyPreset } from '../../../src/cli/channel-preset.js';

const guide = readFileSync(new URL('../../../docs/guides/http-upstreams.md', import.meta.url), 'utf8');
const secretsOf = (name: string) =>
  Object.fromEntries(Object.keys(HTTP_PRESETS[name]?.secrets ?? {}).map((secret) => [secret, 'value']));

it.each(Object.keys(HTTP_PRESETS))('%s is valid with its secrets, and names each that it uses', (preset) => {
  const body = applyPreset({ preset, secrets: JSON.stringify(secretsOf(preset)), name: 'x', firms: ['cmcc'] });
  expect(body).toMatchObject({ kind: 'http', name: 'x' });
  expect(httpDriver.check(body.config as Record<string, unknown>)).not.toHaveProperty('faults');
});

it('asks for secrets that are missing, without repeating what was given', () => {
  expect(() => applyPreset({ preset: 'vonage', secrets: '{"api_key":"hush"}' })).toThrow(/api_secret \(API secret\)/);
  expect(() => applyPreset({ preset: 'vonage', secrets: 'hush' })).toThrow(/must be a JSON object/);
});

it('lets the given configuration override the preset, and leaves other bodies alone', () => {
  const body = applyPreset({ preset: 'message-centre', config: { concurrency: 3 } });
  expect(body.config).toMatchObject({ concurrency: 3, url: 'http://127.0.0.1:8090/messages' });
  expect(applyPreset({ name: 'sim', kind: 'simulator' })).toEqual({ name: 'sim', kind: 'simulator' });
});

it('is listed in the guide', () => {
  const rows = Object.entries(HTTP_PRESETS).map(([name, { provider, secrets }]) => {
    const needed = Object.entries(secrets).map(([secret, what]) => `\`${secret}\` (${what})`);
    return `| \`${name}\` | ${provider} | ${needed.join(', ') || 'none'} |`;
  });
  expect(guide.split('\n').filter((line) => rows.includes(line))).toEqual(rows);
});

it.each([
  [
    'twilio',
    'reports',
    'MessageSid=SM1&MessageStatus=delivered&To=%2B15550001111',
    { messageId: 'SM1', status: 'delivered', phone: '15550001111' },
  ],
  [
    'vonage',
    'reports',
    '{"msisdn":"447700900000","client-ref":"1.2.3.1","status":"expired","err-code":"1"}',
    { messageId: '1.2.3.1', status: 'undelivered', code: '1' },
  ],
  [
    'telnyx',
    'reports',
    '{"data":{"payload":{"id":"40385f64","to":[{"phone_number":"+18665550001","status":"delivered"}]}}}',
    { messageId: '40385f64', status: 'delivered' },
  ],
  [
    'sinch',
    'reports',
    '{"batch_id":"01J","recipient":"447","status":"Dispatched","code":401}',
    { messageId: '01J', status: 'intermediate', code: '401' },
  ],
  [
    'infobip',
    'reports',
    '{"results":[{"messageId":"m","to":"417","status":{"groupName":"DELIVERED"},"error":{"name":"NO_ERROR"}}]}',
    { messageId: 'm', status: 'delivered' },
  ],
  [
    'plivo',
    'uplinks',
    'From=15551112222&To=15553334444&Text=STOP',
    { from: '15551112222', to: '15553334444', text: 'STOP' },
  ],
] as const)('%s reads the %s that its provider documents', (preset, kind, body, feedback) => {
  const config = { ...HTTP_PRESETS[preset]?.config, secrets: secretsOf(preset) };
  expect(httpDriver.readCallback?.(config, kind, { body: Buffer.from(body), query: '' })).toMatchObject([feedback]);
});
