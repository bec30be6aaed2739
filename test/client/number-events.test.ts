import { type NumberHistory, orderEvents } from '@postrider/client';
import { expect, test } from 'vitest';

const part = {
  task_no: 'T1',
  seq: 1,
  phone: '13800138000',
  firm: 'cmcc',
  part: 1,
  parts: 1,
  code: null,
  upstream_message_id: 'm1',
};

function historyOf(records: Partial<NumberHistory>) {
  return orderEvents({ submits: [], deliveries: [], receipts: [], uplinks: [], ...records });
}

const at = (second: number) => `2026-11-14T23:57:${String(second).padStart(2, '0')}.000Z`;

test('what happened in the same millisecond is listed in the order in which it must have happened', () => {
  const submit = { ...part, submit_no: 'S1', status: 'accepted', submitted_at: at(1), answered_at: at(1) } as const;
  const delivery = { ...part, delivery_no: 'D1', status: 'delivered', done_at: null, received_at: at(1) } as const;
  const events = historyOf({ submits: [submit], deliveries: [delivery] });
  expect(events.map(({ kind }) => kind)).toEqual(['reported', 'answered', 'submitted']);
});

test('the newest comes first', () => {
  const submit = { ...part, submit_no: 'S1', status: 'accepted', submitted_at: at(1), answered_at: at(2) } as const;
  const later = { ...submit, submit_no: 'S2', submitted_at: at(3), answered_at: at(4) };
  expect(historyOf({ submits: [submit, later] }).map((event) => event.at)).toEqual([at(4), at(3), at(2), at(1)]);
});

test('a part without an answer is shown to be without one once that is all there will be', () => {
  const open = { ...part, submit_no: 'S1', submitted_at: at(1), answered_at: null } as const;
  expect(historyOf({ submits: [{ ...open, status: 'unknown' }] }).map(({ kind }) => kind)).toEqual([
    'unanswered',
    'submitted',
  ]);
});
