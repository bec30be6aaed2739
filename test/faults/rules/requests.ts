// What was answered is true: acknowledged requests exist once, refused ones do not, and every answer is one that the
// contract knows.

import type { Task } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import type { Call } from '../history.js';
import type { FinalRule, RunningRule } from './rule.js';

/** Status 0 is no answer at all. A well-signed request for the customer’s own things gets no others. */
const PROMISED = new Set([0, 200, 409, 429, 503]);

/** A time that has come meanwhile, or has by the clock of the node, is refused. */
function isPromised({ action, status, answer }: Call): boolean {
  if (status !== 400 || !['send', 'reschedule', 'reuse-id'].includes(action)) return PROMISED.has(status);
  const { errors = [] } = answer as { errors?: { pointer: string; code: string }[] };
  return errors.every(({ pointer, code }) => ['/send_at', '/expires_at'].includes(pointer) && code === 'out_of_range');
}

const promisedAnswers: RunningRule = {
  name: 'every answer is one that the contract knows',
  check({ history }) {
    const odd = history.calls().find((call) => !isPromised(call));
    return odd && `${odd.action} at ${odd.node}: ${odd.status} ${JSON.stringify(odd.answer)}`;
  },
};

const idOf = ({ request }: Call): string => (request as { client_request_id: string }).client_request_id;

const sameIdSameTask: RunningRule = {
  name: 'one client_request_id is one task',
  check({ history }) {
    const known = new Map<string, string>();
    for (const call of history.calls('send')) {
      if (call.status !== 200) continue;
      const { task_no: taskNo } = call.answer as Task;
      const before = known.get(idOf(call)) ?? taskNo;
      if (before !== taskNo) return `${idOf(call)} is ${before} and ${taskNo}`;
      known.set(idOf(call), taskNo);
    }
    return undefined;
  },
};

const otherPayloadRefused: RunningRule = {
  name: 'another payload under an id that is taken is refused',
  check({ history }) {
    const odd = history.calls('reuse-id').find(({ status }) => status === 200);
    return odd && `${idOf(odd)} was accepted with another payload`;
  },
};

const acknowledgedOnce: FinalRule = {
  name: 'every acknowledged request exists exactly once',
  check({ history, views }) {
    const kept = new Map<string, string[]>();
    for (const { tasks } of views) {
      for (const { client_request_id: id, task_no } of tasks)
        kept.set(id ?? '', [...(kept.get(id ?? '') ?? []), task_no]);
    }
    for (const call of history.calls('send')) {
      const tasks = kept.get(idOf(call)) ?? [];
      if (tasks.length > 1) return `${idOf(call)} exists as ${tasks.join(' and ')}`;
      const isKept = call.status !== 200 || tasks[0] === (call.answer as Task).task_no;
      if (!isKept)
        return `${idOf(call)} was acknowledged at ${call.endMs} ms by ${call.node} and is ${tasks[0] ?? 'gone'}`;
    }
    return undefined;
  },
};

/** It may have created the task. A refusal that does not say that the outcome is unknown promises that nothing was done. */
export function mayHaveCreated({ status, answer }: Call): boolean {
  const { outcome } = (answer ?? {}) as { outcome?: string };
  return status === 0 || status === 200 || outcome === 'unknown';
}

const refusedLeftNothing: FinalRule = {
  name: 'a request that was refused left nothing behind',
  check({ history, views }) {
    const kept = new Set(views.flatMap(({ tasks }) => tasks.map((task) => task.client_request_id)));
    for (const [id, calls] of groupBy(history.calls('send'), idOf)) {
      const refused = calls.find((call) => !mayHaveCreated(call));
      if (refused === undefined) continue;
      const refusal = `${id} was refused with ${refused.status} by ${refused.node} at ${refused.endMs} ms`;
      if (kept.has(id) && !calls.some(mayHaveCreated)) return `${refusal} and exists`;
      for (const call of calls.filter(({ isReplayed }) => isReplayed)) {
        const others = calls.filter((other) => other !== call && other.startMs < call.endMs);
        if (!others.some(mayHaveCreated)) return `${refusal} and was there at ${call.endMs} ms`;
      }
    }
    return undefined;
  },
};

const everythingAsked: FinalRule = {
  name: 'no task exists without its request',
  check({ sent, views }) {
    const asked = new Set(sent.map(({ request }) => request.client_request_id));
    const odd = views.flatMap(({ tasks }) => tasks).find((task) => !asked.has(task.client_request_id ?? ''));
    return odd && `${odd.task_no} has the id ${odd.client_request_id}`;
  },
};

export const REQUEST_RULES = {
  running: [promisedAnswers, sameIdSameTask, otherPayloadRefused],
  final: [acknowledgedOnce, refusedLeftNothing, everythingAsked],
};
