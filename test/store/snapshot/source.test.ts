import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { traitsOf } from '../../../src/channels/registry.js';
import { asCustomerId, type CustomerId } from '../../../src/domain/id.js';
import type { Log } from '../../../src/domain/log.js';
import { connectDatabase } from '../../../src/store/connect.js';
import { channelContext, createSealer, credentialContext } from '../../../src/store/secrets/seal.js';
import { type SnapshotSource, startSnapshot } from '../../../src/store/snapshot/source.js';
import type { Sql } from '../../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const sealer = createSealer(randomBytes(32));
const customerId = asCustomerId(1n);
const quiet = { warn: () => undefined, error: () => undefined };

let database: TestDatabase;
let writer: Sql;
const started: SnapshotSource[] = [];
const connections: Sql[] = [];

/** Another node. */
function connect(): Sql {
  const sql = connectDatabase(database.address, { maxConnections: 2 });
  connections.push(sql);
  return sql;
}

async function start(
  sql: Sql = database.sql,
  pollMs = 1000,
  log: Pick<Log, 'warn' | 'error'> = quiet,
): Promise<SnapshotSource> {
  const source = await startSnapshot({ sql, sealer, traitsOf, log, pollMs });
  started.push(source);
  return source;
}

/** As operator writes do it: the version rises in the transaction of the change. */
async function change(run: (tx: Sql, version: string) => Promise<unknown>): Promise<void> {
  await writer.begin(async (tx) => {
    const [row] = await tx<{ version: string }[]>`
      update config_version set version = version + 1 returning version`;
    await run(tx as unknown as Sql, row?.version ?? '');
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  writer = database.sql;
  await change(async (tx, version) => {
    await tx`insert into firm (firm, name, prefixes, version) values ('f1', 'Firm', ${['861']}, ${version})`;
    const secret = sealer.seal(JSON.stringify({ password: 'hidden' }), channelContext('H1'));
    await tx`
      insert into channel (channel_no, name, kind, firms, status, parts_per_second, config, secret_sealed, version)
      values ('H1', 'One', 'smpp', ${['f1']}, 'active', 5, ${tx.json({ host: 'h' })}, ${secret}, ${version}),
        ('H2', 'Two', 'simulator', ${['f1']}, 'disabled', null, '{}', null, ${version}),
        ('H3', 'Three', 'simulator', ${['f1']}, 'active', null, '{}', null, ${version})`;
    await tx`
      insert into customer (customer_no, name, status, currency, billing_mode, credit_limit, charge_on, refund_on_failure,
        unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version)
      values ('C1', 'Ann', 'active', 'CNY', 'postpaid', 7000000, 'delivery', true, 50000, 'always', 'manual', 'by_request', 9, ${version}),
        ('C2', 'Bob', 'active', 'EUR', 'prepaid', 0, 'submit', false, 60000, 'by_request', 'by_request', 'by_request', 1000, ${version})`;
    await tx`
      insert into credential (api_key, customer_id, secret_sealed, ip_allow, status, version)
      values ('pk_1', 1, ${sealer.seal('sk_1', credentialContext(customerId, 'pk_1'))}, ${['10.0.0.0/8']}, 'active', ${version})`;
    await tx`
      insert into service_account (service_account_no, customer_id, name, sender, status, version)
      values ('A1', 1, 'Main', '1069', 'active', ${version}), ('A2', 2, 'Other', '1069', 'disabled', ${version})`;
    await tx`
      insert into template (template_no, customer_id, name, body, service_account_id, firms, status, version)
      values ('M1', 1, 'Hello', 'Hello {p1}', 1, ${['f1']}, 'active', ${version}),
        ('M2', 1, 'Any', 'Hi', 1, null, 'disabled', ${version})`;
    await tx`
      insert into channel_grant (customer_id, channel_id, version) values (1, 1, ${version}), (1, 2, ${version})`;
    await tx`insert into price (customer_id, firm, unit_price, version) values (1, 'f1', 30000, ${version})`;
  });
});

afterEach(async () => {
  for (const source of started.splice(0)) await source.stop();
  for (const sql of connections.splice(0)) await sql.end();
});
afterAll(() => database.drop());

describe('the snapshot', () => {
  it('holds the small tables as they are at the start', async () => {
    const snapshot = (await start()).current();
    expect(snapshot.customerByNo('C1')).toMatchObject({
      bucket: 0,
      customerId: 1n,
      customerNo: 'C1',
      dailyLimit: null,
      lowBalance: null,
      name: 'Ann',
      status: 'active',
      currency: 'CNY',
      billingMode: 'postpaid',
      creditLimit: 7_000_000n,
      chargeOn: 'delivery',
      refundOnFailure: true,
      unitPrice: 50_000n,
      policy: { prepare: 'always', freeze: 'manual', submit: 'by_request' },
      requestsPerSecond: 9,
    });
    expect(snapshot.customer(customerId)).toBe(snapshot.customerByNo('C1'));
    expect(snapshot.firms()).toEqual([{ firm: 'f1', name: 'Firm', prefixes: ['861'] }]);
    expect(snapshot.template(customerId, 'M1')).toMatchObject({
      templateId: 1n,
      body: 'Hello {p1}',
      compiled: { used: ['p1'] },
      serviceAccountId: 1n,
      firms: new Set(['f1']),
      status: 'active',
    });
    expect(snapshot.templateById(2n)).toMatchObject({ templateNo: 'M2', firms: null, status: 'disabled' });
    expect(snapshot.serviceAccountById(1n)).toMatchObject({ serviceAccountNo: 'A1', sender: '1069' });
    expect(snapshot.serviceAccountsBySender('1069').map((account) => account.serviceAccountNo)).toEqual(['A1', 'A2']);
    expect(snapshot.serviceAccountsBySender('nobody')).toEqual([]);
  });

  it('opens secrets', async () => {
    const snapshot = (await start()).current();
    const credential = snapshot.credential('pk_1');
    expect(credential).toMatchObject({ customerId: 1n, ipAllow: ['10.0.0.0/8'], status: 'active' });
    expect(credential?.secret.toString()).toBe('sk_1');
    expect(snapshot.channelByNo('H1')?.config).toEqual({ host: 'h', password: 'hidden' });
  });

  it('shows no customer what belongs to another', async () => {
    const snapshot = (await start()).current();
    expect(snapshot.template(asCustomerId(2n), 'M1')).toBeUndefined();
    expect(snapshot.serviceAccount(asCustomerId(2n), 'A1')).toBeUndefined();
    expect(snapshot.serviceAccount(customerId, 'A1')).toBeDefined();
  });

  it('grants only active channels that were granted', async () => {
    const snapshot = (await start()).current();
    expect(snapshot.grantedChannels(customerId).map((channel) => channel.channelNo)).toEqual(['H1']);
    expect(snapshot.grantedChannels(asCustomerId(2n))).toEqual([]);
  });

  it('knows which grants are revoked, and forgets those that were restored', async () => {
    const source = await start();
    const revokedBy = (time: Date) => source.current().revokedBefore(time);
    const setRevoked = async (at: Date | null) => {
      await change((tx, version) => {
        return tx`update channel_grant set revoked_at = ${at}, version = ${version} where customer_id = 1 and channel_id = 1`;
      });
      await source.refresh();
    };
    const [earlier, later] = [new Date('2026-11-01T00:00:00Z'), new Date('2026-11-02T00:00:00Z')];
    await setRevoked(earlier);
    expect(revokedBy(later)).toMatchObject([{ customerId, channelId: 1n }]);
    expect(revokedBy(earlier)).toEqual([]);
    await setRevoked(null);
    expect(revokedBy(later)).toEqual([]);
    // The wait begins with the revocation that holds.
    await setRevoked(later);
    expect(revokedBy(later)).toEqual([]);
    await setRevoked(null);
  });

  it('prices by firm, otherwise by customer', async () => {
    const snapshot = (await start()).current();
    const priceOf = (id: CustomerId, firm: string) => snapshot.priceOf(id, firm, 'notice')('', new Date());
    expect(priceOf(customerId, 'f1')).toBe(30_000n);
    expect(priceOf(customerId, 'other')).toBe(50_000n);
    expect(priceOf(asCustomerId(2n), 'f1')).toBe(60_000n);
    expect(() => priceOf(asCustomerId(99n), 'f1')).toThrow();
  });

  it('sees the revoked key and the suspended customer of another connection without asking', async () => {
    const source = await start(connect());
    const changed = new Promise<void>((resolve) => source.onChange(resolve));
    await change(async (tx, version) => {
      await tx`update credential set status = 'revoked', version = ${version} where api_key = 'pk_1'`;
      await tx`update customer set status = 'suspended', version = ${version} where customer_no = 'C2'`;
    });
    await changed;
    expect(source.current().credential('pk_1')?.status).toBe('revoked');
    expect(source.current().customerByNo('C2')?.status).toBe('suspended');
  });

  it('has what was committed before refresh was called, also when a refresh is under way', async () => {
    const source = await start(connect(), 60_000);
    const underWay = source.refresh();
    await change((tx, version) => tx`insert into firm (firm, name, version) values ('f2', 'Two', ${version})`);
    await source.refresh();
    expect(
      source
        .current()
        .firms()
        .map(({ firm }) => firm),
    ).toContain('f2');
    await underWay;
  });

  it('reads only the rows that changed, and keeps the others as they were', async () => {
    const source = await start(connect(), 60_000);
    const before = source.current().customerByNo('C1');
    await change(
      (tx, version) => tx`update customer set name = 'Robert', version = ${version} where customer_no = 'C2'`,
    );
    await source.refresh();
    expect(source.current().customerByNo('C2')?.name).toBe('Robert');
    expect(source.current().customerByNo('C1')).toBe(before);
  });

  it('calls listeners only when something changed, and not after they left', async () => {
    const source = await start(connect(), 60_000);
    const listener = vi.fn();
    const leave = source.onChange(listener);
    await source.refresh();
    expect(listener).toHaveBeenCalledTimes(0);
    await change((tx, version) => tx`update firm set name = 'x', version = ${version} where firm = 'f1'`);
    await source.refresh();
    expect(listener).toHaveBeenCalledTimes(1);
    leave();
    await change((tx, version) => tx`update firm set name = 'y', version = ${version} where firm = 'f1'`);
    await source.refresh();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('answers many misses with few looks, each miss by a look that began after it', async () => {
    const sql = connect();
    const source = await start(sql, 60_000);
    await source.refreshIfStale();
    await change((tx, version) => tx`insert into firm (firm, name, version) values ('f3', 'Three', ${version})`);
    const misses = Array.from({ length: 50 }, () => source.refreshIfStale());
    expect(new Set(misses).size).toBe(1);
    await Promise.all(misses);
    expect(
      source
        .current()
        .firms()
        .map(({ firm }) => firm),
    ).toContain('f3');
  });

  it('starts anew when the database went back to an earlier version', async () => {
    const source = await start(connect(), 60_000);
    await writer`delete from firm where firm = 'f3'`;
    await writer`update config_version set version = version - 1`;
    await source.refresh();
    expect(
      source
        .current()
        .firms()
        .map(({ firm }) => firm),
    ).not.toContain('f3');
    expect(source.current().customerByNo('C1')).toBeDefined();
    await writer`update config_version set version = version + 2`;
  });

  it('keeps its state while the database is away, says so once, and recovers', async () => {
    const real = connect();
    let away = false;
    const sql = new Proxy(real, {
      apply: (target, self, args) => (away ? Promise.reject(new Error('away')) : Reflect.apply(target, self, args)),
    });
    const messages: string[] = [];
    const log = { warn: (_: object, message: string) => void messages.push(message), error: quiet.error };
    const source = await start(sql, 5, log);
    away = true;
    await vi.waitFor(() => expect(messages).toHaveLength(1));
    await expect(source.refresh()).rejects.toThrow('away');
    expect(source.current().customerByNo('C1')).toBeDefined();
    await change((tx, version) => tx`update customer set name = 'Bert', version = ${version} where customer_no = 'C2'`);
    away = false;
    await vi.waitFor(() => expect(source.current().customerByNo('C2')?.name).toBe('Bert'));
    await vi.waitFor(() => expect(messages).toHaveLength(2));
  });

  it('leaves out a row whose secret does not open, and says which', async () => {
    await change(
      (tx, version) => tx`
      insert into credential (api_key, customer_id, secret_sealed, status, version)
      values ('pk_moved', 2, ${sealer.seal('sk', credentialContext(customerId, 'pk_moved'))}, 'active', ${version})`,
    );
    const errors: object[] = [];
    const source = await start(connect(), 1000, {
      ...quiet,
      error: (details: object) => void errors.push(details),
    });
    expect(source.current().credential('pk_moved')).toBeUndefined();
    expect(source.current().credential('pk_1')).toBeDefined();
    expect(errors).toEqual([{ secrets: [{ table: 'credential', key: 'pk_moved' }] }]);
  });

  it('refuses to start under another secret key', async () => {
    const other = createSealer(randomBytes(32));
    await expect(startSnapshot({ sql: database.sql, sealer: other, traitsOf, log: quiet })).rejects.toThrow(
      'POSTRIDER_SECRET_KEY',
    );
  });

  it('stops more than once', async () => {
    const source = await start(connect());
    await source.stop();
    await source.stop();
  });
});
