// The load of a measurement: signed send requests over many connections, and the wait for their tasks to complete.

import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { BenchCustomer, BenchService } from './bench-service.js';

export interface Load {
  readonly tasks: number;
  readonly numbersPerTask: number;
  readonly connections: number;
}

export interface Pace {
  /** Until the last request was answered, and until the last number had its receipt. */
  readonly accepted_ms: number;
  readonly completed_ms: number;
}

const TARGET = '/openapi/v1/messages/send/';

/** The numbers of one load follow each other; none ends like a test number of the simulator. */
function makePhones(): () => string {
  let next = 13_000_000_000 + Math.floor(Math.random() * 500_000_000);
  return () => {
    do next += 1;
    while (next % 10_000 > 9000 && next % 10_000 < 9010);
    return String(next);
  };
}

export async function runLoad(service: BenchService, customer: BenchCustomer, load: Load): Promise<Pace> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const nextPhone = makePhones();
  const bodies = Array.from({ length: load.tasks }, () =>
    JSON.stringify({
      template_no: customer.templateNo,
      phones: Array.from({ length: load.numbersPerTask }, nextPhone),
      variable_values: { p1: 'Ann' },
      auto_freeze: true,
      auto_submit: true,
    }),
  );
  const before = await countCompleted(customer);
  const started = performance.now();
  const sendAll = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await send(service, customer, agent, body);
  };
  await Promise.all(Array.from({ length: load.connections }, sendAll));
  const accepted_ms = performance.now() - started;
  while ((await countCompleted(customer)) - before < Math.min(load.tasks, COUNTED)) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  agent.destroy();
  return { accepted_ms, completed_ms: performance.now() - started };
}

/** Totals are exact up to this. */
const COUNTED = 10_000;

async function countCompleted(customer: BenchCustomer): Promise<number> {
  const page = await customer.client.tasks({ stage: 'completed', pageSize: 1 }).page();
  return page.total;
}

function send(service: BenchService, customer: BenchCustomer, agent: Agent, body: string): Promise<void> {
  const timestamp = String(Date.now());
  const hash = createHash('sha256').update(body).digest('hex');
  const signed = `POST\n${TARGET}\n${timestamp}\n${hash}`;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': customer.apiKey,
    'x-timestamp': timestamp,
    'x-sign': createHmac('sha256', customer.apiSecret).update(signed).digest('hex'),
  };
  return new Promise((resolve, reject) => {
    const sending = request(`${service.url}${TARGET}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`)),
      );
    });
    sending.on('error', reject);
    sending.end(body);
  });
}
