// Receipts with the texts that were sent, on the page and as files; what was cancelled is a result of its own.

import { readFile } from 'node:fs/promises';
import { readNumberFile } from '@postrider/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService } from '../console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`receipts${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
    const { client, demo } = console;
    const { task_no: sent } = await client.send({
      template_no: demo.template_no,
      recipients: [
        { phone: '13800139001', variable_values: ['Ann & <Co>'] },
        { phone: '13800139003', variable_values: ['Bob'] },
        { phone: 'nonsense', variable_values: ['Cid'] },
      ],
      auto_freeze: true,
      auto_submit: true,
    });
    await client.waitForTask(sent);
    const { task_no: called } = await client.send({
      template_no: demo.template_no,
      phones: ['13800139002'],
      variable_values: ['Dan'],
    });
    await client.waitForTask(called, { until: ({ stage }) => stage === 'prepared' });
    await client.cancelTask(called);
  });
  afterAll(() => console.stop());

  async function download(page: Page, name: string): Promise<string> {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    const { text } = await readNumberFile(await readFile(await file.path()));
    return text.replace(/^\uFEFF/, '');
  }

  test('have the text on the page, in CSV and in a workbook', { timeout: 120_000 }, async () => {
    const watched = await console.open('/receipts', { role: 'customer' });
    const { page } = watched;
    await page.getByRole('cell', { name: 'Hello Bob, this is Postrider.' }).waitFor();
    const csv = await download(page, 'Download CSV');
    expect(csv.split('\r\n')[0]).toMatch(/,text,cursor$/);
    expect(csv).toContain('"Hello Ann & <Co>, this is Postrider."');
    const workbook = await download(page, 'Download Excel');
    const [head, ...rows] = workbook.trim().split('\n');
    expect(head).toMatch(/^Phone,Result,Code,Description,Message text,Segments,Price,Charged,/);
    expect(rows).toHaveLength(4);
    expect(workbook).toContain('"Hello Ann & <Co>, this is Postrider."');
    expect(rows.find((row) => row.startsWith('13800139001,Delivered'))).toMatch(/,0\.05/);
    expect(rows.some((row) => row.startsWith('13800139002,Cancelled,cancelled'))).toBe(true);
    await page.getByLabel('Result').selectOption({ label: 'Cancelled' });
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(1 + 1);
    expect((await download(page, 'Download Excel')).trim().split('\n')).toHaveLength(1 + 1);
    await page.getByLabel('Result').selectOption({ label: 'Rejected' });
    await expect.poll(() => page.getByRole('table').getByRole('row').count()).toBe(1 + 2);
    expect(await page.getByRole('table').getByText('Cancelled').count()).toBe(0);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('are a workbook in Chinese, too, for a task as well', { timeout: 120_000 }, async () => {
    const [task] = (await console.client.tasks({ pageSize: 1 }).page()).items;
    const watched = await console.open(`/tasks/${task?.task_no}`, { role: 'customer', locale: 'zh-CN' });
    const text = await download(watched.page, '下载 Excel');
    expect(text).toMatch(/^号码,结果,代码,说明,短信内容,/);
    expect(text).toContain('13800139002,已取消,cancelled');
    await watched.close();
  });
});
