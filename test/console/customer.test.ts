// What a customer does in the console, in a real browser against a real service.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorClient, PostriderClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkbook } from '../../packages/client/test/create-workbook.js';
import { findBrowserMissing } from '../support/browser.js';
import { until } from '../support/until.js';
import {
  type ConsoleService,
  chooseTemplate,
  expectQuiet,
  openKeyForm,
  signIn,
  startConsoleService,
  waitUntilSignedIn,
} from './console-service.js';
import { sendFile } from './send-file.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(
  `a customer in the console${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let console: ConsoleService;
    beforeAll(async () => {
      console = await startConsoleService();
    });
    afterAll(() => console.stop());

    test('who is not signed in is asked to, and then sees the page that was asked for', async () => {
      const { client, demo, service } = console;
      const task = await client.send({
        template_no: demo.template_no,
        phones: ['13900001111'],
        variable_values: ['Ann'],
      });
      const watched = await console.open(`/tasks/${task.task_no}`);
      const { page } = watched;
      await openKeyForm(page);
      await page.getByLabel('API key').fill(demo.api_key);
      await page.getByLabel('API secret').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The key or the secret is not valid.').waitFor();
      await page.getByLabel('API secret').fill(demo.api_secret);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: task.client_request_id ?? '' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/console/tasks/${task.task_no}`);
      const stored = await page.evaluate(
        'JSON.stringify([localStorage, sessionStorage, location.href, document.cookie])',
      );
      expect(stored).not.toContain(demo.api_secret);
      // The refused signature is an error of the console's own network log, and the only one.
      expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([]);
      expect([...watched.hosts]).toEqual([new URL(service.url).host]);
      await watched.close();
    });

    test('the link of the start banner signs in, once, and leaves no trace in the address', async () => {
      const link = console.service.signInLinks?.customer ?? '';
      const watched = await console.open('/tasks');
      await watched.page.goto(link);
      await waitUntilSignedIn(watched.page);
      expect(watched.page.url()).not.toContain('sign-in');
      await watched.page.reload();
      await waitUntilSignedIn(watched.page);
      expectQuiet(watched, console.service.url);
      await watched.close();

      const second = await console.open('/tasks');
      await second.page.goto(link);
      await second.page.getByText('was used already').waitFor();
      await second.close();
    });

    test('a task is watched to its end, and every count leads to its rows', async () => {
      const { client, demo, service } = console;
      const phones = ['13800139001', '13800139002', '13800139003', '13800139005', '13800139009'];
      const watched = await console.open('/tasks', { role: 'customer' });
      const { page } = watched;
      const task = await client.send({
        template_no: demo.template_no,
        phones,
        variable_values: ['Ann'],
        client_request_id: 'watched',
        auto_freeze: true,
        auto_submit: true,
      });
      await page.getByRole('link', { name: 'watched' }).click();
      await page.getByText('Hello Ann, this is Postrider.', { exact: true }).waitFor();
      await page.getByText('Unconfirmed').first().waitFor();
      await page.getByRole('link', { name: '2', exact: true }).click();
      await expect.poll(() => page.getByRole('table', { name: 'Receipts' }).getByRole('row').count()).toBe(1 + 2);
      expect(new URL(page.url()).searchParams.get('result')).toBe('delivered');
      const { amounts } = await client.task(task.task_no);
      await page.getByText(amounts.charged.slice(0, 4)).first().waitFor();
      expectQuiet(watched, service.url);
      await watched.close();
    });

    test('a task of which nothing was sent says so, and why', async () => {
      const { client, demo, service } = console;
      const body = { template_no: demo.template_no, phones: ['123'], variable_values: ['Ann'] };
      const task = await client.send({ ...body, client_request_id: 'unreachable' });
      await until('it is complete', async () => (await client.task(task.task_no)).stage === 'completed');
      const watched = await console.open('/tasks', { role: 'customer' });
      const { page } = watched;
      await page.getByRole('row').filter({ hasText: 'unreachable' }).getByText('nothing sent').waitFor();
      await page.getByRole('link', { name: 'unreachable' }).click();
      const notice = page.getByRole('alert').filter({ hasText: 'Nothing was sent: 1 number was rejected.' });
      await notice.getByText(/The first one: .*valid/).waitFor();
      expectQuiet(watched, service.url);
      await watched.close();
    });

    test('a task that was held back is frozen and submitted by hand, each step explained first', async () => {
      const { client, demo, service } = console;
      const task = await client.send({
        template_no: demo.template_no,
        phones: ['13800139001'],
        variable_values: ['Ann'],
        client_request_id: 'by hand',
      });
      const watched = await console.open(`/tasks/${task.task_no}`, { role: 'customer' });
      const { page } = watched;
      for (const step of ['Reserve funds', 'Submit']) {
        await page.getByRole('button', { name: step }).click();
        await page.getByRole('dialog').getByRole('button', { name: step }).click();
      }
      await page.getByText('Completed').first().waitFor();
      expect((await client.task(task.task_no)).stage).toBe('completed');
      expectQuiet(watched, service.url);
      await watched.close();
    });

    test('a list is pasted, sent, and sent only once however often the button is pressed', async () => {
      const watched = await console.open('/compose', { role: 'customer' });
      const { page } = watched;
      await chooseTemplate(page, console.demo);
      await page.getByLabel('Recipients').fill('phone,name\n13800139001,Ann\n13800139002,Bob\n');
      // No send before the price is known, and none without a question that states it.
      let letGo = () => {};
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route('**/messages/preview/', async (route) => {
        await gate;
        await route.continue();
      });
      await page.getByRole('textbox', { name: 'Reference' }).fill('pasted');
      const send = page.getByRole('button', { name: 'Send to 2 numbers' });
      await expect.poll(() => send.isDisabled()).toBe(true);
      letGo();
      const question = page.getByRole('dialog', { name: 'Send to 2 numbers' });
      const confirm = async () => {
        await send.click();
        await question.getByText(/^2 messages for 0\.\d+ CNY in total\. Sending starts now\./).waitFor();
        await question.getByRole('button', { name: 'Send', exact: true }).click();
      };
      await confirm();
      await page.getByText('Accepted as 1 task.').waitFor();
      await confirm();
      await page.getByText('nothing was sent again').waitFor();
      await page.getByRole('link', { name: 'View progress' }).click();
      await page.getByText('Completed').first().waitFor();
      const sent = [];
      for await (const task of console.client.tasks()) {
        if (task.client_request_id?.startsWith('pasted')) sent.push(task);
      }
      expect(sent.map(({ counts }) => counts.total)).toEqual([2]);
      await page.goto(`${console.service.url}/console/tasks/${sent[0]?.task_no}`);
      await signIn(page, 'customer', console.demo);
      for (const name of ['Ann', 'Bob']) await page.getByRole('cell', { name: `Hello ${name}, this is` }).waitFor();
      await watched.close();
    });

    test('the composer names numbers to try, explains what it asks for, and leads to the task', async () => {
      const watched = await console.open('/compose', { role: 'customer' });
      const { page } = watched;
      await page.getByText('Demo numbers: 13800139001 is delivered').waitFor();
      await page.getByText('Add a template and recipients to see a preview').waitFor();
      await chooseTemplate(page, console.demo);
      await page.getByText('Add recipients and {p1} to see a preview').waitFor();
      await page.getByLabel('Recipients').fill('13800139001');
      const value = page.getByLabel('Value of {p1}');
      await value.and(page.getByRole('textbox', { description: 'Hello {p1}, this is Postrider.' })).fill('Ann');
      await page.getByText('13800139001 · GSM-7 (160 characters) · 1 segment').waitFor();
      await value.fill('小明');
      await page.getByText('13800139001 · Unicode (70 characters) · 1 segment').waitFor();
      await page.getByRole('button', { name: 'Send to 1 number' }).click();
      await page.getByRole('link', { name: 'View progress' }).click();
      await page.waitForURL(/\/console\/tasks\/T/);
      expectQuiet(watched, console.service.url);
      await watched.close();
      const chinese = await console.open('/compose', { role: 'customer', locale: 'zh-CN' });
      const choice = chinese.page.getByLabel('模板', { exact: true });
      await choice.selectOption(await choice.locator('option', { hasText: '演示通知' }).getAttribute('value'));
      await chinese.page.getByLabel('{p1} 的值').waitFor();
      await chinese.page.getByText('{p1}，您好，欢迎使用 Postrider。').first().waitFor();
      await chinese.page.getByText('演示号码：13800139001 送达').waitFor();
      await expect.poll(() => chinese.page.getByRole('link', { name: '文档' }).textContent()).toBe('文档');
      await chinese.close();
    });

    test('a draft stays on the page, takes no past time, and is sent from where it was saved', async () => {
      const { client } = console;
      const watched = await console.open('/compose', { role: 'customer' });
      const { page } = watched;
      await chooseTemplate(page, console.demo);
      await page.getByLabel('Recipients').fill('13800139001,Ann');
      await page.getByRole('textbox', { name: 'Reference' }).fill('draft');
      await page.getByLabel('Send at').fill('2020-01-01T00:00');
      await page.getByText('This time has passed.').waitFor();
      await expect.poll(() => page.getByRole('button', { name: /^Send to/ }).isDisabled()).toBe(true);
      await page.getByLabel('Send at').fill('');
      await page.getByText('Save as draft').click();
      await page.getByRole('link', { name: 'Tasks', exact: true }).click();
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
      await page.getByRole('link', { name: 'Compose' }).click();
      await page.getByRole('button', { name: 'Save as draft: 1 number' }).click();
      await page.getByText('Saved as a draft.').waitFor();
      await page.getByText('Send', { exact: true }).click();
      await page.getByRole('button', { name: 'Send to 1 number' }).click();
      await page.getByText('This message is already saved as a draft.').waitFor();
      await page.getByRole('link', { name: 'Open it to send it' }).click();

      await page.getByRole('button', { name: 'Reschedule' }).click();
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
      await page.getByRole('dialog').getByLabel('Send at').fill(tomorrow);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const taskNo = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      expect(Date.parse((await client.task(taskNo)).send_at ?? '')).toBeGreaterThan(Date.now());
      expect(watched.complaints.filter((text) => !text.includes('409'))).toEqual([]);
      await watched.close();
    });

    test('the rows of a batch agree with its head after the end', async () => {
      const { client, demo } = console;
      const { task_no: taskNo } = await client.send({
        template_no: demo.template_no,
        phones: ['13900001111'],
        variable_values: ['Ann'],
        auto_freeze: true,
        auto_submit: true,
        batch_id: 'agree',
        send_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      await client.waitForTask(taskNo, { until: ({ stage }) => stage === 'prepared' });
      const watched = await console.open('/batches/agree', { role: 'customer' });
      const { page } = watched;
      const rows = page.getByRole('table', { name: 'Tasks' });
      await rows.getByText('Prepared').waitFor();
      // The rows are as they were before the end until the head has shown it.
      let isOver = false;
      let before: string | undefined;
      await page.route('**/messages/batches/agree/', async (route) => {
        const response = await route.fetch();
        isOver ||= ((await response.json()) as { completed_at: string | null }).completed_at !== null;
        await route.fulfill({ response });
      });
      await page.route('**/messages/tasks/?*', async (route) => {
        if (isOver) return route.continue();
        before ??= await (await route.fetch()).text();
        return route.fulfill({ contentType: 'application/json', body: before });
      });
      await page.waitForResponse((response) => response.url().includes('/messages/tasks/?'));
      await client.cancelTask(taskNo);
      await rows.getByText('Cancelled').waitFor();
      await watched.close();
    });

    test('the body that the explorer begins with is sent', async () => {
      const watched = await console.open('/developers?call=sendMessages', { role: 'customer' });
      const { page } = watched;
      const answer = page.waitForResponse((response) => response.url().endsWith('/messages/send/'));
      await page.getByRole('button', { name: 'Sign and send' }).click();
      const { task_no: taskNo } = (await (await answer).json()) as { task_no: string };
      await console.client.waitForTask(taskNo);
      expect((await console.client.task(taskNo)).counts.unsent).toBe(0);
      await watched.close();
    });

    test('a file is read as its spreadsheet wrote it, or refused with a sentence', async () => {
      const watched = await console.open('/compose', { role: 'customer' });
      const { page } = watched;
      await chooseTemplate(page, console.demo);
      const choose = (name: string, buffer: Uint8Array) =>
        page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(buffer) });
      const gbk = 'cad6bbfabac52cd0d5c3fb0d0a31333830303133393030312cd5c5c8fd0d0a';
      await choose('list.csv', Buffer.from(gbk, 'hex'));
      await page.getByText('list.csv is read as GB18030').waitFor();
      await page.getByText('Hello 张三').waitFor();
      await choose('list.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]));
      await page.getByText('list.png is not text.').waitFor();
      await expect.poll(() => page.getByLabel('Recipients').inputValue()).toBe('');
      await choose(
        'list.xlsx',
        createWorkbook([
          ['phone', 'name'],
          [13800139002, '李四'],
        ]),
      );
      await page.getByText('Hello 李四').waitFor();
      await page.getByLabel('Recipients').fill('13800139001,\uFFFD\uFFFD');
      await page.getByText('The list contains damaged characters').waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a file of 6,000 goes out in pieces, and every number has its receipt', () => sendFile(console, 6_000));

    test('everything about a number is found by any spelling', async () => {
      const watched = await console.open('/overview', { role: 'customer' });
      const { page } = watched;
      await page.getByLabel('Search').first().fill('+86 138-0013-9009');
      await page.keyboard.press('Enter');
      await page.getByText('STOP', { exact: true }).waitFor();
      await page.getByText('This number opted out').waitFor();
      for (const step of [
        'was sent to',
        'The carrier responded',
        'Delivery report for segment',
        'Receipt:',
        'Hello Ann,',
      ]) {
        await page.getByText(step).first().waitFor();
      }
      await page.getByRole('link', { name: 'Replies' }).click();
      await page.getByText(/^In reply to: Hello Ann,/).waitFor();
      expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0);
      await page.getByRole('link', { name: /^13800139009/ }).click();
      await expect.poll(() => page.url()).toContain('with=');
      expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0);
      await watched.close();
    });

    test('a number whose answer was lost is shown as unknown', async () => {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
      const { task_no: taskNo } = await client.send({ ...request, phones: ['13800139005'] });
      await client.waitForTask(taskNo, { until: ({ stage }) => stage === 'submit_unknown' });
      const watched = await console.open('/numbers/13800139005', { role: 'customer' });
      await watched.page.getByText('The carrier has not responded:').first().waitFor();
      await watched.close();
    });

    test('a number is read while it stands in the box, and is there when Enter is pressed', async () => {
      const watched = await console.open('/ledger', { role: 'customer' });
      const { page } = watched;
      const calls: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/messages/numbers/')) calls.push(new URL(request.url()).pathname);
      });
      const box = page.getByLabel('Search').first();
      await box.fill('138');
      const read = page.waitForResponse((response) => response.url().includes('/messages/numbers/'));
      await box.fill('13800139009');
      await (await read).finished();
      expect(calls).toEqual(['/openapi/v1/messages/numbers/13800139009/']);
      expect(new URL(page.url()).pathname).toBe('/console/ledger');
      await page.route('**/messages/numbers/**', () => {});
      await box.press('Enter');
      await page.getByText('Receipt:').first().waitFor();
      await watched.close();
    });

    test('rows stay until those of another choice are there, and say that they are not those', async () => {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
      await client.waitForTask((await client.send({ ...request, phones: ['13800139001', '13800139002'] })).task_no);
      const watched = await console.open('/receipts', { role: 'customer' });
      const { page } = watched;
      const table = page.getByRole('table', { name: 'Receipts' });
      await table.getByText('Delivered').first().waitFor();
      let letGo = () => {};
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route('**/messages/receipts/**', async (route) => {
        await gate;
        await route.continue();
      });
      await page.getByLabel('Result').selectOption('Undelivered');
      await expect.poll(() => table.getAttribute('aria-busy')).toBe('true');
      await expect.poll(() => table.getByText('Delivered', { exact: true }).count()).toBeGreaterThan(0);
      letGo();
      await expect.poll(() => table.getAttribute('aria-busy')).toBe('false');
      const results = await table.locator('tbody td:nth-child(2)').allTextContents();
      expect(new Set(results)).toEqual(new Set(['Undelivered']));
      await page.getByLabel('Result').selectOption('All');
      await table.getByText('Delivered', { exact: true }).first().waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('the page of a number is there before a number is asked for', async () => {
      const watched = await console.open('/ledger', { role: 'customer' });
      const readLoaded = () =>
        watched.page.evaluate(
          `performance.getEntriesByType('resource').some(({ name }) => name.includes('number-page'))`,
        );
      await expect.poll(readLoaded, { timeout: 60_000 }).toBe(true);
      await watched.close();
    });

    test('figures of the overview lead to the receipts behind them, and those of a batch, too', async () => {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, variable_values: ['Ann'], auto_freeze: true, auto_submit: true };
      const phones = ['13800139001', '13800139002', '13800139003'];
      const { task_no: taskNo } = await client.send({ ...request, phones, batch_id: 'led' });
      await client.waitForTask(taskNo);
      const watched = await console.open('/overview', { role: 'customer' });
      const { page } = watched;
      await page.locator('figure').getByRole('link').last().click();
      const rows = page.getByRole('table', { name: 'Receipts' }).locator('tbody').getByRole('row');
      await rows.first().waitFor();
      const { searchParams } = new URL(page.url());
      expect(searchParams.get('result')).toBe('rejected');
      expect(new Set(await rows.locator('td:nth-child(2)').allTextContents())).toEqual(new Set(['Rejected']));
      await page.getByRole('button', { name: 'What REFUSED means' }).first().click();
      await page.getByText('If both are right, contact the platform').waitFor();
      // Who uses the keyboard goes on from where it was.
      await page.keyboard.press('Escape');
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('What REFUSED means');
      await page.goto(`${console.service.url}/console/batches/led`);
      await signIn(page, 'customer', demo);
      await page.getByRole('link', { name: '1', exact: true }).first().click();
      await expect.poll(() => rows.count()).toBe(1);
      expect(new URL(page.url()).searchParams.get('batch_id')).toBe('led');
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a paused task can be resumed, and is not offered to be submitted meanwhile', async () => {
      const { client, demo } = console;
      const { task_no: taskNo } = await client.send({
        template_no: demo.template_no,
        phones: ['13900001111'],
        variable_values: ['Ann'],
        auto_freeze: true,
        auto_submit: true,
        batch_id: 'halted',
        send_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      await client.waitForTask(taskNo, { until: ({ stage }) => stage === 'prepared' });
      await client.pauseTask(taskNo);
      const watched = await console.open(`/tasks/${taskNo}`, { role: 'customer' });
      await watched.page.getByRole('button', { name: 'Resume' }).waitFor();
      expect(await watched.page.getByRole('button', { name: 'Submit' }).count()).toBe(0);
      await watched.page.getByRole('link', { name: 'halted' }).click();
      await watched.page.getByRole('button', { name: 'Resume all' }).waitFor();
      expect(await watched.page.getByRole('button', { name: 'Pause all' }).count()).toBe(0);
      // All of it is frozen and submitted: nothing is offered that would do nothing.
      expect(await watched.page.getByRole('button', { name: /Reserve funds|Submit/ }).count()).toBe(0);
      await client.resumeTask(taskNo);
      await watched.page.getByRole('button', { name: 'Pause all' }).waitFor();
      expect(await watched.page.getByRole('button', { name: 'Resume all' }).count()).toBe(0);
      await watched.close();
    });

    test('the ledger on screen is that of the API, to the last digit', async () => {
      const { client } = console;
      const watched = await console.open('/ledger?view=entries', { role: 'customer' });
      const { page } = watched;
      const table = page.getByRole('table', { name: 'Ledger' });
      await table.waitFor();
      const { items } = await client.ledgers({ pageSize: 10 }).page();
      for (const entry of items) {
        const row = table
          .getByRole('row')
          .filter({ hasText: `#${entry.seq}` })
          .first();
        const text = ((await row.textContent()) ?? '').replaceAll(',', '').replaceAll('−', '-');
        for (const amount of [entry.amount, entry.available_after, entry.frozen_after]) expect(text).toContain(amount);
      }
      const account = await client.account();
      const shown = ((await page.locator('main').textContent()) ?? '').replaceAll(',', '');
      expect(shown).toContain(account.available);
      await watched.close();
    });

    test('a remark in the ledger that a phone has no room for is read whole at a press', async () => {
      const { demo, operator } = console;
      const remark = 'Bank transfer of 3 November, invoice 4711, with thanks for paying early';
      await new OperatorClient(operator).topUp(demo.customer_no, { amount: '1.00', remark });
      const watched = await console.open('/ledger', { role: 'customer', width: 390 });
      const { page } = watched;
      await page.getByRole('button', { name: remark }).click();
      await page.getByRole('dialog').getByText(remark).waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a call is tried from the explorer, signed like any other', async () => {
      const watched = await console.open('/developers', { role: 'customer' });
      const { page } = watched;
      await page.getByRole('button', { name: 'Sign and send' }).click();
      await page.getByText('"task_no"').waitFor();
      for (const language of ['curl', 'TypeScript', 'Python', 'PHP', 'Java', 'Go']) {
        await page.getByRole('tab', { name: language }).click();
        await page.getByText('API_SECRET').first().waitFor();
      }
      const shown = await page.locator('main').textContent();
      expect(shown).not.toContain(console.demo.api_secret);
      await watched.close();
    });

    test('a service that goes away is announced and comes back without a reload', async () => {
      const watched = await console.open('/tasks', { role: 'customer' });
      const { page } = watched;
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
      const bringBack = await console.takeAway();
      await page.getByText('The service is not responding').waitFor();
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
      await bringBack();
      await page.getByText('The service is not responding').waitFor({ state: 'detached' });
      const { client, demo } = console;
      const request = { template_no: demo.template_no, phones: ['13900001111'], variable_values: ['Ann'] };
      await client.send({ ...request, client_request_id: 'after the return' });
      await page.getByRole('link', { name: 'after the return' }).waitFor();
      await watched.close();
    });

    test('a list that failed is tried again by a press, and a page that failed leaves the way to the others', async () => {
      const watched = await console.open('/batches', { role: 'customer' });
      const { page } = watched;
      await page.getByRole('heading', { name: 'Batches' }).waitFor();
      const refuse = { status: 422, contentType: 'application/problem+json', body: '{"code":"odd","detail":"odd"}' };
      await page.route(/messages\/tasks/, (route) => route.fulfill(refuse));
      await page.getByRole('link', { name: 'Tasks', exact: true }).click();
      await page.getByText('Could not load').waitFor();
      await page.unroute(/messages\/tasks/);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('table', { name: 'Tasks' }).waitFor();

      await page.route(/assets\/developers-page/, (route) => route.abort());
      await page.getByRole('link', { name: 'Developers' }).click();
      await page.getByRole('heading', { name: 'Something went wrong on this page' }).waitFor();
      await page.getByRole('link', { name: 'Ledger', exact: true }).click();
      await page.getByRole('table', { name: 'Ledger' }).waitFor();
      await watched.close();
    });

    test('a task is cancelled half-way: what went out counts, the rest is released', async () => {
      const { client, demo } = console;
      const operator = new OperatorClient(console.operator);
      await operator.updateChannel(demo.channel_no, { parts_per_second: 10 });
      const phones = Array.from({ length: 400 }, (_, index) => String(13_600_000_000 + index));
      const task = await client.send({
        template_no: demo.template_no,
        phones,
        variable_values: ['Ann'],
        client_request_id: 'cancelled half-way',
        auto_freeze: true,
        auto_submit: true,
      });
      const watched = await console.open(`/tasks/${task.task_no}`, { role: 'customer' });
      const { page } = watched;
      await expect.poll(async () => (await client.task(task.task_no)).counts.delivered).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Cancel task' }).click();
      await page.getByRole('dialog').getByText('will not be sent').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
      const ended = await client.waitForTask(task.task_no);
      expect(ended.counts.delivered).toBeGreaterThan(0);
      expect(ended.counts.rejected).toBeGreaterThan(0);
      expect(ended.amounts.held).toBe('0.000000');
      await page.getByText('Completed').first().waitFor();
      await operator.updateChannel(demo.channel_no, { parts_per_second: null });
      await watched.close();
    });

    test('a webhook is added, tried, and its tries are seen', async () => {
      const received: string[] = [];
      const server = createServer((request, response) => {
        received.push(String(request.headers['webhook-id']));
        request.resume();
        response.end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const watched = await console.open('/developers?tab=webhooks', { role: 'customer' });
      const { page } = watched;
      await page.getByLabel('URL').fill(`http://127.0.0.1:${port}/hook`);
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText(/^whsec_/).waitFor();
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page.getByRole('cell', { name: '200' }).first().waitFor();
      expect(received.length).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('dialog').getByLabel('Description').fill('for the ledger');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('for the ledger').waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText("This can't be undone").waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
      server.close();
      await watched.close();
    });

    test('keys are created, seen and revoked by who has the scope', async () => {
      const { demo } = console;
      const operator = new OperatorClient(console.operator);
      const admin = await operator.createCredential(demo.customer_no, {
        name: 'Admin',
        scopes: ['read', 'finance', 'admin'],
      });
      const watched = await console.open('/developers?tab=keys');
      const { page } = watched;
      await signIn(page, 'customer', { ...demo, ...admin });
      await page.getByRole('button', { name: 'Create API key' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Name').fill('Nightly report');
      await form.getByLabel('Expires').fill('2099-12-31');
      await form.getByRole('button', { name: 'Create API key' }).click();
      await page.getByText(/^sk_/).waitFor();
      const row = page.getByRole('row').filter({ hasText: 'Nightly report' });
      // The end of the day in UTC, as the viewer's clock shows it.
      await row.getByText(/31 Dec 2099|01 Jan 2100/).waitFor();
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('Revoked').waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('everything that goes by a name is found from the header', async () => {
      const { client, demo } = console;
      const request = { template_no: demo.template_no, phones: ['13900001111'], variable_values: ['Ann'] };
      await client.send({ ...request, client_request_id: 'order-77', batch_id: 'spring', title: 'Spring sale' });
      const watched = await console.open('/ledger', { role: 'customer' });
      const { page } = watched;
      const box = page.getByLabel('Search').first();
      for (const [wanted, table] of [
        ['order-77', 'Tasks'],
        ['Spring', 'Tasks'],
      ] as const) {
        await box.fill(wanted);
        await box.press('Enter');
        await page.getByRole('region', { name: table }).getByRole('link', { name: 'Spring sale' }).waitFor();
      }
      for (const [words, group] of [
        ['ring sal', 'Tasks'],
        ['ello {p1}, this is Post', 'Tasks'],
        ['ello {p1}, this is Post', 'Templates'],
      ] as const) {
        await box.fill(words);
        await box.press('Enter');
        await page
          .getByRole('region', { name: group })
          .getByRole('link', { name: group === 'Tasks' ? 'Spring sale' : 'Demo', exact: true })
          .waitFor();
      }
      await page.getByRole('navigation').getByRole('link', { name: 'Tasks' }).click();
      await page.getByLabel('Title or text').fill('pring sal');
      await page.waitForURL(/words=pring/);
      await expect.poll(() => page.getByRole('table', { name: 'Tasks' }).getByRole('row').count()).toBe(1 + 1);
      await box.fill('spring');
      await box.press('Enter');
      await page.getByRole('region', { name: 'Batches' }).getByRole('link', { name: 'Spring sale' }).click();
      await page.getByRole('heading', { name: 'Spring sale' }).waitFor();
      await page.getByRole('table', { name: 'Tasks' }).getByText('Hello {p1}, this is').waitFor();
      await watched.close();
    });

    test('a statement is a document with a month to choose and a page to print', async () => {
      const month = new Date().toISOString().slice(0, 7);
      const watched = await console.open(`/statements/${month}`, { role: 'customer' });
      const { page } = watched;
      await page.getByText(`Demo (${console.demo.customer_no})`).waitFor();
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => page.getByRole('banner').isVisible()).toBe(false);
      await expect.poll(() => page.getByLabel('Month').isVisible()).toBe(false);
      await expect.poll(() => page.getByRole('region', { name: 'Entries' }).isVisible()).toBe(true);
      await page.emulateMedia({ media: 'screen' });
      const other = await page.getByLabel('Month').locator('option').nth(1).textContent();
      await page.getByLabel('Month').selectOption(other);
      await page.getByRole('heading', { name: `Statement ${other}` }).waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('a statement of large figures is printed uncut, in the dark too', async () => {
      const { client, demo } = console;
      const { task_no: taskNo } = await client.send({
        template_no: demo.template_no,
        phones: ['13900001112'],
        variable_values: ['Ann'],
        auto_freeze: true,
        auto_submit: true,
      });
      await until('it is charged', async () => (await client.task(taskNo)).stage === 'completed');
      const watched = await console.open('/tasks', { role: 'customer', colorScheme: 'dark' });
      const { page } = watched;
      const { url } = console.service;
      await page.route('**/finance/statements/**', async (route) => {
        const response = await route.fetch();
        const enlarge = (_: string, value: unknown) => {
          if (typeof value === 'number') return 12_345_678;
          return typeof value === 'string' && /^-?\d+\.\d{6}$/.test(value) ? '12345678.123456' : value;
        };
        await route.fulfill({ response, json: JSON.parse(await response.text(), enlarge) });
      });
      await page.getByRole('link', { name: 'Statements' }).click();
      await page.getByRole('region', { name: 'By unit price' }).waitFor();
      await page.getByRole('region', { name: 'By day' }).getByText('12,345,678.123456').first().waitFor();
      await page.emulateMedia({ media: 'print' });
      // A4 across without its margins of 15 mm at 96 dots an inch.
      await page.setViewportSize({ width: 1009, height: 680 });
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('th, td')]
        .filter((cell) => {
          const box = cell.closest('section').getBoundingClientRect();
          const isHidden = getComputedStyle(cell.closest('section')).overflowX !== 'visible';
          const { right } = cell.getBoundingClientRect();
          return right > 1009 || (isHidden && right > box.right + 1);
        })
        .map((cell) => cell.textContent)`);
      expect(cut).toEqual([]);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe('rgb(255, 255, 255)');
      const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
      expect(pdf.slice(0, 5)).toBe('%PDF-');
      expectQuiet(watched, url);
      await watched.close();
    });

    test('a new customer sees the steps to its first message, and a warning where something is about to stop', async () => {
      const operator = new OperatorClient(console.operator);
      const { customer_no: no } = await operator.createCustomer({ name: 'New', unit_price: '0.05' });
      const key = await operator.createCredential(no, {});
      const account = await operator.createServiceAccount(no, { name: 'Main', sender: '1069' });
      const client = new PostriderClient({ ...console.operator, apiKey: key.api_key, apiSecret: key.api_secret });
      const template = await client.submitTemplate({
        name: 'Sale',
        body: 'Sale today.',
        service_account_no: account.service_account_no,
      });
      await operator.reviewTemplate(no, template.template_no, { decision: 'rejected', reason: 'Why?', revision: 1 });
      const watched = await console.open('/overview');
      await signIn(watched.page, 'customer', { ...console.demo, ...key });
      await watched.page.getByRole('heading', { name: 'Get started' }).waitFor();
      await expect.poll(() => watched.page.getByLabel('To do').count()).toBe(4);
      await watched.page.getByText('Template Sale was rejected').waitFor();
      expectQuiet(watched, console.service.url);
      await watched.close();
    });

    test('the first load is under 300 kB', async () => {
      const watched = await console.open('/overview');
      // What is loaded ahead while the browser is idle does not count.
      await watched.page.addInitScript('window.requestIdleCallback = () => 0');
      await watched.page.reload();
      await signIn(watched.page, 'customer', console.demo);
      await watched.page.getByText('Available').first().waitFor();
      const loaded = await watched.page.evaluate(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/'))
          .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      );
      expect(loaded).toBeGreaterThan(50_000);
      expect(loaded).toBeLessThan(300_000);
      await watched.close();
    });

    test('who signs in after a session was ended sees nothing of it', async () => {
      const { demo, client } = console;
      const operator = new OperatorClient(console.operator);
      const other = await operator.createCustomer({ name: 'Another', unit_price: '0.05' });
      const key = await operator.createCredential(other.customer_no, {});
      await client.send({
        template_no: demo.template_no,
        phones: ['13900002222'],
        variable_values: ['Ann'],
        client_request_id: 'of-the-former',
      });
      const watched = await console.open('/tasks', { role: 'customer' });
      const { page } = watched;
      await page.getByText('of-the-former').waitFor();
      const refusal = { status: 401, contentType: 'application/problem+json', body: '{"code":"invalid_signature"}' };
      await page.route('**/openapi/v1/**', (route) => route.fulfill(refusal));
      await page.getByText('no longer').first().waitFor();
      await page.unrouteAll();
      await page.route('**/openapi/v1/messages/tasks/**', () => {});
      await openKeyForm(page);
      await page.getByLabel('API key').fill(key.api_key);
      await page.getByLabel('API secret').fill(key.api_secret);
      await page.keyboard.press('Enter');
      await waitUntilSignedIn(page);
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
      expect(await page.getByText('of-the-former').count()).toBe(0);
      await watched.close();
    });

    test('signing out forgets', async () => {
      const watched = await console.open('/tasks', { role: 'customer' });
      const { page } = watched;
      await page.getByRole('button', { name: /Signed in as/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
      await signIn(page, 'customer', console.demo);
      await watched.close();
    });
  },
);
