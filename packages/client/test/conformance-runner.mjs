// The conformance runner of the TypeScript client: see sdks/README.md. It runs what is built.

import { createInterface } from 'node:readline';
import {
  PostriderClient,
  PostriderConnectionError,
  PostriderError,
  signRequest,
  verifyWebhook,
  WaitTimeoutError,
  WebhookVerificationError,
} from '@postrider/client';

let client;
let sleeps = [];

function createClock({ offset_ms: offsetMs = 0, sleep = 'virtual' }) {
  let sleptMs = 0;
  return {
    now: () => Math.round(Date.now() + offsetMs + sleptMs),
    sleep(delayMs, signal) {
      sleeps.push(delayMs);
      signal?.throwIfAborted();
      if (sleep === 'real') return new Promise((resolve) => setTimeout(resolve, delayMs));
      sleptMs += delayMs;
      return Promise.resolve();
    },
  };
}

const toCamelCase = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());

function openList({ list, filters = {}, page_size: pageSize }) {
  const named = Object.fromEntries(Object.entries(filters).map(([name, value]) => [toCamelCase(name), value]));
  return client[list]({ ...named, ...(pageSize === undefined ? {} : { pageSize }) });
}

const calls = {
  open({ base_url: baseUrl, api_key: apiKey, api_secret: apiSecret, timeout_ms: timeoutMs, retry, clock, random }) {
    client = new PostriderClient({
      ...{ baseUrl, apiKey, apiSecret, retry, clock: createClock(clock), random: () => random },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  },
  describe: () => ({ text: `${client} ${JSON.stringify(client)}` }),
  sign: ({ secret, method, target, timestamp_ms: timestampMs, body }) =>
    signRequest(secret, { method, target, timestampMs, body }),
  async verify_webhook({ secret, headers, body, now_ms: nowMs }) {
    const { id, message } = await verifyWebhook(secret, { headers: new Headers(headers), body }, { now: () => nowMs });
    return { id, type: message.type, items: message.data.items.length };
  },
  account: () => client.account(),
  send: ({ request }) => client.sendOrReplay(request),
  preview: ({ request }) => client.preview(request),
  find_task: ({ client_request_id: id }) => client.findTask(id),
  task: ({ task_no: taskNo }) => client.task(taskNo),
  wait_for_task: ({ task_no: taskNo, timeout_ms: timeoutMs }) => client.waitForTask(taskNo, { timeoutMs }),
  move_task: ({ task_no: taskNo, move }) => client.moveTask(taskNo, move),
  create_credential: ({ body }) => client.createCredential(body),
  page({ page, cursor, ...list }) {
    return openList(list).page(cursor === undefined ? { ...(page && { page }) } : { cursor });
  },
  async walk(list) {
    const items = [];
    for await (const item of openList(list)) items.push(item);
    return { items };
  },
  async export({ format, cursor, head = true, ...list }) {
    const file = openList(list)[format]({ ...(cursor && { cursor }), head });
    let text = '';
    for await (const piece of file) text += piece;
    return { text, rows: file.rows, cursor: file.cursor };
  },
  send_all({ request, numbers, numbers_per_task: numbersPerTask, concurrency }) {
    return client.sendAll(request, numbers, {
      ...(numbersPerTask && { numbersPerTask }),
      ...(concurrency && { concurrency }),
    });
  },
};

function describeError(error) {
  const text = `${error}\n${error.stack}`;
  if (error instanceof PostriderError) {
    const { status, code, key, params, title, detail, requestId, errors, retryAfterMs, serverTimeMs } = error;
    return {
      kind: 'problem',
      ...{ text, status, code, key, params, title, detail, errors },
      request_id: requestId,
      retry_after_ms: retryAfterMs,
      server_time_ms: serverTimeMs,
      from_service: error.fromService,
      outcome_unknown: error.isOutcomeUnknown,
    };
  }
  if (error instanceof PostriderConnectionError) {
    return { kind: 'connection', text, reason: error.reason, client_request_id: error.clientRequestId };
  }
  if (error instanceof WaitTimeoutError) return { kind: 'wait_timeout', text, task_no: error.task?.task_no ?? null };
  if (error instanceof WebhookVerificationError) return { kind: 'webhook', text };
  return { kind: error instanceof TypeError || error instanceof RangeError ? 'argument' : 'other', text };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, with: options } = JSON.parse(line);
  sleeps = [];
  let answer;
  try {
    answer = { ok: (await calls[call](options)) ?? null };
  } catch (error) {
    answer = { error: describeError(error) };
  }
  process.stdout.write(`${JSON.stringify({ id, ...answer, sleeps_ms: sleeps })}\n`);
}
