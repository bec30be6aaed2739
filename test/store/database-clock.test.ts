// The database's clock jumps and is set right again. Record ids only rise, and their times must not stand still for it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timeOfId } from '../../src/domain/id.js';
import { nextRecordId } from '../../src/domain/money/ledger.js';
import { connectDatabase } from '../../src/store/connect.js';
import { createDatabaseClock } from '../../src/store/database-clock.js';
import { lockAccount } from '../../src/store/money/account.js';
import type { Sql } from '../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const HOUR_MS = 3_600_000;

describe('a clock', () => {
  let monotonicMs = 1000;
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);

  it('is followed in small steps, and back', () => {
    const clock = createDatabaseClock(() => monotonicMs);
    for (const ms of [0, 59_000, 118_000, 100_000]) expect(clock.read(at(ms))).toEqual(at(ms));
  });

  it('that jumps forward continues from before the jump, and the jump is reported once', () => {
    const clock = createDatabaseClock(() => monotonicMs);
    const jumps: number[] = [];
    clock.onJump = (aheadMs) => jumps.push(aheadMs);
    clock.read(at(0));
    monotonicMs += 1000;
    expect(clock.read(at(HOUR_MS))).toEqual(at(1000));
    monotonicMs += 1000;
    expect(clock.read(at(HOUR_MS + 1000))).toEqual(at(2000));
    expect(jumps).toEqual([HOUR_MS - 1000]);
    expect(clock.read(at(2000))).toEqual(at(2000));
  });

  it('is believed once the jump has lasted ten minutes', () => {
    const clock = createDatabaseClock(() => monotonicMs);
    clock.read(at(0));
    clock.read(at(HOUR_MS));
    monotonicMs += 600_000;
    expect(clock.read(at(HOUR_MS + 600_000))).toEqual(at(HOUR_MS + 600_000));
  });
});

describe('a machine that stood still', () => {
  let monotonicMs = 1000;
  let wallMs = Date.UTC(2026, 0, 1);
  const pass = (ms: number, stoodMs = 0) => {
    monotonicMs += ms;
    wallMs += ms + stoodMs;
  };
  const clockOf = () =>
    createDatabaseClock(
      () => monotonicMs,
      () => wallMs,
    );

  it('follows the clock of the database at once', () => {
    const clock = clockOf();
    const jumps: number[] = [];
    clock.onJump = (aheadMs) => jumps.push(aheadMs);
    clock.read(new Date(wallMs));
    pass(1000, HOUR_MS);
    expect(clock.read(new Date(wallMs))).toEqual(new Date(wallMs));
    expect([clock.now(), jumps]).toEqual([wallMs, []]);
  });

  it('follows it as soon as its own clock is right', () => {
    const clock = clockOf();
    clock.read(new Date(wallMs));
    const before = wallMs;
    pass(1000);
    expect(clock.read(new Date(wallMs + HOUR_MS))).toEqual(new Date(before + 1000));
    pass(1000, HOUR_MS);
    expect(clock.read(new Date(wallMs))).toEqual(new Date(wallMs));
  });

  it('follows it after an answer from before', () => {
    const clock = clockOf();
    clock.read(new Date(wallMs));
    const asked = new Date(wallMs);
    pass(10, HOUR_MS);
    clock.read(asked);
    expect(clock.read(new Date(wallMs))).toEqual(new Date(wallMs));
  });

  it('does not follow a database that is another hour ahead', () => {
    const clock = clockOf();
    clock.read(new Date(wallMs));
    const before = wallMs;
    pass(1000, HOUR_MS);
    expect(clock.read(new Date(wallMs + HOUR_MS))).toEqual(new Date(before + 1000));
  });
});

describe('record ids', () => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await createTestDatabase();
    // A clock that the test can set: it is found before the server's own.
    await database.sql.unsafe(`
      create table clock_offset (by interval not null);
      insert into clock_offset values ('0');
      create function public.clock_timestamp() returns timestamptz language sql volatile
        as 'select pg_catalog.clock_timestamp() + by from public.clock_offset';
      alter role current_user set search_path = public, pg_catalog`);
    sql = connectDatabase(database.address, { maxConnections: 1 });
    await sql`insert into config_version (version) select 1 where not exists (select 1 from config_version)`;
    await sql`
      insert into account (bucket, customer_id, available, frozen, credit_limit) values (0, 77, 0, 0, 0)`;
  });
  afterAll(async () => {
    await database.sql.unsafe('alter role current_user reset search_path');
    await sql.end({ timeout: 1 });
    await database.drop();
  });

  const nextTime = async () => {
    const { id } = await sql.begin(async (tx) => {
      const { account, now } = await lockAccount(tx, { bucket: 0, customerId: 77n as never });
      const recordId = nextRecordId(account, now);
      await tx`update account set record_id = ${recordId} where bucket = 0 and customer_id = 77`;
      return { id: recordId };
    });
    return { id, aheadMs: timeOfId(id).getTime() - Date.now() };
  };

  it('rise, with times that stay right through a jump of an hour', async () => {
    const before = await nextTime();
    await sql`update clock_offset set by = '1 hour'`;
    const during = await nextTime();
    await sql`update clock_offset set by = '0'`;
    const after = await nextTime();
    expect(before.id < during.id && during.id < after.id).toBe(true);
    for (const { aheadMs } of [before, during, after]) expect(Math.abs(aheadMs)).toBeLessThan(60_000);
  });
});
