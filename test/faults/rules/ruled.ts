// The customer with every sending rule: what the rules forbid did not happen, whatever failed meanwhile.

import type { MessageClass, Receipt, Task, TaskDetail } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import type { Evidence } from '../evidence.js';
import { BLOCKED_WORD, type DatedPrice, type RuledCustomer, SIGNATURE, UNFILED_CHANNEL } from '../load/ruled.js';
import type { JournalEntry } from '../world/centre.js';
import { type FinalRule, findRepeated, millionths, nationalOf, type RunningRule } from './rule.js';
import { mayBeUnderWay } from './schedule.js';

const partOnce: RunningRule = {
  name: 'no text with rules reached a number twice',
  check: ({ ruledAccepted }) =>
    findRepeated(ruledAccepted, ({ to, text, part }) => `part ${part} of "${text}" to ${to}`),
};

const ACROSS = /[\s\u200b]+/gu;

const blockedUnsent: RunningRule = {
  name: 'a text with a blocked word is never handed over',
  check({ ruledAccepted }) {
    const plain = (text: string) => text.normalize('NFKC').toLowerCase().replace(ACROSS, '');
    const odd = ruledAccepted.find(({ text }) => plain(text).includes(BLOCKED_WORD));
    return odd && `"${odd.text}" reached ${odd.to}`;
  },
};

const signed: RunningRule = {
  name: 'every text carries the signature of its service account',
  check({ ruledAccepted }) {
    const odd = ruledAccepted.find(({ text }) => !text.startsWith(`【${SIGNATURE}】`));
    return odd && `"${odd.text}" reached ${odd.to}`;
  },
};

const keptOnce: FinalRule = {
  name: 'a task with rules exists once where it was acknowledged, and has a receipt for each number',
  check({ history, ruled: { tasks, receipts } }) {
    const byId = groupBy(tasks, ({ client_request_id: id }) => id ?? '');
    const receiptsOf = groupBy(receipts, ({ task_no }) => task_no);
    for (const { request, answer, status } of history.calls('send-ruled')) {
      const id = requestIdOf(request);
      const kept = (byId.get(id) ?? []).map(({ task_no }) => task_no);
      if (kept.length > 1) return `${id} exists as ${kept.join(' and ')}`;
      if (status === 200 && kept[0] !== (answer as Task).task_no) return `${id} was acknowledged and is gone`;
    }
    const odd = tasks.find((task) => task.counts.total !== (receiptsOf.get(task.task_no) ?? []).length);
    return odd && `${odd.task_no} (${odd.stage}) has ${receiptsOf.get(odd.task_no)?.length ?? 0} receipts`;
  },
};

function requestIdOf(request: unknown): string {
  return (request as { client_request_id: string }).client_request_id;
}

interface Counted {
  readonly receipt: Receipt;
  readonly task: TaskDetail;
}

/** The receipts that each cap counts together, of one number. */
function groupByCap({ ruled }: Evidence, cap: RuledCustomer['caps'][number]): Iterable<readonly Counted[]> {
  const tasks = new Map(ruled.tasks.map((task) => [task.task_no, task]));
  const counted = ruled.receipts.flatMap((receipt): Counted[] => {
    const task = tasks.get(receipt.task_no);
    return task === undefined || (cap.class !== null && cap.class !== task.class) ? [] : [{ receipt, task }];
  });
  const templateOf = ({ task }: Counted) => (cap.scope === 'template' ? task.template_no : '');
  return groupBy(counted, (one) => `${one.receipt.phone} ${templateOf(one)}`).values();
}

const withinCaps: FinalRule = {
  name: 'no number is above its cap among those that are not rejected',
  check(evidence) {
    for (const cap of evidence.ruled.customer.caps) {
      for (const group of groupByCap(evidence, cap)) {
        const sent = group.filter(({ receipt }) => receipt.result !== 'rejected');
        if (sent.length <= cap.count) continue;
        const where = sent.map(({ receipt }) => `${receipt.task_no} ${receipt.result}`).join(', ');
        return `${sent[0]?.receipt.phone} was sent to ${sent.length} times, and ${JSON.stringify(cap)}: ${where}`;
      }
    }
    return undefined;
  },
};

const cappedForCause: FinalRule = {
  name: 'a number is capped only where others have used up a cap',
  check(evidence) {
    const explained = new Set<Receipt>();
    for (const cap of evidence.ruled.customer.caps) {
      for (const group of groupByCap(evidence, cap)) {
        // What was rejected in preparing has no parts. What was rejected later counted until then.
        const isUsedUp = group.filter(({ receipt }) => receipt.parts > 0).length >= cap.count;
        if (isUsedUp) for (const { receipt } of group) explained.add(receipt);
      }
    }
    const odd = evidence.ruled.receipts.find(
      (receipt) => receipt.code === 'frequency_capped' && !explained.has(receipt),
    );
    return odd && `${odd.phone} of ${odd.task_no}`;
  },
};

const inWindow: FinalRule = {
  name: 'nothing is handed over outside a window but what was under way',
  check(evidence) {
    const { history, ruled, ruledAccepted } = evidence;
    const liftedMs = history.startedAt + Math.min(...history.calls('lift-windows').map(({ startMs }) => startMs));
    const classOf = new Map(ruled.tasks.map((task) => [task.client_request_id ?? '', task.class]));
    for (const [ofClass, times] of ruled.customer.openTimes) {
      const arrived = ruledAccepted
        .filter((entry) => classOf.get(idOf(entry)) === ofClass)
        .map((entry) => ({ entry, atMs: Date.parse(entry.at) }))
        .filter(({ atMs }) => atMs < liftedMs && !times.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs));
      // By the closing before it; what comes before the first window has none.
      const closedAt = (atMs: number) => Math.max(0, ...times.map(({ toMs }) => toMs).filter((toMs) => toMs <= atMs));
      for (const [closedMs, late] of groupBy(arrived, ({ atMs }) => closedAt(atMs))) {
        const lastMs = Math.max(...late.map(({ atMs }) => atMs));
        if (closedMs > 0 && mayBeUnderWay(evidence, late.length, closedMs, lastMs)) continue;
        const [first] = late;
        return `${late.length} parts of class ${ofClass}: "${first?.entry.text}" reached ${first?.entry.to} at ${first?.entry.at}`;
      }
    }
    return undefined;
  },
};

/** The request that a text belongs to: its only variable begins with the id. */
function idOf({ text }: JournalEntry): string {
  return /faults-\d+-\d+/.exec(text)?.[0] ?? '';
}

const pricedInTime: FinalRule = {
  name: 'a number has the price of the moment in which its task was prepared',
  check({ history, ruled: { customer, tasks, receipts } }) {
    const byNo = new Map(tasks.map((task) => [task.task_no, task]));
    // Not `created_at`: that is the clock of a process, which may be minutes off. Prices follow the clock of the database.
    const requestedMs = new Map(
      history.calls('send-ruled').map(({ request, startMs }) => [requestIdOf(request), history.startedAt + startMs]),
    );
    for (const { phone, parts, price, task_no } of receipts) {
      const task = byNo.get(task_no);
      if (task === undefined || parts === 0) continue;
      const fromMs = requestedMs.get(task.client_request_id ?? '') ?? 0;
      const preparedMs = Date.parse(task.timeline.find(({ stage }) => stage !== 'queued')?.at ?? task.created_at);
      // Preparing reads the clock before it has all its locks: any price since the request will do.
      const possible = pricesBetween(customer.prices, task.class, phone, [fromMs, preparedMs]).map(millionths);
      if (possible.some((unit) => unit * BigInt(parts) === millionths(price))) continue;
      return `${phone} of ${task_no} costs ${price} for ${parts} parts, prepared at ${new Date(preparedMs).toISOString()}: not one of ${possible}`;
    }
    return undefined;
  },
};

/** The prices that were valid at some moment of a time. */
function pricesBetween(
  prices: readonly DatedPrice[],
  ofClass: MessageClass,
  phone: string,
  [fromMs = 0, toMs = 0]: readonly number[],
): string[] {
  const applying = prices
    .filter((price) => price.class === null || price.class === ofClass)
    .filter(({ prefix }) => prefix === null || `86${nationalOf(phone)}`.startsWith(prefix));
  const moments = [fromMs, ...applying.map(({ validFromMs }) => validFromMs)].filter(
    (ms) => fromMs <= ms && ms <= toMs,
  );
  const rank = ({ prefix, class: own, validFromMs }: DatedPrice) => [
    prefix?.length ?? 0,
    own === null ? 0 : 1,
    validFromMs,
  ];
  const compare = (one: DatedPrice, other: DatedPrice) => {
    const [left, right] = [rank(one), rank(other)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at === -1 ? 0 : (right[at] ?? 0) - (left[at] ?? 0);
  };
  return moments.flatMap((ms) => {
    const [best] = applying.filter(({ validFromMs }) => validFromMs <= ms).toSorted(compare);
    return best === undefined ? [] : [best.unit_price];
  });
}

const filedOnly: FinalRule = {
  name: 'a channel that requires a filing carries only what is filed with it',
  check: ({ ruled: { unfiled } }) =>
    unfiled === 0 ? undefined : `${unfiled} parts went over the channel "${UNFILED_CHANNEL}"`,
};

const acceptedIsTrue: FinalRule = {
  name: 'what is said to be accepted of a task with rules reached a message centre',
  check({ ruled, ruledAccepted }) {
    const ids = new Map(ruled.tasks.map((task) => [task.task_no, task.client_request_id]));
    const arrived = new Set(ruledAccepted.map((entry) => `${nationalOf(entry.to)} ${idOf(entry)}`));
    const odd = ruled.submits.find(
      ({ status, phone, task_no }) => status === 'accepted' && !arrived.has(`${phone} ${ids.get(task_no)}`),
    );
    return odd && `${odd.phone} of ${odd.task_no} is accepted and never arrived`;
  },
};

export const RULED_RULES = {
  running: [partOnce, blockedUnsent, signed],
  final: [keptOnce, withinCaps, cappedForCause, inWindow, pricedInTime, filedOnly, acceptedIsTrue],
};
