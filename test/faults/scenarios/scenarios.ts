import { behindLogin } from './behind-login.js';
import { busyCustomers } from './busy-customers.js';
import { callbackBeforeCommit } from './callback-before-commit.js';
import { cancelledUnderWay } from './cancelled-under-way.js';
import { earlyReport } from './early-report.js';
import { httpTimeout } from './http-timeout.js';
import { lateAnswer } from './late-answer.js';
import { lostIntent } from './lost-intent.js';
import { reportBeforeCommit } from './report-before-commit.js';
import type { Scenario } from './scenario.js';
import { sgipReports } from './sgip-reports.js';
import { sgipSharedPort } from './sgip-shared-port.js';
import { slowCarrier } from './slow-carrier.js';
import { standstill } from './standstill.js';
import { tableLock } from './table-lock.js';
import { withdrawnFiling } from './withdrawn-filing.js';

export const SCENARIOS = {
  'early-report': earlyReport,
  'report-before-commit': reportBeforeCommit,
  'callback-before-commit': callbackBeforeCommit,
  'http-timeout': httpTimeout,
  'sgip-reports': sgipReports,
  'sgip-shared-port': sgipSharedPort,
  'behind-login': behindLogin,
  'lost-intent': lostIntent,
  'late-answer': lateAnswer,
  'slow-carrier': slowCarrier,
  'table-lock': tableLock,
  'busy-customers': busyCustomers,
  'cancelled-under-way': cancelledUnderWay,
  'withdrawn-filing': withdrawnFiling,
  standstill,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
