// Runs the cases of `sdks/conformance` with the runner of one SDK: against the real service, behind a faulty proxy.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PostriderClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { ANY, type Case, fillIn, readCases, type Step } from './cases.js';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.js';
import { type Runner, type RunnerAnswer, type RunnerCommand, startRunner } from './runner-process.js';

export interface ConformanceOptions {
  /** Such as `Python, async`. */
  readonly name: string;
  readonly command: () => RunnerCommand;
  /** Where the language has no decimal type, amounts are the texts that the service sends. */
  readonly decimals: 'decimal' | 'text';
  /** What is not on this machine; the cases are skipped then. */
  readonly missing?: string | undefined;
}

/** Secrets are known to no one but the client: nothing that the runner writes may contain them. */
const SCOPES = ['send', 'read', 'finance', 'webhooks', 'admin'] as const;

export function describeConformance({ name, command, decimals, missing }: ConformanceOptions): void {
  if (missing !== undefined) {
    // One line in the report, not one for each case.
    test.skip(`conformance of the SDK for ${name} (not tried: no ${missing} here)`, () => {});
    return;
  }
  describe(`conformance of the SDK for ${name}`, () => {
    let service: Service;
    let proxy: FaultyProxy;
    let runner: Runner;
    let client: PostriderClient;
    let values: Readonly<Record<string, unknown>>;
    let secret = '';

    beforeAll(async () => {
      service = await startService();
      proxy = await startFaultyProxy(service.url);
      const customer = await service.addCustomer({ body: 'Hello {p1}' });
      const key = await service.operator.createCredential(customer.customerNo, { scopes: SCOPES });
      secret = key.api_secret;
      client = new PostriderClient({ baseUrl: service.url, apiKey: key.api_key, apiSecret: secret });
      runner = startRunner(command());
      values = {
        template_no: customer.templateNo,
        closed_url: await findClosedUrl(),
        api_key: key.api_key,
        base_url: proxy.url,
        request: {
          template_no: '{{template_no}}',
          phones: ['13800139001'],
          variable_values: { p1: 'Ann' },
          client_request_id: '{{case}}',
        },
      };
    });
    afterAll(async () => {
      await runner?.stop();
      await proxy?.stop();
      await service?.stop();
    });

    let count = 0;
    async function runCase({ client: options = {}, steps }: Case): Promise<void> {
      count += 1;
      const results: unknown[] = [];
      const known = { ...values, case: `case-${count}`, results };
      const given = { base_url: proxy.url, api_key: values.api_key, api_secret: secret, ...options };
      await runner.ask('open', { retry: {}, clock: {}, random: 0.5, ...(fillIn(given, known) as object) });
      for (const step of steps) results.push(await runStep(step, known));
      const told = runner.output.filter((line) => line.includes(secret));
      expect(told, 'what the runner wrote shows the secret').toEqual([]);
    }

    async function runStep(step: Step, known: Readonly<Record<string, unknown>>): Promise<unknown> {
      const { before, proxy: rules = [], call, with: options = {}, tasks = {} } = fillIn(step, known) as Step;
      if (before !== undefined) await until(async () => (await client.task(before.task_no)).stage === before.stage);
      proxy.setRules(rules);
      const answer = await runner.ask(call, options);
      expectAnswer(fillIn(step, { ...known }) as Step, answer, proxy, decimals);
      for (const [clientRequestId, expected] of Object.entries(tasks)) {
        const { total } = await client.tasks({ clientRequestId }).page();
        expect(total, `tasks under ${clientRequestId}`).toBe(expected);
      }
      return answer.ok;
    }

    for (const { topic, cases } of readCases()) {
      describe(topic, () => {
        for (const one of cases) test(one.name, () => runCase(one));
      });
    }
  });
}

function expectAnswer(step: Step, answer: RunnerAnswer, proxy: FaultyProxy, decimals: 'decimal' | 'text'): void {
  const asked = proxy.seen.map(({ method, target }) => `${method} ${target.split('?')[0]}`);
  const bodies = proxy.seen.map(({ body }) => body).filter((body) => body !== '');
  const seen = JSON.stringify({ answer, asked }, null, 1);
  if (step.fails === undefined) expect(answer.error, seen).toBeUndefined();
  else expect(answer.error, seen).toEqual(toMatcher(step.fails, decimals));
  if (step.gives !== undefined) expect(answer.ok, seen).toEqual(toMatcher(step.gives, decimals));
  if (step.requests !== undefined) expect(asked, seen).toEqual(step.requests);
  if (step.targets !== undefined) {
    expect(
      proxy.seen.map(({ target }) => sortQuery(target)),
      seen,
    ).toEqual(step.targets.map(sortQuery));
  }
  if (step.bodies !== undefined) {
    const told = bodies.map((body) => JSON.parse(body) as unknown);
    expect(told, seen).toEqual(step.bodies.map((body) => toMatcher(body, decimals)));
  }
  if (step.same_body === true) expect(new Set(bodies).size, seen).toBe(1);
  if (step.sleeps_ms !== undefined) expect(answer.sleeps_ms, seen).toEqual(step.sleeps_ms);
  const { text = '' } = (answer.ok ?? {}) as { readonly text?: string };
  if (step.csv !== undefined) expect(readColumns(text, Object.keys(step.csv)), text).toEqual(step.csv);
  if (step.ndjson !== undefined) {
    const rows = text.trimEnd().split('\n');
    expect(
      rows.map((row) => JSON.parse(row) as unknown),
      text,
    ).toEqual(step.ndjson.map((row) => toMatcher(row, decimals)));
  }
}

/** Objects may have more fields, lists have exactly these items. */
function toMatcher(expected: unknown, decimals: 'decimal' | 'text'): unknown {
  if (expected === ANY) return expect.anything();
  if (Array.isArray(expected)) return expected.map((item) => toMatcher(item, decimals));
  if (typeof expected !== 'object' || expected === null) return expected;
  if ('$decimal' in expected && decimals === 'text') return expected.$decimal;
  const fields = Object.entries(expected).map(([name, value]) => [name, toMatcher(value, decimals)]);
  return expect.objectContaining(Object.fromEntries(fields));
}

function sortQuery(target: string): string {
  const [path, query = ''] = target.split('?');
  return `${path}?${query.split('&').sort().join('&')}`;
}

function readColumns(csv: string, names: readonly string[]): Record<string, string[]> {
  const [head = [], ...rows] = csv
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, a, b]) => readCell(a, b)));
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[head.indexOf(name)] ?? '')]));
}

function readCell(quoted: string | undefined, plain: string | undefined): string {
  return quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"');
}

/** Where nothing listens. */
async function findClosedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
