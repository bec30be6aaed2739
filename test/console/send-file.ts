import { OperatorClient, type PostriderClient } from '@postrider/client';
import { expect } from 'vitest';
import { type ConsoleService, chooseTemplate } from './console-service.js';

const NUMBERS_PER_TASK = 5_000;

/** A customer sends a file of so many numbers, and waits until each is delivered. */
export async function sendFile(console: ConsoleService, count: number): Promise<void> {
  await new OperatorClient(console.operator).topUp(console.demo.customer_no, { amount: '2000' });
  const watched = await console.open('/compose', { role: 'customer' });
  const { page } = watched;
  await chooseTemplate(page, console.demo);
  const lines = Array.from({ length: count }, (_, index) => `${13_700_000_000 + index},Ann`);
  const buffer = Buffer.from(['phone,name', ...lines].join('\n'));
  const shown = count.toLocaleString('en');
  await page.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
  await page.getByText(`${shown} numbers`).first().waitFor();
  await page.getByRole('textbox', { name: 'Reference' }).fill('file');
  await page.getByRole('button', { name: `Send to ${shown} numbers` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText(`Accepted as ${Math.ceil(count / NUMBERS_PER_TASK)} tasks.`).waitFor();
  await expect.poll(() => countDelivered(console.client, 'file'), { timeout: 120_000, interval: 500 }).toBe(count);
  await watched.close();
}

async function countDelivered(client: PostriderClient, reference: string): Promise<number> {
  let delivered = 0;
  for await (const task of client.tasks()) {
    if (task.client_request_id?.startsWith(`${reference}-`)) delivered += task.counts.delivered;
  }
  return delivered;
}
