// A list asked for as a file: the whole of its filter, oldest first, from one view, resumable, and never more than a few.

import { setImmediate as nextTick } from 'node:timers/promises';
import { PostriderClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSoleMachine } from '../../../src/app/machine.js';
import { parseCsv } from '../../../src/cli/send/csv.js';
import { asCustomerId, asTaskId, firstIdAt, formatNo } from '../../../src/domain/id.js';
import { startExport } from '../../../src/http/customer/exports.js';
import { createRowFormat } from '../../../src/http/export-rows.js';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../../support/http-service.js';
import { until } from '../../support/until.js';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const RECEIPTS = '/openapi/v1/messages/receipts/';
const START_MS = Date.UTC(2026, 10, 14);
/** More than the buffers of two sockets take, so that a client that does not read stops its export. */
const MANY = 60_000;

let service: HttpService;
let base: string;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService();
  base = `http://127.0.0.1:${await service.listen()}`;
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
  await fillReceipts(ann, 5);
  await fillRest(ann, 5);
  await fillReceipts(bob, MANY);
  // As the database does by itself after a while.
  await service.sql`analyze`;
});
afterAll(() => service.stop());

const id = (second: number) => firstIdAt(new Date(START_MS + second * 1000));
const taskNo = (second: number) => formatNo('T', asTaskId(id(second)));
/** An export like any other, of one row. */
const ONE = `${RECEIPTS}?task_no=${taskNo(0)}`;

const at = `((${START_MS}::bigint + i * 1000) << 20)`;
const rowsOf = (count: number) => `from generate_series(0::bigint, ${count - 1}) as i`;
/** Some that a spreadsheet would like to compute. */
const phone = `(case i % 5 when 0 then '+8613800138000' when 1 then '=1+1' when 2 then '@a,"b"' when 3 then '''x' else '13800138004' end)`;

/** As many tasks of one number, one a second, and their receipts. */
async function fillReceipts({ customerId, templateId, serviceAccountId }: TestCustomer, count: number): Promise<void> {
  const rows = rowsOf(count);
  await service.sql.unsafe(`
    insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
      target_firms, auto_prepare, auto_freeze, auto_submit, stage, total, delivered, timeline, updated_at)
    select ${customerId}, ${at}, 'c:order-' || i, '', ${templateId}, ${serviceAccountId}, true, '{cmcc,cucc}', true, true, true,
      'completed', 1, 1, '[]', now() ${rows};
    insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, firm, result, code)
    select ${customerId}, ${at}, ${at}, 1, 1, i, 50000, ${phone}, 'cmcc', (case i % 3 when 0 then 'rejected' else 'delivered' end),
      null ${rows}`);
}

/** The records of every other kind. */
async function fillRest({ customerId, serviceAccountId }: TestCustomer, count: number): Promise<void> {
  const rows = rowsOf(count);
  await service.sql.unsafe(`
    insert into submit (customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status)
    select ${customerId}, ${at}, ${at}, 1, 1, 1, 1, i, ${phone}, 'cmcc', 'accepted' ${rows};
    insert into delivery (customer_id, delivery_id, task_id, seq, part, parts, phone_key, phone, firm, status)
    select ${customerId}, ${at}, ${at}, 1, 1, 1, i, ${phone}, 'cmcc', 'delivered' ${rows};
    insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    select ${customerId}, ${at}, i, ${serviceAccountId}, 1, ${phone}, 'one' || chr(10) || 'two' ${rows};
    insert into ledger_entry (customer_id, seq, type, amount, available_delta, frozen_delta, available_after, frozen_after,
      created_at)
    select ${customerId}, i + 1, 'topup', 1000000, 1000000, 0, (i + 1) * 1000000, 0, now() ${rows};
    insert into opt_out (customer_id, phone_key, phone, source) select ${customerId}, i, ${phone}, 'operator' ${rows}`);
}

const ask = (target: string, accept: string, customer = ann) => service.call(customer, target, { headers: { accept } });
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function tableOf(text: string): Promise<Record<string, string>[]> {
  const rows: (readonly string[])[] = [];
  for await (const { cells } of parseCsv([text])) rows.push(cells);
  const [columns = [], ...others] = rows;
  return others.map((cells) => Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])));
}

/** Over a real connection, which does not have to be read. */
async function open(target: string, accept: string, customer: TestCustomer) {
  const stop = new AbortController();
  const response = await fetch(base + target, {
    headers: { ...signHeaders(customer, { method: 'GET', target }), accept },
    signal: stop.signal,
  });
  return { response, stop };
}

const openViews = async () => {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`;
  return row?.count ?? 0;
};

const endViews = async () => {
  const ended = await service.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`;
  return ended.length > 0;
};

describe.each([
  ['tasks', '/openapi/v1/messages/tasks/', true],
  ['receipts', RECEIPTS, true],
  ['uplinks', '/openapi/v1/messages/uplinks/', true],
  ['ledgers', '/openapi/v1/finance/ledgers/', true],
  ['submits', '/openapi/v1/downstream/submits/', true],
  ['deliveries', '/openapi/v1/downstream/deliveries/', true],
  ['templates', '/openapi/v1/templates/', true],
  ['service accounts', '/openapi/v1/service-accounts/', true],
  ['firms', '/openapi/v1/firms/', false],
  ['opt-outs', '/openapi/v1/opt-outs/', false],
] as const)('%s', (_, path, isReversed) => {
  it('are the items of the list, oldest first, each with its cursor', async () => {
    const { items } = (await ask(path, 'application/json')).body;
    const answer = await ask(path, NDJSON);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const rows = linesOf(answer.text);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ cursor: _cursor, ...item }) => item)).toEqual(isReversed ? items.reverse() : items);
    for (const { cursor } of rows) expect(cursor).toMatch(/^[\w-]+$/);
  });

  it('go on behind a cursor, in either form', async () => {
    const rows = linesOf((await ask(path, NDJSON)).text);
    const from = `${path}?cursor=${rows[0].cursor}`;
    expect(linesOf((await ask(from, NDJSON)).text)).toEqual(rows.slice(1));
    const table = await tableOf((await ask(from, CSV)).text);
    expect(table.map(({ cursor }) => cursor)).toEqual(rows.slice(1).map(({ cursor }) => cursor));
  });

  it('have no pages', async () => {
    for (const name of ['page', 'page_size']) {
      const { status, body } = await ask(`${path}?${name}=1`, CSV);
      expect(status).toBe(400);
      expect(body.errors).toEqual([expect.objectContaining({ pointer: `?${name}`, code: 'not_allowed_together' })]);
    }
  });
});

describe('CSV', () => {
  it('has a column for every member, those of members too', async () => {
    const answer = await ask('/openapi/v1/messages/tasks/', CSV);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [first] = await tableOf(answer.text);
    expect(first).toMatchObject({
      task_no: taskNo(0),
      client_request_id: 'order-0',
      target_firms: 'cmcc cucc',
      auto_submit: 'true',
      'counts.total': '1',
      'counts.delivered': '1',
      'amounts.currency': 'CNY',
      'amounts.frozen': '0.000000',
      completed_at: '',
    });
  });

  it('has no cell that a spreadsheet computes, and reads back as what was written', async () => {
    const cells = (await tableOf((await ask(RECEIPTS, CSV)).text)).map(({ phone }) => phone);
    expect(cells).toEqual(['+8613800138000', "'=1+1", '\'@a,"b"', "''x", '13800138004']);
    const { items } = (await ask(RECEIPTS, 'application/json')).body;
    const phones = items.map(({ phone }: { phone: string }) => phone).reverse();
    expect(cells.map((cell) => cell?.replace(/^'/, ''))).toEqual(phones);
  });

  it('is its head alone where nothing matches', async () => {
    const { text } = await ask(`${RECEIPTS}?task_no=T0000000000000`, CSV);
    expect(text).toMatch(/^task_no,.*,cursor\r\n$/);
  });
});

describe('what is asked for', () => {
  it.each([
    ['text/csv, application/json;q=0.9', 'text/csv; charset=utf-8'],
    ['application/json, text/csv', 'application/json; charset=utf-8'],
    ['text/csv;q=0.1, */*;q=0.5', 'application/json; charset=utf-8'],
    ['text/csv;q=0, application/x-ndjson;q=0.2', 'application/x-ndjson; charset=utf-8'],
  ])('%s is answered with %s', async (accept, type) => {
    expect((await ask(RECEIPTS, accept)).headers['content-type']).toBe(type);
  });

  it('is refused where there is no such file', async () => {
    expect((await ask('/openapi/v1/finance/account/', CSV)).status).toBe(406);
    expect((await ask(`/openapi/v1/messages/tasks/${taskNo(0)}/`, NDJSON)).status).toBe(406);
    expect((await ask(RECEIPTS, 'text/html')).status).toBe(406);
  });

  it('a head is answered without the file', async () => {
    const { status, text } = await service.call(ann, RECEIPTS, { method: 'HEAD', headers: { accept: CSV } });
    expect({ status, text }).toEqual({ status: 200, text: '' });
  });

  it('is answered with a problem where it cannot even begin, and nothing else comes of it', async () => {
    await service.sql`alter table receipt rename to receipt_away`;
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    try {
      const { status, body } = await ask(RECEIPTS, CSV);
      expect([status, body.code]).toEqual([503, 'unavailable']);
      await new Promise((resolve) => setImmediate(resolve));
      expect(uncaught).toEqual([]);
    } finally {
      process.off('uncaughtException', onUncaught);
      await service.sql`alter table receipt_away rename to receipt`;
    }
    expect((await ask(RECEIPTS, CSV)).status).toBe(200);
  });

  it('filters narrow a file as they narrow the list', async () => {
    const rows = linesOf((await ask(`${RECEIPTS}?result=rejected`, NDJSON)).text);
    expect(rows.map(({ task_no }) => task_no)).toEqual([taskNo(0), taskNo(3)]);
    const from = new Date(START_MS + 3000).toISOString();
    expect(linesOf((await ask(`${RECEIPTS}?start_at=${from}`, NDJSON)).text).length).toBe(2);
  });

  it('a cursor leads one way: those of pages are not those of files', async () => {
    const { next_cursor } = (await ask(`${RECEIPTS}?page_size=1`, 'application/json')).body;
    const [row] = linesOf((await ask(RECEIPTS, NDJSON)).text);
    expect((await ask(`${RECEIPTS}?cursor=${next_cursor}`, NDJSON)).status).toBe(400);
    expect((await ask(`${RECEIPTS}?cursor=${row.cursor}`, 'application/json')).status).toBe(400);
  });
});

describe('a long file', () => {
  it('is complete, in order, and shows nothing that came after it began', async () => {
    const { response } = await open(RECEIPTS, NDJSON, bob);
    await service.sql`
      insert into receipt (customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, result)
      values (${bob.customerId}, ${id(MANY)}, ${id(0)}, 2, 1, 1, 0, 'late', 'delivered')`;
    const rows = linesOf(await response.text());
    expect(rows.length).toBe(MANY);
    expect(rows.every(({ task_no }, at) => task_no === taskNo(at))).toBe(true);
    await service.sql`delete from receipt where customer_id = ${bob.customerId} and phone = 'late'`;
  });

  it('goes through every row of a status and of a task list', async () => {
    const rejected = linesOf((await ask(`${RECEIPTS}?result=rejected`, NDJSON, bob)).text);
    expect(rejected.map(({ task_no }) => task_no)).toEqual(
      Array.from({ length: MANY / 3 }, (__, at) => taskNo(at * 3)),
    );
    const since = START_MS + (MANY - 5000) * 1000;
    const completed = `/openapi/v1/messages/tasks/?stage=completed&start_at=${since}`;
    expect(linesOf((await ask(completed, NDJSON, bob)).text).length).toBe(5000);
  });

  it('is one of two at a time; a third is refused until one has ended or its client is gone', async () => {
    const [first, second] = [await open(RECEIPTS, NDJSON, bob), await open(RECEIPTS, NDJSON, bob)];
    const refused = await ask(ONE, CSV, bob);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    expect((await ask(RECEIPTS, CSV, ann)).status).toBe(200);
    first.stop.abort();
    second.stop.abort();
    await until(async () => (await ask(ONE, CSV, bob)).status === 200);
    await until(async () => (await openViews()) === 0);
  });

  it('is handed out by the client row by row, each once, although its database is lost on the way', async () => {
    const client = new PostriderClient({ baseUrl: base, apiKey: bob.apiKey, apiSecret: bob.secret });
    const file = client.receipts().csv();
    let rows = 0;
    let isLost = false;
    let text = '';
    for await (const piece of file) {
      text += piece;
      if (file.rows > rows && !isLost) {
        rows = file.rows;
        isLost = await endViews();
      }
    }
    expect(isLost).toBe(true);
    expect(file.rows).toBe(MANY);
    // The first column is enough, and reading so many rows as CSV would keep the service, which runs here too, from answering.
    const firstCells = text.split('\r\n').map((line) => line.slice(0, line.indexOf(',')));
    const expected = ['task_no', ...Array.from({ length: MANY }, (__, second) => taskNo(second)), ''];
    expect(firstCells.join('\n')).toBe(expected.join('\n'));
  });

  it('breaks off when its database is lost, and does not look complete', async () => {
    const { response } = await open(RECEIPTS, NDJSON, bob);
    expect(response.status).toBe(200);
    await until(endViews);
    await expect(response.text()).rejects.toThrow();
    await until(async () => (await ask(ONE, CSV, bob)).status === 200);
  });
});

describe('places', () => {
  const carl = asCustomerId(903n);
  const [one, two, three] = [asCustomerId(900n), asCustomerId(901n), asCustomerId(902n)];

  it('are left to others: two customers cannot take all of them', async () => {
    const { exportGate: gate } = createSoleMachine();
    const leave = await gate.enter(one);
    await gate.enter(one);
    await expect(gate.enter(one)).rejects.toThrow('2 of your exports are open');
    await gate.enter(two);
    await expect(gate.enter(two)).rejects.toThrow('1 of your exports are open');
    await gate.enter(three);
    await expect(gate.enter(carl)).rejects.toThrow('Too many exports at once');
    leave();
    await gate.enter(carl);
  });

  it('are lost by a client that reads too slowly, and kept by one that keeps the pace', async () => {
    const read = async (msPerPiece: number) => {
      const onEnd = vi.fn();
      let nowMs = 0;
      let pages = 0;
      const items = Array.from({ length: 500 }, () => ({ text: 'x'.repeat(1000) }));
      const readForward = async () => {
        pages += 1;
        const rows = pages > 4 ? [] : items;
        return { keys: rows.map((_, at) => String(at)), items: rows, nextKey: pages > 4 ? undefined : '499' };
      };
      const out = await startExport({
        sql: service.sql,
        cursorsOf: (keys) => keys,
        after: undefined,
        format: createRowFormat(NDJSON, []),
        open: async () => ({ readForward }),
        takeRows: async () => {},
        monotonicNow: () => nowMs,
        onEnd,
        // A piece of 128 KiB is worth 13 seconds.
        pace: { charactersPerMs: 10, patienceMs: 10_000 },
      });
      const taken = async () => {
        for await (const _ of out) {
          // By then the export waits for room.
          await nextTick();
          nowMs += msPerPiece;
        }
        return 'complete';
      };
      const ended = await taken().catch((error: Error) => error.message);
      await until(async () => onEnd.mock.calls.length === 1);
      return ended;
    };
    expect(await read(20_000)).toBe('the client of an export reads too slowly');
    expect(await read(10_000)).toBe('complete');
  });

  it('asks for each hundred of its rows before they are written down', async () => {
    const taken: number[] = [];
    let written = 0;
    const items = Array.from({ length: 250 }, () => ({}));
    const out = await startExport({
      sql: service.sql,
      cursorsOf: (keys) => keys,
      after: undefined,
      format: { head: '', write: () => `${++written}\n` },
      open: async () => ({ readForward: async () => ({ keys: items.map(() => 'k'), items, nextKey: undefined }) }),
      takeRows: async (rows) => {
        expect(written).toBe(taken.reduce((sum, count) => sum + count, 0));
        taken.push(rows);
      },
      monotonicNow: () => 0,
      onEnd: () => {},
    });
    expect(linesOf((await out.toArray()).join(''))).toHaveLength(250);
    expect(taken).toEqual([100, 100, 50]);
  });

  it('and a page of a list takes one for its rows', async () => {
    const taken: number[] = [];
    const takeRows = async (_: unknown, rows: number) => void taken.push(rows);
    const other = await startHttpService({
      besides: service,
      deps: (deps) => ({ ...deps, fairness: { ...deps.fairness, takeRows } }),
    });
    expect((await other.call(ann, `${RECEIPTS}?page_size=100`)).status).toBe(200);
    expect((await other.call(ann, RECEIPTS, { headers: { accept: CSV } })).status).toBe(200);
    await other.stop();
    expect(taken).toEqual([125, 5]);
  });
});
