import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../src/index.js';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDGtTSQ4DN5Nw=';
const old = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789AB';
const body = JSON.stringify({
  type: 'receipts',
  timestamp: '2026-11-14T23:57:01.000Z',
  data: { items: [{ phone: '你好' }] },
});
const at = new Date('2026-11-14T23:57:02Z');
const now = () => at.getTime();

function headersBy(...secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at.getTime() / 1000),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign('msg_1', at, body)).join(' '),
  };
}

describe('verifying a webhook', () => {
  it('takes what the library of the specification signed, with headers of any form', async () => {
    const { id, message } = await verifyWebhook(secret, { headers: headersBy(secret), body }, { now });
    expect({ id, message }).toEqual({ id: 'msg_1', message: JSON.parse(body) });
    await verifyWebhook(secret, { headers: new Headers(headersBy(secret)), body }, { now });
  });

  it('takes either secret during a rotation', async () => {
    for (const one of [secret, old]) await verifyWebhook(one, { headers: headersBy(secret, old), body }, { now });
  });

  it.each([
    ['another secret', { headers: headersBy(old), body }, now, 'no signature is by this secret'],
    ['a changed body', { headers: headersBy(secret), body: `${body} ` }, now, 'no signature is by this secret'],
    ['a changed id', { headers: { ...headersBy(secret), 'webhook-id': 'msg_2' }, body }, now, 'no signature'],
    ['an old call', { headers: headersBy(secret), body }, () => now() + 301_000, 'too far from now'],
    ['a call from the future', { headers: headersBy(secret), body }, () => now() - 301_000, 'too far from now'],
    ['no time', { headers: { ...headersBy(secret), 'webhook-timestamp': 'now' }, body }, now, 'too far from now'],
    ['no signature', { headers: { ...headersBy(secret), 'webhook-signature': '' }, body }, now, 'is missing'],
    [
      'garbage',
      { headers: { ...headersBy(secret), 'webhook-signature': 'v1,@@@ v2,x v1 ,' }, body },
      now,
      'no signature',
    ],
  ])('refuses %s', async (_, delivery, clock, reason) => {
    const verified = verifyWebhook(secret, delivery, { now: clock });
    await expect(verified).rejects.toThrow(WebhookVerificationError);
    await expect(verifyWebhook(secret, delivery, { now: clock })).rejects.toThrow(reason);
  });

  it('says when the secret is none', async () => {
    await expect(verifyWebhook('sk_x', { headers: headersBy(secret), body }, { now })).rejects.toThrow('whsec_');
  });
});
