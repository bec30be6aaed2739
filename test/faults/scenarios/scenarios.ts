import { earlyReport } from './early-report.js';
import { lateAnswer } from './late-answer.js';
import { lostIntent } from './lost-intent.js';
import type { Scenario } from './scenario.js';
import { tableLock } from './table-lock.js';

export const SCENARIOS = {
  'early-report': earlyReport,
  'lost-intent': lostIntent,
  'late-answer': lateAnswer,
  'table-lock': tableLock,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
