// The bell of an operator: what has changed since the last visit, and what of it is new.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, signIn, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`the bell of the console${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('says what is new to an operator, once, and again when it has changed', async () => {
    const { client, demo } = console;
    const operator = new OperatorClient(console.operator);
    const request = { name: 'Sale', body: 'Sale until {p1}.', service_account_no: demo.service_account_no };
    const { template_no: templateNo } = await client.submitTemplate(request);
    await operator.updateCustomer(demo.customer_no, { low_balance: '1000000' });
    const config = { host: '127.0.0.1', port: 1, system_id: 'us', password: 'secret' };
    const channel = await operator.createChannel({ name: 'Broken', kind: 'smpp', firms: ['demo'], config });
    await operator.createErasure({ phone: '13900009999' });
    await expect.poll(async () => (await operator.erasures().page()).items[0]?.status).toBe('done');
    const watched = await console.open('/operator/platform', { role: 'operator' });
    const { page } = watched;
    const bell = (name: string | RegExp) => page.getByRole('button', { name });
    await bell('Notifications, 5 new').click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('link', { name: 'Broken is down' }).waitFor();
    await panel.getByRole('link', { name: 'The balance of Demo is low' }).waitFor();
    await panel.getByRole('link', { name: /^Erasure .* is done/ }).waitFor();
    await panel.getByRole('link', { name: /^The statements of \d{4}-\d\d are final/ }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await panel.getByRole('link', { name: 'Template Sale of Demo waits for review' }).click();
    await page.waitForURL(/\/operator\/reviews/);
    await bell('Notifications, 4 new').click();
    await panel.getByRole('button', { name: 'Mark all as read' }).click();
    await bell('Notifications, none new').waitFor();
    // Seen at this visit, and no news at the next.
    await page.goto(`${console.service.url}/console/operator/reviews`);
    await signIn(page, 'operator', console.demo);
    await bell('Notifications, none new').click();
    await panel.getByRole('link', { name: 'Broken is down' }).waitFor();
    // Another text waits: that is news.
    await operator.reviewTemplate(demo.customer_no, templateNo, { decision: 'rejected', reason: 'No.' });
    await client.updateTemplate(templateNo, { body: 'Sale until {p1}!' });
    await page.goto(`${console.service.url}/console/operator/channels/${channel.channel_no}`);
    await signIn(page, 'operator', console.demo);
    await bell('Notifications, 1 new').waitFor();
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
