// The reference pages say what the code says, code for code and metric for metric.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS, ROLES, rolesWith } from '../../src/domain/access/permissions.js';
import { FAULT_CODES } from '../../src/domain/fault/fault.js';
import { FAULT_TEXTS } from '../../src/domain/fault/fault-texts.js';
import { PROBLEM_TEXTS } from '../../src/domain/fault/problem-texts.js';
import { RECEIPT_CODES } from '../../src/domain/record/receipt-codes.js';
import { RECEIPT_RESULTS } from '../../src/domain/record/records.js';
import { problemCatalogue } from '../../src/http/problem/problem.js';
import { type Service, startService } from '../support/service.js';
import { listFiles, readPage, readTable, unquote } from './pages.js';

const errors = readPage('docs/reference/errors.md');
const receipts = readPage('docs/reference/receipt-codes.md');
const metricsPage = readPage('docs/reference/metrics.md');
const api = readPage('docs/reference/api.md');

describe('the page on errors', () => {
  it('has every problem code with its status, and no other', () => {
    const documented = readTable(errors, 'status').map((row) => [unquote(row.code), Number(row.status)]);
    const known = Object.entries(problemCatalogue).map(([code, { status }]) => [code, status]);
    expect(documented).toEqual(known);
  });

  it('has every code of a fault, and no other', () => {
    const documented = readTable(errors, 'code').filter((row) => row.status === undefined);
    expect(documented.map((row) => unquote(row.code))).toEqual([...FAULT_CODES]);
  });

  it('has every key with its sentence, and no other', () => {
    const documented = readTable(errors, 'key').map((row) => [unquote(row.key), row.sentence?.replaceAll('`', '')]);
    expect(documented).toEqual(Object.entries({ ...PROBLEM_TEXTS, ...FAULT_TEXTS }));
  });

  it('gives every code a cause and a remedy', () => {
    for (const row of readTable(errors, 'code')) {
      expect(row.cause, row.code).toMatch(/\.$/);
      expect(row['what to do'], row.code).toMatch(/\.$/);
    }
  });
});

describe('the page on receipt codes', () => {
  it('has every code of ours with its description, and no other', () => {
    const documented = readTable(receipts, 'code').map((row) => [unquote(row.code), row.description]);
    expect(documented).toEqual(Object.entries(RECEIPT_CODES));
  });

  it('has every result, and no other', () => {
    const documented = readTable(receipts, 'meaning').map((row) => unquote(row.result));
    expect(documented.sort()).toEqual([...RECEIPT_RESULTS].sort());
  });
});

describe('the page on the operator API', () => {
  it('has every permission with the roles that have it', () => {
    const documented = readTable(readPage('docs/operator-api.md'), 'permission').map((row) => ({
      permission: unquote(row.permission),
      roles: ROLES.filter((role) => row[`\`${role}\``] === 'yes'),
    }));
    expect(documented).toEqual(PERMISSIONS.map((permission) => ({ permission, roles: [...rolesWith(permission)] })));
  });
});

describe('with the service running', () => {
  let service: Service;
  let scraped: Map<string, string>;
  beforeAll(async () => {
    service = await startService();
    const customer = await service.addCustomer();
    await customer.completed((await customer.send(['13800139001'])).task_no);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    scraped = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']): [string, string] => [name, type]),
    );
  });
  afterAll(() => service.stop());

  it('the page on metrics has every metric of ours with its type, and no other', () => {
    const documented = readTable(metricsPage, 'metric').map((row) => [unquote(row.metric), row.type]);
    const own = [...scraped].filter(([name]) => name.startsWith('postrider_'));
    expect(documented.sort()).toEqual(own.sort());
  });

  it('dashboard and alert rules name no metric that does not exist', () => {
    const files = listFiles('ops', /\.(json|yaml)$/);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const path of files) {
      const named = readPage(path).text.matchAll(/\b(postrider|nodejs|process)_[a-z0-9_]+\b/g);
      for (const [name] of named) {
        const plain = name.replace(/_(bucket|sum|count)$/, '');
        expect(scraped.has(name) || scraped.get(plain) === 'histogram', `${path}: ${name}`).toBe(true);
      }
    }
  });

  it('the page on the API has every call of a customer, and no other', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const known = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/openapi/'))
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
    const documented = readTable(api, 'call').map((row) => unquote(row.call));
    expect(documented.sort()).toEqual(known.sort());
  });
});
