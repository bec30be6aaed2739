// Customers at work: a few at a time, each doing one thing after another until it is told to stop.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../dice.js';
import type { History } from '../history.js';
import type { ServiceNode } from '../world/node.js';
import type { Action, LoadContext, SentRequest } from './action.js';
import { ACTIONS } from './actions.js';
import { createCaller } from './caller.js';
import type { CrowdCustomer } from './crowd.js';
import type { CampaignCustomer } from './customers.js';
import { createPhoneBook } from './phones.js';
import type { RuledCustomer } from './ruled.js';
import { sendRuled } from './ruled-sending.js';

export interface LoadOptions {
  readonly seed: number;
  readonly dice: Dice;
  readonly history: History;
  readonly nodes: readonly ServiceNode[];
  readonly customers: readonly CampaignCustomer[];
  readonly crowd: readonly CrowdCustomer[];
  readonly ruled: RuledCustomer;
  /** Every send is added to it. */
  readonly sent: SentRequest[];
  readonly signal: AbortSignal;
}

const ACTORS = 4;
const MAX_PAUSE_MS = 250;
const PROBE_MS = 1000;
const SERVING_LOOK_MS = 50;

/** Resolves when the signal has ended it and the last answer is in. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { seed, dice, history, nodes, customers, crowd, ruled, sent, signal } = options;
  const phones = createPhoneBook(dice.forActor('phones'));
  const serving = nodes.filter(({ roles }) => roles.includes('api'));
  const crowdSent = { count: 0 };
  let ids = 0;

  const act = async (name: string, actions: readonly Action[]): Promise<void> => {
    const own = dice.forActor(name);
    const context: LoadContext = {
      dice: own,
      call: createCaller(history),
      history,
      phones,
      customers,
      crowd,
      ruled,
      crowdSent,
      sent,
      // Mostly one that is there, as behind a load balancer; what the others are asked gets no answer.
      pickNode: () => {
        const awake = serving.filter((node) => node.isAwake());
        return own.pick(awake.length > 0 && own.isLuck(0.85) ? awake : serving);
      },
      createRequestId: () => {
        ids += 1;
        return `faults-${seed}-${ids}`;
      },
    };
    while (!signal.aborted) {
      await awaitServing(serving, signal);
      await own.weigh(actions).run(context);
      await sleep(own.next() * MAX_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const probe = async (node: ServiceNode): Promise<void> => {
    while (!signal.aborted) {
      await probeNode(history, node);
      await sleep(PROBE_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const actors = Array.from({ length: ACTORS }, (_, index) => act(`actor ${index}`, ACTIONS));
  await Promise.all([...actors, act('ruled', [sendRuled]), ...nodes.map(probe)]);
}

/** Until one of them has started and is awake: calls at a time when none is would only count as unanswered. */
async function awaitServing(serving: readonly ServiceNode[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !serving.some((node) => node.isAwake())) await sleep(SERVING_LOOK_MS);
}

/** Asks a node whether it is ready, and writes the answer down. */
export async function probeNode(history: History, node: ServiceNode): Promise<number> {
  const startMs = history.nowMs();
  const wasAwake = node.isAwake();
  const pid = node.pid();
  const status = await fetch(`${node.url()}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
  const isAwake = wasAwake && node.isAwake() && node.pid() === pid;
  history.add({ kind: 'probe', node: node.name, startMs, endMs: history.nowMs(), status, isAwake });
  return status;
}
