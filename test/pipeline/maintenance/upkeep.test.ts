// Upkeep is a list of steps that have nothing to do with each other.

import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { runUpkeep } from '../../../src/pipeline/maintenance/upkeep.js';
import { createTestDatabase } from '../../support/database.js';

test('a step that fails stops none of the others, and is reported', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  await sql`
    insert into unclaimed_uplink (channel_id, sender, recipient, content, received_at)
    values (1, '8613800138000', '1069', 'T', now() - interval '31 days')`;
  await sql`alter table unmatched_report rename to away`;
  const audited: number[] = [];
  const upkeep = runUpkeep({ sql, log: pino({ level: 'silent' }), setImbalances: (count) => audited.push(count) });
  await expect(upkeep).rejects.toThrow('unmatched_report');
  expect(await sql`select 1 from unclaimed_uplink`).toHaveLength(0);
  expect(audited).toEqual([0]);
});
