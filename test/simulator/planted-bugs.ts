// Bugs that somebody might make in what decides about a number, each as a change of the compiled code, and the promises that a simulation
// says are broken. A simulation that does not find one of them in seconds has a hole.

import type { PlantedBug } from '../faults/planted/planted-bug.js';

const STATE = 'domain/chunk/chunk-state.js';
const SETTLEMENT = 'domain/outcome/settlement.js';
const BATCH = 'domain/outcome/conclude-batch.js';
const BILLING = 'domain/task/billing.js';
const TALLY = 'domain/task/task-tally.js';
const LEDGER = 'domain/money/ledger.js';

function bug(name: string, file: string, find: string, replace: string, ...caughtBy: string[]): PlantedBug {
  return { name, changes: [{ file, find, replace }], caughtBy };
}

export const SIMULATED_BUGS: readonly PlantedBug[] = [
  // The state of a part.
  bug(
    'report-proves-nothing',
    STATE,
    'state === PART.unsent || state === PART.unknown ||',
    'state === PART.unsent ||',
    'reason',
    'records',
    'ends',
    'counts',
  ),
  bug(
    'second-final-report-counts',
    STATE,
    'if (isProof || state === PART.accepted)',
    'if (isProof || state >= PART.accepted)',
    'receipt',
    'reason',
    'records',
    'counts',
    'money',
  ),
  bug(
    'repeated-report-recorded',
    STATE,
    "return state === reported ? 'duplicate' : 'unchanged';",
    "return isProof ? 'unchanged' : reported;",
    'records',
    'reason',
    'receipt',
    'money',
  ),
  // The state of a number.
  bug(
    'first-report-decides',
    STATE,
    'allReported = false;',
    'allReported = allReported && true;',
    'reason',
    'money',
    'error',
    'ends',
  ),
  bug('last-report-decides', STATE, 'else if (deciding === PART.delivered)', 'else', 'reason'),
  bug(
    'refused-part-forgotten',
    STATE,
    "if (state === PART.refused)\n            return 'rejected';",
    '',
    'ends',
    'counts',
    'stage',
  ),
  bug(
    'ended-while-on-the-wire',
    STATE,
    "if (!isUntouched(chunk, index))\n        return 'unchanged';\n    return rejectUnsent(chunk, index);",
    "if (chunk.results[index] !== 0)\n        return 'unchanged';\n    return rejectUnsent(chunk, index);",
    'reason',
    'counts',
    'money',
    'ledger',
  ),
  bug(
    'chunk-finished-early',
    STATE,
    '!results.includes(0) && !partStates.includes(PART.intended) && !partStates.includes(PART.unknown)',
    '!partStates.includes(PART.unsent)',
    'records',
    'ends',
    'error',
    'counts',
    'sent',
    'reason',
  ),
  bug(
    'handed-over-too-early',
    STATE,
    'if (state === PART.intended || (state === PART.unsent && chunk.results[index] === 0))',
    'if (state === PART.intended)',
    'ends',
  ),
  // What a batch writes.
  bug(
    'place-ignored',
    SETTLEMENT,
    'return stored.queueNo === chunk.queueNo && isInTime;',
    'return isInTime;',
    'allowed',
    'sent',
    'records',
    'reason',
  ),
  bug(
    'expiry-ignored',
    SETTLEMENT,
    'return stored.queueNo === chunk.queueNo && isInTime;',
    'return stored.queueNo === chunk.queueNo;',
    'allowed',
  ),
  bug('failover-without-end', SETTLEMENT, '[...chunk.tried, channelId]', 'chunk.tried', 'records', 'sent'),
  bug(
    'unknown-never-resolved',
    SETTLEMENT,
    'batch.known.push({ customerId, taskId, seq, part });',
    '',
    'error',
    'records',
    'reason',
    'counts',
    'ends',
  ),
  bug(
    'resolution-lost',
    SETTLEMENT,
    'batch.resolutions.push({ customerId, taskId, seq, part, status, code, upstreamMessageId });',
    '',
    'counts',
    'money',
    'records',
    'reason',
  ),
  bug(
    'receipt-twice',
    SETTLEMENT,
    'batch.receipts.push(receipt);\n}',
    "batch.receipts.push(receipt);\n    if (event.kind === 'not_accepted') batch.receipts.push(receipt);\n}",
    'receipt',
  ),
  bug('late-report-recorded-again', BATCH, 'const isNew = !seen.has(keyOf(row));', 'const isNew = true;', 'records'),
  bug('wait-starts-never', SETTLEMENT, "applied.from !== 'awaiting' && applied.to === 'awaiting'", 'false', 'ends'),
  bug('moved-numbers-lost', BATCH, 'moved.push(cutMoved(move, nextChunkNo(account)));', '', 'ends'),
  // Money.
  bug('refund-twice', BILLING, "movements.push('refund');", "movements.push('refund', 'refund');", 'money', 'amounts'),
  bug(
    'refund-of-unaccepted',
    BILLING,
    'if (!change.accepted)',
    'if (!change.becameAccepted && !change.accepted && change.from === change.to)',
    'money',
    'amounts',
  ),
  bug(
    'charge-at-every-part',
    BILLING,
    'if (change.becameAccepted)',
    'if (change.accepted)',
    'money',
    'amounts',
    'ledger',
  ),
  bug('release-forgotten', BILLING, "['charge'] : ['release']", "['charge'] : []", 'money'),
  bug(
    'undelivered-charged',
    BILLING,
    "change.result === 'delivered' ? ['charge']",
    "change.accepted ? ['charge']",
    'money',
  ),
  bug(
    'balance-not-carried',
    LEDGER,
    'availableAfter: account.available,',
    'availableAfter: account.available - availableDelta,',
    'ledger',
  ),
  bug(
    'entry-number-repeated',
    LEDGER,
    'account.entrySeq += 1n;',
    "if (entry.type !== 'refund') account.entrySeq += 1n;",
    'ledger',
  ),
  bug(
    'credit-forgotten',
    'domain/money/freeze.js',
    'price > available + creditLimit',
    'price > available + creditLimit + creditLimit + price',
    'funds',
  ),
  bug(
    'hold-not-kept',
    TALLY,
    'hold[into] = moneyFromMillionths(hold[into] + amount);',
    'hold[into] = moneyFromMillionths(amount);',
    'ledger',
    'money',
    'amounts',
  ),
  bug(
    'counted-once-too-little',
    TALLY,
    'tally.counts[change.to] += 1;',
    "if (change.from !== 'unknown') tally.counts[change.to] += 1;",
    'counts',
    'stage',
  ),
  // Tasks.
  bug(
    'paused-stays-queued',
    'domain/task/schedule.js',
    "return stage === 'submitting' && submitAt === null;",
    "return stage === 'submitting';",
    'allowed',
  ),
  bug(
    'sent-before-its-time',
    'domain/task/schedule.js',
    'paused !== true && (sendAt === null || sendAt <= now)',
    'paused !== true',
    'allowed',
  ),
  bug(
    'stage-by-awaiting-first',
    'domain/task/stages.js',
    "if (counts.unknown > 0)\n        return 'submit_unknown';",
    '',
    'stage',
  ),
  bug(
    'cancelled-whole-too-often',
    'domain/outcome/ending.js',
    'const isUntouched = !end.hasSubmits && end.chunks.every(({ state }) => isAllUnsent(state));',
    'const isUntouched = true;',
    'stage',
  ),
  // Which part a report is about.
  bug(
    'guess-among-several',
    'domain/message/part-matching.js',
    "(how !== 'lost_answer' || matching.length === 1)",
    'true',
    'reason',
    'records',
  ),
];
