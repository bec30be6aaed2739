// Signs a request, sends one message and waits for its receipt. Node 22.18 or later, no dependency; send.mjs is the same for Node 20.
// For programs there is @postrider/client, which does this and retries; this shows what it does.

import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export function sign(secret: string, method: string, target: string, timestamp: string, body: string): string {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret).update(`${method}\n${target}\n${timestamp}\n${bodyHash}`).digest('hex');
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

async function call(method: string, target: string, body = ''): Promise<Record<string, unknown>> {
  const timestamp = String(Date.now());
  const response = await fetch((process.env.POSTRIDER_URL ?? 'http://127.0.0.1:8080') + target, {
    method,
    // The bytes that were signed are the bytes that are sent: the body is made once.
    ...(body === '' ? {} : { body }),
    headers: {
      'Content-Type': 'application/json',
      'X-API-Key': setting('POSTRIDER_API_KEY'),
      'X-Timestamp': timestamp,
      'X-Sign': sign(setting('POSTRIDER_API_SECRET'), method, target, timestamp, body),
    },
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return JSON.parse(answer) as Record<string, unknown>;
}

async function main(phone: string): Promise<void> {
  const request = {
    template_no: setting('POSTRIDER_TEMPLATE_NO'),
    phones: [phone],
    variable_values: { p1: 'Ann' },
    // A new id for each run of this example. Your program keeps one for each business request
    // before it sends: sent again, it finds the task that is there.
    client_request_id: `typescript-${randomUUID()}`,
    auto_freeze: true,
    auto_submit: true,
  };
  const task = await call('POST', '/openapi/v1/messages/send/', JSON.stringify(request));
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const { items } = await call('GET', `/openapi/v1/messages/receipts/?task_no=${task.task_no}`);
    const [receipt] = items as { result: string; code: string | null }[];
    if (receipt !== undefined) {
      process.stdout.write(`${task.task_no} ${phone} ${receipt.result} ${receipt.code}\n`);
      return;
    }
    await sleep(1000);
  }
  throw new Error(`no receipt yet for ${task.task_no}`);
}

const secret = 'sk_test_0123456789abcdef';
const [argument, ...others] = process.argv.slice(2);
if (argument === undefined || others.length > 0) {
  process.stderr.write('Usage: node send.mjs PHONE | --vectors\n');
  process.exitCode = 2;
} else if (argument === '--vectors') {
  const get = sign(secret, 'GET', '/openapi/v1/messages/tasks/?page=1&page_size=20', '1794700800000', '');
  const body = '{"template_no":"T1","phones":["13800138000"]}';
  const post = sign(secret, 'POST', '/openapi/v1/messages/send/', '1794700800000', body);
  process.stdout.write(`${get}\n${post}\n`);
} else {
  await main(argument).catch((error: Error) => {
    process.stderr.write(`${error.cause === undefined ? error.message : 'the service cannot be reached'}\n`);
    process.exitCode = 1;
  });
}
