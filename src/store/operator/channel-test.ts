import type { ChannelTest } from '../../domain/entities/channel-test.js';
import { testColumns, writtenColumns } from '../channel/channel-test.js';
import type { AnySql } from '../sql.js';
import { type ActorContext, recordAudit } from './change.js';

const TESTS_KEPT = 100;

/** With its audit row. The owner of the channel finds it there. */
export async function createChannelTest(
  { sql, actor }: ActorContext,
  channelNo: string,
  { test_id, phone, sender, text }: Pick<ChannelTest, 'test_id' | 'phone' | 'sender' | 'text'>,
): Promise<ChannelTest> {
  return await sql.begin(async (tx) => {
    const [channel] = await tx<{ id: bigint }[]>`select channel_id as id from channel where channel_no = ${channelNo}`;
    if (channel === undefined) throw new Error(`channel ${channelNo} is gone`);
    // A separate statement from the lookup: Citus rejects `insert … select … returning` from another table.
    const [test] = await tx<ChannelTest[]>`
      insert into channel_test (channel_id, test_id, phone, sender, text, status, created_by)
      values (${channel.id}, ${test_id}, ${phone}, ${sender}, ${text}, 'queued', ${actor})
      returning ${writtenColumns(tx)}`;
    if (test === undefined) throw new Error('the test was not written');
    await tx`
      delete from channel_test where channel_id = ${channel.id} and test_id in (
        select test_id from channel_test where channel_id = ${channel.id} order by test_id desc offset ${TESTS_KEPT}
      )`;
    await recordAudit(tx, actor, { action: 'channel.test', subject: channelNo, change: { phone, sender, text } });
    return test;
  });
}

/** Newest first. */
export async function readChannelTests(sql: AnySql, channelNo: string): Promise<ChannelTest[]> {
  return await sql<ChannelTest[]>`
    select ${testColumns(sql)} from channel_test
    where channel_id = (select channel_id from channel where channel_no = ${channelNo}) order by test_id desc`;
}
