// The sums of the platform over a time that begins and ends in the middle of an hour.

import type { Receipt } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOf, type Service, startService } from '../support/service.js';

let service: Service;
let receipts: Receipt[];

beforeAll(async () => {
  service = await startService();
  receipts = [];
  // The clock of one of them shows another half hour.
  for (const billing_time_zone of ['UTC', 'Asia/Kolkata']) {
    const customer = await service.addCustomer({ billing_time_zone, charge_on: 'submit', refund_on_failure: true });
    for (const phone of ['13800139001', '13800139002', '13800139003', '13800138004']) {
      await customer.completed((await customer.send([phone])).task_no);
    }
    receipts.push(...(await allOf(customer.client.receipts())));
  }
  receipts.sort((one, other) => (one.received_at < other.received_at ? -1 : 1));
});
afterAll(() => service.stop());

const BREAKDOWNS = ['day', 'customer', 'channel', 'firm', 'class', 'template'] as const;

test.each(BREAKDOWNS)('by %s they hold exactly the receipts from the start to before the end', async (by) => {
  const times = receipts.map(({ received_at }) => received_at);
  const spans = [
    [times[0], times.at(-1)],
    [times[1], times[5]],
    [times[2], times[3]],
    [times[3], undefined],
    [undefined, times[6]],
  ];
  for (const [start_at, end_at] of spans) {
    const { items } = await service.operator.statistics({
      by,
      ...(start_at !== undefined && { startAt: new Date(start_at) }),
      ...(end_at !== undefined && { endAt: new Date(end_at) }),
    });
    const within = receipts.filter(
      ({ received_at: at }) => (start_at === undefined || at >= start_at) && (end_at === undefined || at < end_at),
    );
    const sum = (values: readonly number[]) => Number(values.reduce((total, value) => total + value, 0).toFixed(6));
    expect({
      numbers: sum(items.map(({ numbers }) => numbers)),
      delivered: sum(items.map(({ delivered }) => delivered)),
      charged: sum(items.map(({ charged }) => Number(charged))),
    }).toEqual({
      numbers: within.length,
      delivered: within.filter(({ result }) => result === 'delivered').length,
      charged: sum(within.map(({ charged }) => Number(charged))),
    });
  }
});

test('days are those of the billing time zone of each customer', async () => {
  const { items } = await service.operator.statistics({ by: 'day', startAt: new Date(receipts[0]?.received_at ?? 0) });
  const dayIn = (timeZone: string) => new Date().toLocaleDateString('en-CA', { timeZone });
  const days = new Set([dayIn('UTC'), dayIn('Asia/Kolkata')]);
  for (const { key } of items) expect(days).toContain(key);
});
