// The system itself: it comes to rest, no dead process owns anything, it says truly whether it is ready, and no process ends
// by itself.

import type { HistoryEvent, Outage, Probe } from '../history.js';
import type { FinalRule, RunningRule } from './rule.js';

/** A process notices within this time that its database has gone. */
const NOTICE_MS = 3000;

const comesToRest: FinalRule = {
  name: 'after healing everything comes to rest',
  check: ({ unrest }) => (unrest.length === 0 ? undefined : unrest.join(', ')),
};

const nobodyDeadOwns: FinalRule = {
  name: 'no channel is leased to a process that is gone',
  check: ({ strangers }) => (strangers.length === 0 ? undefined : strangers.join(', ')),
};

const readyInTheEnd: FinalRule = {
  name: 'after healing every node is ready',
  check: ({ unready }) => (unready.length === 0 ? undefined : unready.join(', ')),
};

const isOutage = (event: HistoryEvent): event is Outage => event.kind === 'outage';
const isLie = (event: HistoryEvent): event is Probe => event.kind === 'probe' && event.isAwake && event.status === 200;

const readinessIsTrue: FinalRule = {
  name: 'no node says it is ready while its database is away',
  check({ history }) {
    const outages = history.events.filter(isOutage);
    const lie = history.events
      .filter(isLie)
      .find(({ startMs, endMs }) => outages.some((out) => out.startMs + NOTICE_MS < startMs && endMs < out.endMs));
    return lie && `${lie.node} said so at ${lie.startMs} ms`;
  },
};

const noneDied: RunningRule = {
  name: 'no process ends by itself',
  check({ history }) {
    const death = history.events.find((event) => event.kind === 'death');
    return death && `${death.node} at ${death.endMs} ms: ${death.log}`;
  },
};

export const REST_RULES = {
  running: [noneDied],
  final: [comesToRest, nobodyDeadOwns, readyInTheEnd, readinessIsTrue],
};
