// Every cent: the ledger without gaps, balances that are the sum of it, and amounts that follow from the receipts.

import type { Account, LedgerEntry, Receipt, TaskDetail } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import type { CustomerView } from '../evidence.js';
import type { CampaignCustomer } from '../load/customers.js';
import { type FinalRule, isFinished, millionths, type RunningRule } from './rule.js';

const auditIsClean: RunningRule = {
  name: 'the audit finds nothing',
  check({ imbalances: [first] }) {
    return first && `customer ${first.customerId}: ${first.rule}: ${first.detail}`;
  },
};

const ledgerUnbroken: FinalRule = {
  name: 'the ledger has no gaps, and each entry carries the balances after it',
  check({ views }) {
    for (const { customer, ledger, account } of views) {
      const fault = findGap(ledger, account);
      if (fault !== undefined) return `${customer.name}: ${fault}`;
    }
    return undefined;
  },
};

function findGap(ledger: readonly LedgerEntry[], account: Account): string | undefined {
  let [available, frozen] = [0n, 0n];
  for (const [at, entry] of ledger.entries()) {
    available += millionths(entry.available_delta);
    frozen += millionths(entry.frozen_delta);
    if (entry.seq !== at + 1) return `entry ${entry.seq} stands in place ${at + 1}`;
    const isTrue = millionths(entry.available_after) === available && millionths(entry.frozen_after) === frozen;
    if (!isTrue) return `entry ${entry.seq} says ${entry.available_after} and ${entry.frozen_after}`;
  }
  const isSum = millionths(account.available) === available && millionths(account.frozen) === frozen;
  return isSum ? undefined : `the account has ${account.available} and ${account.frozen}, its entries say otherwise`;
}

const readsWereTrue: FinalRule = {
  name: 'every balance that was read is the one after the entry it names',
  check({ history, views }) {
    for (const { customer, ledger } of views) {
      for (const call of history.calls('read-account')) {
        if (call.customer !== customer.name || call.status !== 200) continue;
        const read = call.answer as Account;
        const entry = ledger[read.ledger_seq - 1];
        if (entry?.available_after !== read.available || entry.frozen_after !== read.frozen) {
          return `${customer.name} read ${read.available} and ${read.frozen} after entry ${read.ledger_seq} at ${call.endMs} ms`;
        }
      }
    }
    return undefined;
  },
};

const noOverdraft: FinalRule = {
  name: 'nothing is frozen that is not covered',
  check({ views }) {
    for (const { customer, ledger } of views) {
      const odd = ledger.find(({ type, available_after }) => type === 'freeze' && isBelow(available_after, customer));
      if (odd !== undefined) return `${customer.name} has ${odd.available_after} after the freeze ${odd.seq}`;
    }
    return undefined;
  },
};

const isBelow = (available: string, { creditLimit }: CampaignCustomer): boolean => millionths(available) < -creditLimit;

const withinTheDay: FinalRule = {
  name: 'no more is frozen in a day than its limit allows',
  check({ views, history }) {
    for (const { customer, ledger } of views) {
      const { name, dailyLimit } = customer;
      if (dailyLimit === null) continue;
      const raises = history.calls('raise-limit').filter((call) => call.customer === name);
      const frozen = new Map<string, bigint>();
      for (const { type, amount, created_at, seq } of ledger) {
        if (type !== 'freeze') continue;
        const day = created_at.slice(0, 10);
        const sum = (frozen.get(day) ?? 0n) + millionths(amount);
        frozen.set(day, sum);
        const asked = raises.filter(({ startMs }) => history.startedAt + startMs <= Date.parse(created_at));
        const limits = asked.map(({ request }) => (request as { daily_limit: string }).daily_limit);
        const limit = [dailyLimit, ...limits].reduce((one, other) =>
          millionths(one) > millionths(other) ? one : other,
        );
        if (sum > millionths(limit))
          return `${name} has frozen ${sum} millionths with entry ${seq}, the limit is ${limit}`;
      }
    }
    return undefined;
  },
};

const moneyFollowsReceipts: FinalRule = {
  name: 'what a finished task cost follows from its receipts',
  check({ views }) {
    for (const view of views) {
      const receipts = groupBy(view.receipts, ({ task_no }) => task_no);
      for (const task of view.tasks) {
        if (!isFinished(task)) continue;
        const fault = compareCost(view, task, receipts.get(task.task_no) ?? []);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  },
};

function compareCost({ customer }: CustomerView, task: TaskDetail, receipts: readonly Receipt[]): string | undefined {
  const sumOf = (...results: readonly string[]): bigint =>
    receipts.filter(({ result }) => results.includes(result)).reduce((sum, { price }) => sum + millionths(price), 0n);
  const isOnSubmit = customer.chargeOn === 'submit';
  const charged = isOnSubmit ? sumOf('delivered', 'undelivered', 'expired') : sumOf('delivered');
  const refunded = isOnSubmit && customer.refundOnFailure ? sumOf('undelivered', 'expired') : 0n;
  const { amounts, task_no } = task;
  const isRight = millionths(amounts.charged) === charged && millionths(amounts.refunded) === refunded;
  if (isRight) return undefined;
  return `${task_no} should cost ${charged} less ${refunded} millionths, and reads ${JSON.stringify(amounts)}`;
}

export const MONEY_RULES = {
  running: [auditIsClean],
  final: [ledgerUnbroken, readsWereTrue, noOverdraft, withinTheDay, moneyFollowsReceipts],
};
