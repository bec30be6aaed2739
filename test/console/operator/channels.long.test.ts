// Channels in the console: made from one menu, followed by their log and their charts, and disabled where they are seen to be down.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collapseEvents } from '../../../packages/console/src/pages/operator/channels/collapse-events.js';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`channels in the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('a channel that is down collapses its log, draws what went through it, and is disabled from its page', async () => {
    const operator = new OperatorClient(console.operator);
    const { channel_no: channelNo } = await operator.createChannel({
      name: 'Broken',
      kind: 'smpp',
      firms: ['demo'],
      config: { host: '127.0.0.1', port: 1, system_id: 'us', password: 'secret' },
    });
    const [row] = await console.sql<{ channel_id: bigint }[]>`
      select channel_id from channel where channel_no = ${channelNo}`;
    const channelId = row?.channel_id ?? 0n;
    await console.sql`
        insert into channel_minute (minute, channel_id, since, accepted, refused, throttled, unknown, reports)
        select date_trunc('minute', now()) - n * interval '1 minute', ${channelId}, '2026-01-01T00:00:00Z', 100 - 40 * n, 7 - 3 * n, 0, 0, 0
        from generate_series(0, 2) as n`;
    await expect.poll(async () => (await operator.channelEvents(channelNo).page()).items.length).toBeGreaterThan(0);
    await console.sql`
        insert into channel_event (channel_id, slot, event_no, at, owner, event, detail)
        select ${channelId}, 100 + n, 1000 + n, now(), 'here', 'down', 'wrong password'
        from generate_series(1, 40) as n`;
    const watched = await console.open('/operator/channels', { role: 'operator' });
    const { page } = watched;
    await page.getByRole('button', { name: 'Add channel' }).click();
    const kinds = (await operator.channelKinds().page()).items;
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(kinds.length);
    expect(await findFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Broken' }).click();
    const log = page.locator('section', { hasText: 'Session log' });
    await log.getByText('40 times since').waitFor();
    await expect.poll(() => log.getByText('wrong password').count()).toBe(1);
    await page.getByText('No message errors. The connection is down.').waitFor();
    const figures = page.getByRole('table', { name: /^Segments by response/ });
    await expect.poll(() => figures.getByRole('cell', { name: '40', exact: true }).count()).toBe(2);
    await expect.poll(() => figures.getByRole('cell', { name: '3', exact: true }).count()).toBe(2);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Disable' }).click();
    const question = page.getByRole('dialog', { name: 'Disable Broken' });
    await question.getByText(/Messages in its queue go to other granted channels/).waitFor();
    expect((await operator.channel(channelNo)).status).toBe('active');
    await question.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect((await operator.channel(channelNo)).status).toBe('disabled');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    expect((await operator.channel(channelNo)).status).toBe('active');
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});

test('lines that repeat become one with their count, also where two or three take turns', () => {
  const log = (text: string) =>
    [...text].map((letter, index) => {
      const at = new Date(Date.UTC(2026, 0, 1) - index * 1_000).toISOString();
      return { event_no: 100 - index, at, owner: 'here', event: 'down', detail: letter } as const;
    });
  const shown = (text: string) => collapseEvents(log(text)).map(({ last, count }) => `${last.detail}${count}`);
  expect(shown('')).toEqual([]);
  expect(shown('abc')).toEqual(['a1', 'b1', 'c1']);
  expect(shown('aaab')).toEqual(['a3', 'b1']);
  expect(shown('cababab')).toEqual(['c1', 'a3', 'b3']);
  expect(shown('abcabca')).toEqual(['a2', 'b2', 'c2', 'a1']);
  const waits = log('aa').map((event, index) => ({ ...event, detail: `refused; reconnects in ${index}.7 s` }));
  expect(collapseEvents(waits)).toMatchObject([{ count: 2, last: { detail: 'refused; reconnects in 0.7 s' } }]);
  expect(collapseEvents(log('aaa'))[0]).toMatchObject({ firstAt: '2025-12-31T23:59:58.000Z', count: 3 });
});
