// The messages of the crowd, one a customer: what was acknowledged exists, comes to one outcome, and agrees with the wire.

import type { Task } from '@postrider/client';
import type { CrowdTask } from '../evidence.js';
import type { Call } from '../history.js';
import { mayHaveCreated } from './requests.js';
import { type FinalRule, nationalOf, type RunningRule } from './rule.js';

const phoneOf = ({ request }: Call): string => (request as { phones: string[] }).phones[0] ?? '';

const acknowledged: FinalRule = {
  name: 'a message of the crowd exists where it was acknowledged, and not where it was refused',
  check({ history, crowd }) {
    const tasks = new Map(crowd.map((task) => [task.phone, task]));
    for (const call of history.calls('send-one')) {
      const phone = phoneOf(call);
      const kept = tasks.get(phone);
      if (call.status === 200 && kept?.taskNo !== (call.answer as Task).task_no)
        return `${phone} was acknowledged at ${call.endMs} ms by ${call.node} and is ${kept?.taskNo ?? 'gone'}`;
      if (kept !== undefined && !mayHaveCreated(call)) return `${phone} was refused with ${call.status} and exists`;
    }
    return undefined;
  },
};

const settled: FinalRule = {
  name: 'a message of the crowd has one outcome',
  check({ crowd }) {
    const odd = crowd.find(({ stage, receipts }) => stage !== 'completed' || receipts !== 1);
    return odd && describe(odd);
  },
};

const agreesWithTheWire: FinalRule = {
  name: 'a message of the crowd agrees with what the message centre saw',
  check({ crowd, crowdAccepted, acknowledged: reported, keptFor }) {
    const arrived = new Map(crowdAccepted.map((entry) => [nationalOf(entry.to), entry]));
    const kept = new Set([...keptFor].map(nationalOf));
    for (const task of crowd) {
      const entry = arrived.get(task.phone);
      if (entry === undefined && task.accepted > 0) return `${describe(task)}: accepted and never arrived`;
      if (entry === undefined) continue;
      if (task.submits === 0) return `${describe(task)}: arrived and has no submit record`;
      const isReportKept = task.reports > 0 || kept.has(task.phone);
      if (reported.has(entry.message_id) && !isReportKept) return `${describe(task)}: its report is gone`;
    }
    return undefined;
  },
};

const answers: RunningRule = {
  name: 'every answer to the crowd is one that the contract knows',
  check({ history }) {
    const odd = history.calls('send-one').find(({ status }) => ![0, 200, 503].includes(status));
    return odd && `${odd.customer} at ${odd.node}: ${odd.status} ${JSON.stringify(odd.answer)}`;
  },
};

function describe({ taskNo, phone, stage, receipts, submits, accepted, reports }: CrowdTask): string {
  return `${taskNo} to ${phone} is ${stage}: ${receipts} receipts, ${submits} submits (${accepted} accepted), ${reports} reports`;
}

export const CROWD_RULES = { running: [answers], final: [acknowledged, settled, agreesWithTheWire] };
