// What was sent and earned, by whatever it is broken down, with the period before beside it.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, signIn, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`margins in the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('a margin without costs says so, and each chart has the period before beside it', {
    timeout: 240_000,
  }, async () => {
    const { client, demo, sql } = console;
    const operator = new OperatorClient(console.operator);
    const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
    const { task_no: taskNo } = await client.send({ ...request, phones: ['13800139001', '13800139002'] });
    await client.waitForTask(taskNo);
    const charged = async () =>
      (await operator.statistics({ by: 'channel' })).items.find(({ key }) => key === demo.channel_no)?.charged;
    await expect.poll(charged).toBe('0.100000');
    // Ten days ago there was half as much, on the same channel.
    await sql`
        insert into traffic_sum (bucket, customer_id, grain, at, channel_id, firm, class, unit_price, numbers, parts, delivered,
          charged, refunded, cost)
        select bucket, customer_id, grain, at - interval '10 days', channel_id, firm, class, unit_price, 1, 1, 1, 50000, 0, 0
        from traffic_sum where channel_id <> 0`;
    const watched = await console.open('/operator/margins?by=channel&range=7d&show=charged', { role: 'operator' });
    const { page } = watched;
    const chart = page.locator('section', { hasText: 'Charged by Channel, CNY' });
    const line = chart.getByRole('listitem').filter({ hasText: 'Demo' });
    await line.getByText('0.05 before').waitFor();
    await line.getByText('+100 %').waitFor();
    await page.getByRole('radiogroup', { name: 'Show' }).getByText('Margin').click();
    const margins = page.locator('section', { hasText: 'Margin by Channel, CNY' });
    await margins.getByRole('listitem').filter({ hasText: 'Demo' }).getByText('no costs entered').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Demo' });
    await expect.poll(() => row.getByText('no costs entered').count()).toBe(2);
    await page.getByText('No costs entered for these channels').waitFor();
    for (const by of ['Day', 'Customer', 'Carrier', 'Class', 'Template']) {
      await page.getByRole('radiogroup', { name: 'Break down by' }).getByText(by, { exact: true }).click();
      await page.getByRole('heading', { name: `Margin by ${by}, CNY` }).waitFor();
      if (by === 'Day' || by === 'Customer') expect(await findFaults(page)).toEqual([]);
    }
    await page.getByText('Costs and refunds are not kept by template.').waitFor();
    await page.getByRole('radiogroup', { name: 'Show' }).getByText('Numbers').click();
    const name = (await operator.templates(demo.customer_no).page()).items.find(
      ({ template_no: no }) => no === demo.template_no,
    )?.name;
    await page
      .getByRole('listitem')
      .filter({ hasText: name ?? 'no template' })
      .waitFor();

    await operator.createCost(demo.channel_no, { firm: 'demo', unit_price: '0.02' });
    const next = await client.send({ ...request, phones: ['13800139001'] });
    await client.waitForTask(next.task_no);
    await page.goto(`${console.service.url}/console/operator/margins?by=channel&range=7d&show=margin`);
    await signIn(page, 'operator', console.demo);
    await page.getByRole('listitem').filter({ hasText: 'Demo' }).getByText('0.13').waitFor();
    expect(await page.getByText('no costs entered').count()).toBe(0);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});

test('a balance is drawn in steps: it stays until it changes', { skip: missing !== undefined }, async () => {
  const console = await startConsoleService();
  try {
    const watched = await console.open('/overview', { role: 'customer' });
    const path = watched.page.locator('section', { hasText: 'Balance' }).locator('svg path[vector-effect]');
    await path.waitFor({ state: 'attached' });
    await expect.poll(() => path.getAttribute('d')).toMatch(/^M0 [\d.]+(H[\d.]+V[\d.]+)*H100\.00$/);
    await watched.close();
  } finally {
    await console.stop();
  }
});
