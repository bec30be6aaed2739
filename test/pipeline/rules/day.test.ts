// A day of a campaign by a clock that the test sets, through a change from daylight saving: what goes out in each of its moments is
// what a simple model of the wall clock allows.

import type { SendWindow } from '@postrider/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';

const MINUTE = 60_000;
const ZONE = 'Europe/Berlin';
/** The clock is set back from 3:00 to 2:00 on this day, which has 25 hours. */
const START_MS = Date.parse('2026-10-24T22:00:00Z');
const END_MS = START_MS + 26 * 60 * MINUTE;
const NUMBERS = 12;

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const window = (of: 'notice' | 'promotion', from: string, to: string): SendWindow => ({
  class: of,
  from,
  to,
  time_zone: ZONE,
  days: everyDay,
  outside: 'hold',
});
const WINDOWS = [
  window('promotion', '08:00', '12:00'),
  window('promotion', '13:30', '21:00'),
  window('notice', '02:15', '02:45'),
  window('notice', '22:30', '01:00'),
];
const CLASSES = ['notice', 'promotion'] as const;

const clock = { nowMs: START_MS };
let service: Service;
let ann: ServiceCustomer;

beforeAll(async () => {
  service = await startService({ databaseNow: () => clock.nowMs });
  ann = await service.addCustomer({ send_windows: WINDOWS });
});
afterAll(() => service.stop());

const format = new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, hour: '2-digit', minute: '2-digit' });

/** `HH:MM` of the wall clock, compared as text. */
function isOpenByModel(of: (typeof CLASSES)[number], ms: number): boolean {
  const shown = format.format(ms);
  return WINDOWS.filter((one) => one.class === of).some(({ from, to }) =>
    from < to ? from <= shown && shown < to : shown >= from || shown < to,
  );
}

/** The minute before and of each change, and an hour's step between them. */
function listMoments(): number[] {
  const moments = new Set<number>();
  const stateAt = (ms: number) => CLASSES.map((of) => isOpenByModel(of, ms)).join();
  for (let ms = START_MS; ms < END_MS; ms += MINUTE) {
    if (stateAt(ms) !== stateAt(ms - MINUTE)) moments.add(ms - MINUTE).add(ms);
    if ((ms - START_MS) % (180 * MINUTE) === 0) moments.add(ms);
  }
  return [...moments].toSorted((one, other) => one - other);
}

interface Expected {
  readonly taskNo: string;
  readonly class: (typeof CLASSES)[number];
  isOut: boolean;
}

test('what is held goes out at the first moment at which its window is open, and not before', async () => {
  const templates = new Map<string, string>();
  for (const of of CLASSES) {
    const { template_no } = await service.operator.createTemplate(ann.customerNo, {
      name: of,
      body: of,
      class: of,
      service_account_no: ann.serviceAccountNo,
    });
    templates.set(of, template_no);
  }
  const tasks: Expected[] = [];
  const check = async (at: string) => {
    const unsent = new Map<string, number>();
    for await (const task of ann.client.tasks({ pageSize: 100 })) unsent.set(task.task_no, task.counts.unsent);
    const seen = tasks.map(({ taskNo, class: of }) => `${of} ${unsent.get(taskNo) === 0 ? 'out' : unsent.get(taskNo)}`);
    expect(seen, at).toEqual(tasks.map(({ class: of, isOut }) => `${of} ${isOut ? 'out' : NUMBERS}`));
  };
  let phones = 0;
  for (const ms of listMoments()) {
    const at = `${new Date(ms).toISOString()}, ${format.format(ms)}`;
    // Nothing has gone out since the last look.
    await check(`before ${at}`);
    clock.nowMs = ms;
    for (const of of CLASSES) {
      // More than the express lane takes on every other task.
      const numbers = Array.from({ length: NUMBERS }, () => `139${10_000_000 + phones++}`);
      const { task_no: taskNo } = await ann.send(numbers, { template_no: templates.get(of) ?? '' });
      tasks.push({ taskNo, class: of, isOut: false });
    }
    for (const task of tasks) if (isOpenByModel(task.class, ms)) task.isOut = true;
    for (const { taskNo, isOut } of tasks) {
      if (isOut) await ann.taskWhen(taskNo, ({ counts }) => counts.unsent === 0);
      else await ann.taskWhen(taskNo, ({ stage }) => stage === 'submitting');
    }
    await check(at);
  }
  expect(tasks.filter(({ isOut }) => !isOut).length).toBeGreaterThan(0);
  // Each number went out once.
  const [row] = await service.sql<{ submits: number }[]>`select count(*)::int as submits from submit`;
  expect(row?.submits).toBe(tasks.filter(({ isOut }) => isOut).length * NUMBERS);
}, 120_000);
