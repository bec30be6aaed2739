// A call to a webhook as the service makes it, for the receivers among the examples of the SDKs.

import { createHmac } from 'node:crypto';

const KEY = '0123456789abcdef0123456789abcdef';
export const WEBHOOK_SECRET = `whsec_${Buffer.from(KEY).toString('base64')}`;

const receipt = { phone: '13800138000', result: 'delivered', charged: '0.050000', parts: 1, seq: 1 };
const BODY = JSON.stringify({ type: 'receipts', timestamp: '2026-11-15T00:00:00.000Z', data: { items: [receipt] } });

/** What the receivers print of it. */
export const PRINTED = 'msg_1 13800138000 delivered 0.050000';

/** Signed with the secret; `spoil` changes the body behind the back of the signature. Returns the status. */
export async function callWebhook(port: string | undefined, spoil = ''): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', KEY).update(`msg_1.${timestamp}.${BODY}`).digest('base64')}`,
  };
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: BODY + spoil })).status;
}
