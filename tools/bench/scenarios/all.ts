// The scenarios in the order in which they run. One that measures a new part of the service is added here.

import type { Scenario } from '../bench.js';
import { accept } from './accept.js';
import { backlog } from './backlog.js';
import { consoleLatency } from './console-latency.js';
import { databases } from './databases.js';
import { floors } from './floors.js';
import { idle } from './idle.js';
import { kannel } from './kannel.js';
import { kinds } from './kinds.js';
import { lists } from './lists.js';
import { bulk, single } from './many-customers.js';
import { memory } from './memory.js';
import { push } from './push.js';
import { rules } from './rules.js';
import { soak } from './soak.js';

export const SCENARIOS: readonly Scenario[] = [
  floors,
  bulk,
  single,
  accept,
  push,
  rules,
  kinds,
  kannel,
  backlog,
  memory,
  idle,
  soak,
  lists,
  consoleLatency,
  databases,
];

export const SCENARIO_NAMES: readonly string[] = SCENARIOS.map(({ name }) => name);
