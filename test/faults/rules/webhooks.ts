// What customers got by webhook: everything, in order, in messages that stay the same, and again only what they had not
// confirmed.

import type { Batch, Receipt, Task } from '@postrider/client';
import { Webhook as Signer } from 'standardwebhooks';
import { groupBy } from '../../../src/domain/group-by.js';
import type { CustomerView, RunningEvidence } from '../evidence.js';
import { type Fault, OLD_SNAPSHOT } from '../history.js';
import type { CampaignWebhook } from '../load/webhooks.js';
import type { Arrival } from '../world/receiver.js';
import { type FinalRule, findRepeated, isFinished, type RunningRule } from './rule.js';

interface Endpoint {
  readonly webhook: CampaignWebhook;
  readonly arrivals: readonly Arrival[];
}

function endpointsOf({ customers, arrivals }: RunningEvidence): Endpoint[] {
  const byPath = groupBy(arrivals, ({ path }) => path);
  return customers.flatMap(({ webhooks }) =>
    webhooks.map((webhook) => ({ webhook, arrivals: byPath.get(webhook.path) ?? [] })),
  );
}

const signed: RunningRule = {
  name: 'every message is signed, and goes where it was sent',
  check(evidence) {
    const endpoints = endpointsOf(evidence);
    const paths = new Set(endpoints.map(({ webhook }) => webhook.path));
    const stray = evidence.arrivals.find(({ path }) => !paths.has(path));
    if (stray !== undefined) return `${stray.id} came to ${stray.path}`;
    for (const { webhook, arrivals } of endpoints) {
      const signer = new Signer(webhook.secret);
      for (const { text, headers, id } of arrivals) {
        // By the time that it names, be the clock of its node right or wrong: its age does not matter here.
        const at = new Date(Number(headers['webhook-timestamp']) * 1000);
        if (signer.sign(id, at, text) !== headers['webhook-signature']) return `${id} is not signed by its secret`;
      }
    }
    return undefined;
  },
};

const sameAgain: RunningRule = {
  name: 'a message that comes again says the same',
  check({ arrivals }) {
    const first = new Map<string, string>();
    for (const { id, type, text } of arrivals) {
      // A batch is pushed as it is; tasks that join it change it.
      if (type === 'batch.finished') continue;
      const before = first.get(id) ?? text;
      if (before !== text) return `${id} was first ${before.slice(0, 300)}, then ${text.slice(0, 300)}`;
      first.set(id, before);
    }
    return undefined;
  },
};

const neverBack: RunningRule = {
  name: 'a message does not come again after a later one of its kind',
  check(evidence) {
    for (const { webhook, arrivals } of endpointsOf(evidence)) {
      for (const own of groupBy(arrivals, ({ type }) => type).values()) {
        const seen = new Set<string>();
        for (const [at, { id, atMs }] of own.entries()) {
          if (seen.has(id) && own[at - 1]?.id !== id) return `${id} came again to ${webhook.path} at ${atMs} ms`;
          seen.add(id);
        }
      }
    }
    return undefined;
  },
};

/** A fault at the receiver, at a worker or at the database may lose what was answered, or the record of it. */
const mayLoseAnswers = ({ target }: Fault): boolean => !target.startsWith('centre') && target !== OLD_SNAPSHOT;
/** A process that was killed is replaced, and its claim taken up, within this time after the fault. */
const AFTERMATH_MS = 25_000;

/** At rest: a fault is in the history when it is over. */
const onlyUnconfirmed: FinalRule = {
  name: 'what was confirmed comes again only where a fault may have lost the answer',
  check(evidence) {
    const faults = evidence.history.faults().filter(mayLoseAnswers);
    for (const { arrivals } of endpointsOf(evidence)) {
      for (const tries of groupBy(arrivals, ({ id }) => id).values()) {
        const confirmed = tries.find(({ isConfirmed }) => isConfirmed);
        const again = confirmed && tries[tries.indexOf(confirmed) + 1];
        if (confirmed === undefined || again === undefined) continue;
        const isExcused = faults.some(
          ({ startMs, endMs }) => startMs <= again.atMs && endMs + AFTERMATH_MS >= confirmed.atMs,
        );
        if (!isExcused) return `${again.id} was confirmed at ${confirmed.atMs} ms and came again at ${again.atMs} ms`;
      }
    }
    return undefined;
  },
};

/** Each message once, in the order in which they were stored first. */
function firstOf(arrivals: readonly Arrival[], type: string): Arrival[] {
  const messages = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    if (arrival.isStored && arrival.type === type && !messages.has(arrival.id)) messages.set(arrival.id, arrival);
  }
  return [...messages.values()];
}

const receiptKey = ({ task_no, seq, result, code }: Receipt): string => `${task_no}/${seq} ${result} ${code}`;

const receiptsTold: FinalRule = {
  name: 'every receipt is pushed once, in the order of the list',
  check(evidence) {
    return checkEndpoints(evidence, 'receipts', ({ receipts }, arrivals) => {
      const pushed = firstOf(arrivals, 'receipts').flatMap(({ data }) => (data as { items: Receipt[] }).items);
      const repeated = findRepeated(pushed, receiptKey);
      if (repeated !== undefined) return `${repeated} in several messages`;
      const listed = receipts.toReversed().map(receiptKey);
      const at = listed.findIndex((key, index) => pushed[index] === undefined || receiptKey(pushed[index]) !== key);
      const wrong = pushed[at] === undefined ? 'nothing' : receiptKey(pushed[at]);
      if (at >= 0) return `place ${at + 1} of ${listed.length} is ${listed[at]}, and ${wrong} was pushed`;
      return pushed.length === listed.length ? undefined : `${pushed.length} were pushed of ${listed.length}`;
    });
  },
};

const endsTold: FinalRule = {
  name: 'task.finished is pushed once for each task that has ended, as it ended, in the order of the ends',
  check(evidence) {
    return checkEndpoints(evidence, 'task.finished', ({ tasks }, arrivals) => {
      const pushed = firstOf(arrivals, 'task.finished').map(({ data }) => data as Task);
      const repeated = findRepeated(pushed, ({ task_no }) => task_no);
      if (repeated !== undefined) return `${repeated} in several messages`;
      const ended = new Map(tasks.filter(isFinished).map((task) => [task.task_no, task]));
      const missing = [...ended.keys()].find((taskNo) => pushed.every(({ task_no }) => task_no !== taskNo));
      if (missing !== undefined) return `${missing} has ended and was not pushed`;
      for (const [at, task] of pushed.entries()) {
        const shown = ended.get(task.task_no);
        if (shown === undefined) return `${task.task_no} was pushed as ${task.stage} and has not ended`;
        if (summaryOf(task) !== summaryOf(shown))
          return `${summaryOf(task)} was pushed, and ${summaryOf(shown)} is shown`;
        const before = pushed[at - 1]?.completed_at ?? '';
        if (before > (task.completed_at ?? ''))
          return `${task.task_no} ended at ${task.completed_at}, before ${before}`;
      }
      return undefined;
    });
  },
};

function summaryOf({ task_no, stage, counts, amounts, completed_at }: Task): string {
  return JSON.stringify({ task_no, stage, counts, amounts, completed_at });
}

const batchesTold: FinalRule = {
  name: 'the last end of a batch is pushed',
  check(evidence) {
    return checkEndpoints(evidence, 'batch.finished', ({ batches, tasks }, arrivals) => {
      const pushed = new Map<string, Batch>();
      for (const { data } of firstOf(arrivals, 'batch.finished')) pushed.set((data as Batch).batch_id, data as Batch);
      const open = new Set(tasks.filter((task) => !isFinished(task)).map(({ batch_id }) => batch_id));
      for (const batch of batches) {
        const last = pushed.get(batch.batch_id);
        if (open.has(batch.batch_id)) continue;
        if (last?.tasks !== batch.tasks)
          return `${batch.batch_id} has ${batch.tasks} tasks, ${last?.tasks} were pushed`;
      }
      return undefined;
    });
  },
};

function checkEndpoints(
  evidence: RunningEvidence & { readonly views: readonly CustomerView[] },
  event: string,
  compare: (view: CustomerView, arrivals: readonly Arrival[]) => string | undefined,
): string | undefined {
  for (const view of evidence.views) {
    for (const { path, events } of view.customer.webhooks) {
      if (!events.some((each) => each === event)) continue;
      const fault = compare(
        view,
        evidence.arrivals.filter((arrival) => arrival.path === path),
      );
      if (fault !== undefined) return `${path}: ${fault}`;
    }
  }
  return undefined;
}

export const WEBHOOK_RULES = {
  running: [signed, sameAgain, neverBack],
  final: [onlyUnconfirmed, receiptsTold, endsTold, batchesTold],
};
