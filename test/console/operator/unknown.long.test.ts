// Numbers of which a carrier has not said whether it accepted them, decided one by one and many at once.

import { OperatorClient, PostriderClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { type ConsoleService, expectQuiet, signIn, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();
/** Its answer is lost. */
const LOST = '13800139005';

describe.skipIf(missing !== undefined)(
  `unconfirmed numbers in the console${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let console: ConsoleService;
    beforeAll(async () => {
      console = await startConsoleService();
    });
    afterAll(() => console.stop());

    async function loseOne(name: string): Promise<string> {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, auto_freeze: true, auto_submit: true };
      const { task_no: taskNo } = await client.send({ ...request, phones: [LOST], variable_values: [name] });
      await client.waitForTask(taskNo, { until: ({ stage }) => stage === 'submit_unknown' });
      return taskNo;
    }

    test('one is decided beside its text, its channel and its record, and the task ends', async () => {
      const taskNo = await loseOne('Ann');
      const operator = new OperatorClient(console.operator);
      const [part] = (await operator.unknownParts({ taskNo, include: 'text' }).page()).items;
      const price = (await console.client.task(taskNo)).amounts.frozen;
      expect(part).toMatchObject({ phone: LOST, price, currency: 'CNY', upstream_message_id: null });
      expect(part?.text).toContain('Ann');
      const watched = await console.open(`/operator/tasks/${taskNo}`, { role: 'operator' });
      const { page } = watched;
      await page.getByRole('link', { name: 'Resolve' }).click();
      const row = page.getByRole('row').filter({ hasText: taskNo });
      await row.getByText(part?.text ?? '').waitFor();
      await row.getByRole('link', { name: 'Demo' }).first().waitFor();
      await row.getByText('none given').waitFor();
      await row.getByRole('button', { name: 'Resolve' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resolve 1 number' });
      await dialog.getByText(part?.submit_no ?? 'no record').waitFor();
      await dialog.getByText(part?.text ?? '').waitFor();
      // It ends for good, so nothing is chosen beforehand.
      expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0);
      const decide = dialog.getByRole('button', { name: 'Resolve 1 number' });
      await expect.poll(() => decide.isDisabled()).toBe(true);
      expect(await findFaults(page)).toEqual([]);
      await dialog.getByText('Not accepted', { exact: true }).click();
      await dialog.getByText(/^Each number gets a rejected receipt, and 0\.\d+ CNY in total is released/).waitFor();
      await decide.click();
      await row.waitFor({ state: 'detached' });
      const ended = await console.client.waitForTask(taskNo);
      expect(ended).toMatchObject({ stage: 'completed', counts: { rejected: 1 }, amounts: { released: price } });
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('those of a channel are decided together, with their count and their sum, and no others', async () => {
      const operator = new OperatorClient(console.operator);
      const { customer, template, credential } = await operator.createOnboarding({
        customer: { name: 'Other', unit_price: '0.07' },
        channels: [{ channel_no: console.demo.channel_no }],
        service_account: { name: 'Other', sender: '10691236' },
        template: { name: 'Other', body: 'Hello' },
        topup: { amount: '1' },
        credential: {},
      });
      const other = new PostriderClient({
        baseUrl: console.service.url,
        apiKey: credential?.api_key ?? '',
        apiSecret: credential?.api_secret ?? '',
      });
      const taskNos = [await loseOne('Ben'), await loseOne('Cleo')];
      const foreign = await other.send({
        template_no: template?.template_no ?? '',
        phones: [LOST],
        auto_freeze: true,
        auto_submit: true,
      });
      await other.waitForTask(foreign.task_no, { until: ({ stage }) => stage === 'submit_unknown' });
      const { frozen } = (await console.client.task(taskNos[0] ?? '')).amounts;
      const { channel_no: channelNo, customer_no: customerNo } = console.demo;

      const watched = await console.open(`/operator/unknown?channel_no=${channelNo}`, { role: 'operator' });
      const { page } = watched;
      await page.getByRole('row').filter({ hasText: foreign.task_no }).waitFor();
      await page.getByText('Nothing selected').waitFor();
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
      await page.getByRole('row').filter({ hasText: foreign.task_no }).getByRole('checkbox').check();
      await page.getByText('1 number in 1 task, 0.07 CNY').waitFor();
      await page.getByRole('button', { name: 'Select all 3' }).click();
      const sum = (2 * Number(frozen) + 0.07).toFixed(2);
      await page.getByText(`3 numbers in 3 tasks, ${sum} CNY`).waitFor();
      expect(await findFaults(page)).toEqual([]);
      // What is marked does not stay so where it is not listed.
      await page.goto(`${console.service.url}/console/operator/unknown?customer_no=${customerNo}`);
      await signIn(page, 'operator', console.demo);
      await page.getByText('Nothing selected').waitFor();
      await page.getByRole('button', { name: 'Select all 2' }).click();
      await page.getByRole('button', { name: 'Resolve 2 numbers' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resolve 2 numbers' });
      await dialog.getByText(/^Demo: 2 numbers in 2 tasks/).waitFor();
      await dialog.getByText('Accepted', { exact: true }).click();
      await dialog.getByLabel('Remark').fill('Asked the carrier');
      await dialog.getByRole('button', { name: 'Resolve 2 numbers' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('No results for these filters').waitFor();
      for (const taskNo of taskNos) {
        expect((await console.client.task(taskNo)).amounts).toMatchObject({ charged: frozen });
        const { items } = await operator.auditLog({ subject: taskNo, action: 'task.resolve' }).page();
        expect(items).toMatchObject([{ change: { outcome: 'accepted', seqs: [1], remark: 'Asked the carrier' } }]);
      }
      expect((await operator.task(foreign.task_no)).stage).toBe('submit_unknown');
      expect((await operator.customer(customer.customer_no)).account).toMatchObject({ frozen: '0.070000' });
      expectQuiet(watched, console.service.url);
      await watched.close();
    });
  },
);
