import type { ChannelTest } from '../../domain/entities/channel-test.js';
import { testColumns, writtenColumns } from '../channel/channel-test.js';
import type { AnySql } from '../connect.js';
import { type Acting, recordAudit } from './change.js';

const TESTS_KEPT = 100;

/** With its audit row. The owner of the channel finds it there. */
export async function createChannelTest(
  { sql, actor }: Acting,
  channelNo: string,
  { test_id, phone, sender, text }: Pick<ChannelTest, 'test_id' | 'phone' | 'sender' | 'text'>,
): Promise<ChannelTest> {
  return await sql.begin(async (tx) => {
    const [test] = await tx<ChannelTest[]>`
      insert into channel_test (channel_id, test_id, phone, sender, text, status, created_by)
      select channel_id, ${test_id}, ${phone}, ${sender}, ${text}, 'queued', ${actor} from channel where channel_no = ${channelNo}
      returning ${writtenColumns(tx)}`;
    if (test === undefined) throw new Error(`channel ${channelNo} is gone`);
    await tx`
      delete from channel_test t using channel c
      where c.channel_no = ${channelNo} and t.channel_id = c.channel_id and t.test_id in (
        select test_id from channel_test o where o.channel_id = c.channel_id order by test_id desc offset ${TESTS_KEPT}
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
