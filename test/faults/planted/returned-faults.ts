// Faults that the core had once, each as a change of the source that brings it back, and the test that fails with it. A campaign meets
// them by luck only, or not at all: most of them cost time and break no rule.

export interface ReturnedFault {
  readonly name: string;
  readonly changes: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** The file of the test. */
  readonly test: string;
}

/** Statements of a transaction whose connection has ended are sent to what the driver has instead. */
const UNFENCED = {
  file: 'store/driver/index.js',
  find: 'return q.reject(new Ended())',
  replace: 'q.rewrittenFor = q.rewrittenFor',
};

export const RETURNED_FAULTS: readonly ReturnedFault[] = [
  {
    name: 'untaken-connections-stay-open',
    changes: [{ file: 'processes/handed-over.ts', find: 'connection.close();', replace: 'void connection;' }],
    test: 'test/processes/handed-over.test.ts',
  },
  {
    name: 'intents-outside-of-hours',
    changes: [
      {
        file: 'pipeline/channel/sending/express-send.ts',
        find: ' || !options.queue.isOpen(chunk)) return undefined;',
        replace: ') return undefined;',
      },
    ],
    test: 'test/pipeline/rules/windows.test.ts',
  },
  {
    name: 'revoked-grants-left-for-a-day',
    changes: [
      {
        file: 'pipeline/maintenance/leave-channels.ts',
        find: 'new Date(isForAll ? 0 : Date.now() - RECENT_MS)',
        replace: 'new Date(Date.now() - RECENT_MS)',
      },
    ],
    test: 'test/pipeline/maintenance/leave-channels.test.ts',
  },
  {
    name: 'restored-grants-stay-revoked',
    changes: [{ file: 'store/snapshot/view.ts', find: 'tables.revoked.delete(key);', replace: '' }],
    test: 'test/store/snapshot/source.test.ts',
  },
  {
    name: 'moves-begin-a-new-wait',
    changes: [{ file: 'store/chunk/chunk.ts', find: 'coalesce(c.waits_since, c.queued_at)', replace: 'c.queued_at' }],
    test: 'test/pipeline/maintenance/flapping-channels.test.ts',
  },
  {
    name: 'upkeep-ends-at-a-failure',
    changes: [
      {
        file: 'pipeline/maintenance/upkeep.ts',
        find: 'await step().catch((error: unknown) => errors.push(error));',
        replace: 'await step();',
      },
    ],
    test: 'test/pipeline/maintenance/upkeep.test.ts',
  },
  {
    name: 'open-use-in-one-statement',
    changes: [
      {
        file: 'store/erasure/open-use.ts',
        find: 'const CHUNKS_A_PAGE = 100;',
        replace: 'const CHUNKS_A_PAGE = 1_000_000;',
      },
    ],
    test: 'test/store/erasure/open-use.test.ts',
  },
  {
    name: 'payloads-of-any-size-in-one-statement',
    changes: [
      {
        file: 'store/erasure/open-use.ts',
        find: 'const PAYLOAD_BYTES_A_PAGE = 4 * 1024 * 1024;',
        replace: 'const PAYLOAD_BYTES_A_PAGE = 4_000 * 1024 * 1024;',
      },
    ],
    test: 'test/store/erasure/open-use.test.ts',
  },
  {
    name: 'month-in-one-statement',
    changes: [
      {
        file: 'store/retention/months.ts',
        find: 'const limit = Math.ceil(tasks / from.length);',
        replace: 'const limit = Math.max(1e6, tasks);',
      },
    ],
    test: 'test/store/retention/open-history.test.ts',
  },
  {
    name: 'work-by-every-process',
    changes: [{ file: 'store/work-lease.ts', find: 'return rows.length === 1;', replace: 'return rows.length >= 0;' }],
    test: 'test/pipeline/maintenance/sole-runner.test.ts',
  },
  {
    name: 'busy-queues-first',
    changes: [
      {
        file: 'pipeline/channel/sending/loader.ts',
        find: 'const enough = isLow(messageClass) ? options.window : 1;',
        replace: 'const enough = isLow(messageClass) ? options.window : 0;',
      },
    ],
    test: 'test/pipeline/channel/sending/loader.test.ts',
  },
  {
    name: 'sent-again-on-the-wire',
    changes: [
      {
        file: 'pipeline/channel/parts/part-lifecycle.ts',
        find: 'const copies = parts.filter(inFlight.otherOf);',
        replace: 'const copies = parts.slice(0, 0);',
      },
    ],
    test: 'test/pipeline/channel/parts/part-lifecycle.test.ts',
  },
  {
    name: 'newer-copy-dropped',
    changes: [
      {
        file: 'pipeline/channel/parts/part-lifecycle.ts',
        find: "if (inFlight.otherOf(copy)?.state === 'intending') keepCopy(copy);",
        replace: 'if (copies.length === 0) keepCopy(copy);',
      },
    ],
    test: 'test/pipeline/channel/parts/part-lifecycle.test.ts',
  },
  {
    name: 'intent-in-doubt-given-up',
    changes: [
      {
        file: 'pipeline/channel/parts/part-lifecycle.ts',
        find: 'if (isTransient(error)) quarantineEvent',
        replace: 'if (isTransient(error) && !isTransient(error)) quarantineEvent',
      },
    ],
    test: 'test/pipeline/channel/parts/part-lifecycle.test.ts',
  },
  {
    name: 'rejected-by-old-configuration',
    changes: [
      {
        file: 'pipeline/channel/parts/part-lifecycle.ts',
        find: 'mayEnd ? await withCurrentSnapshot(parts) : parts',
        replace: '!mayEnd ? await withCurrentSnapshot(parts) : parts',
      },
    ],
    test: 'test/pipeline/channel/parts/part-lifecycle.test.ts',
  },
  {
    name: 'left-by-old-grants',
    changes: [
      {
        file: 'pipeline/maintenance/leave-channels.ts',
        find: 'await deps.refreshSnapshot();',
        replace: '',
      },
    ],
    test: 'test/pipeline/maintenance/leave-channels.test.ts',
  },
  { name: 'lost-transaction-goes-on', changes: [UNFENCED], test: 'test/store/driver/transaction.test.ts' },
  { name: 'lost-export-goes-on', changes: [UNFENCED], test: 'test/http/customer/exports.test.ts' },
  {
    name: 'migration-waits-for-locks',
    changes: [
      {
        file: 'store/migrate/with-lock-timeout.ts',
        find: 'backoffMs(attempt, LOCK_TIMEOUT);',
        replace: '0 * backoffMs(attempt, LOCK_TIMEOUT);',
      },
    ],
    test: 'test/store/migrate/migrate-online.test.ts',
  },
  {
    name: 'manual-tasks-walked',
    changes: [
      {
        file: 'store/task/task-prepare.ts',
        find: "sql`queued_for = 'prepare' and prepare_after is null and",
        replace: "sql`queued_for in ('prepare', 'manual') and prepare_after is null and",
      },
    ],
    test: 'test/store/due/to-prepare.test.ts',
  },
  {
    name: 'queue-always-scanned',
    changes: [
      {
        file: 'pipeline/channel/sending/queue-watch.ts',
        find: 'before === undefined || monotonicNow() >= before.scanAfterMs ? await scan(before) : await pollNew(before)',
        replace: 'before === undefined || pollNew !== undefined ? await scan(before) : []',
      },
    ],
    test: 'test/pipeline/channel/sending/queue-watch.test.ts',
  },
  {
    name: 'calls-hold-connections',
    changes: [{ file: 'pipeline/fairness/customer-mutex.ts', find: 'await queue.gate.enter();', replace: '' }],
    test: 'test/pipeline/neighbour.test.ts',
  },
  {
    name: 'reports-refused-behind-login',
    changes: [
      {
        file: 'channels/held-feedback.ts',
        find: 'let receive = hold;',
        replace: 'let receive = (feedback: Feedback): void => feedback.nack();',
      },
    ],
    test: 'test/pipeline/channel/ownership/behind-login.test.ts',
  },
  {
    name: 'shared-listen-login-configured',
    changes: [
      {
        file: 'http/operator/routing/channels.ts',
        find: 'if (holder === undefined) return;',
        replace: 'if (holder !== null) return;',
      },
    ],
    test: 'test/service/channel-checks.test.ts',
  },
  {
    name: 'shared-listen-login-accepted',
    changes: [
      {
        file: 'channels/sgip/listener.ts',
        find: 'if (others.length > 0)',
        replace: 'if (others.length > 99)',
      },
    ],
    test: 'test/channels/sgip/listener.test.ts',
  },
  {
    name: 'every-cursor-read',
    changes: [
      {
        file: 'store/webhook/webhook-due.ts',
        find: 'and c.due_at <= greatest(now(),',
        replace: 'and coalesce(c.due_at, now()) <= greatest(now(),',
      },
    ],
    test: 'test/store/webhook/webhook-due.test.ts',
  },
  {
    name: 'pool-forgets',
    changes: [
      {
        file: 'pipeline/push/delivery-pool.ts',
        find: 'addTo(runningOf, customerId, -1);\n      startWaiting();',
        replace: 'addTo(runningOf, customerId, -1);',
      },
    ],
    test: 'test/pipeline/push/delivery-pool.test.ts',
  },
  {
    name: 'open-batch-read-again',
    changes: [
      {
        file: 'store/webhook/finished-batch.ts',
        find: 'if (openId !== null) remember(tenant, batchId, openId);',
        replace: 'if (openId !== null) continue;',
      },
    ],
    test: 'test/store/webhook/finished-batch.test.ts',
  },
  {
    name: 'every-month-read',
    changes: [
      {
        file: 'pipeline/channel/reports/find-parts.ts',
        find: '{ from: recentFrom, until: NO_END }',
        replace: '{ from: 0n, until: NO_END }',
      },
    ],
    test: 'test/pipeline/channel/reports/old-months.test.ts',
  },
  {
    name: 'list-without-limit',
    changes: [
      {
        file: 'pipeline/settle/entry.ts',
        find: 'cutInto(ofCustomer, MAX_EVENTS)',
        replace: 'cutInto(ofCustomer, ofCustomer.length)',
      },
    ],
    test: 'test/pipeline/settle/recorder.test.ts',
  },
  {
    name: 'passed-over-behind-later-events',
    changes: [
      {
        file: 'pipeline/settle/bucket-line.ts',
        find: 'a.callNo - b.callNo',
        replace: 'b.callNo - a.callNo',
      },
    ],
    test: 'test/pipeline/settle/locked-customer.test.ts',
  },
  {
    name: 'batches-wait-for-locked-accounts',
    changes: [
      {
        file: 'pipeline/settle/bucket-line.ts',
        find: 'onLocked: mayWait ? undefined : onLocked',
        replace: 'onLocked: undefined',
      },
    ],
    test: 'test/pipeline/settle/locked-customer.test.ts',
  },
  {
    name: 'restarted-queue-continued',
    changes: [
      {
        file: 'pipeline/channel/sending/loader.ts',
        find: 'held.has(queue) || marks.get(queue) !== mark',
        replace: 'held.has(queue)',
      },
    ],
    test: 'test/pipeline/channel/sending/loader.test.ts',
  },
  {
    name: 'accepted-in-order-of-arrival',
    changes: [
      { file: 'store/task/task-accept.ts', find: '[...requested].sort(compareKeys)', replace: '[...requested]' },
    ],
    test: 'test/store/task/task-accept.test.ts',
  },
  {
    name: 'same-words-dropped',
    changes: [
      {
        file: 'pipeline/channel/reports/uplink-repeats.ts',
        find: "mayRepeat: isPossible ? 'last' : 'none'",
        replace: "mayRepeat: isPossible ? 'last' : 'last'",
      },
    ],
    test: 'test/pipeline/channel/reports/uplinks.test.ts',
  },
  {
    name: 'clock-jump-believed',
    changes: [
      {
        file: 'store/database-clock.ts',
        find: 'if (aheadMs <= MAX_STEP_MS || ',
        replace: 'if (aheadMs >= 0 || aheadMs <= MAX_STEP_MS || ',
      },
    ],
    test: 'test/store/database-clock.test.ts',
  },
  {
    name: 'standstill-unnoticed',
    changes: [
      {
        file: 'store/database-clock.ts',
        find: 'isOurTime || ',
        replace: '(isOurTime && false) || ',
      },
    ],
    test: 'test/store/database-clock.test.ts',
  },
  {
    name: 'task-prepared-twice',
    changes: [
      {
        file: 'store/task/task-prepare.ts',
        find: 'TASK_KEYS.unnest(tx, [...distinct.values()])',
        replace: 'TASK_KEYS.unnest(tx, distinct.size < 0 ? [] : keys)',
      },
    ],
    test: 'test/store/task/task-prepare.test.ts',
  },
  {
    name: 'due-tasks-spin',
    changes: [
      {
        file: 'pipeline/task-moves/start-tasks.ts',
        find: 'return hasStarted && due.length === TASKS_A_ROUND;',
        replace: 'return due.length === TASKS_A_ROUND || hasStarted;',
      },
      {
        file: 'pipeline/task-moves/end-tasks.ts',
        find: 'return hasEnded && due.length === TASKS_A_ROUND;',
        replace: 'return due.length === TASKS_A_ROUND || hasEnded;',
      },
    ],
    test: 'test/pipeline/task-moves/due-tasks.test.ts',
  },
  {
    name: 'tries-forgotten',
    changes: [
      {
        file: 'pipeline/settle/settle-batch.ts',
        find: 'const inDoubt = this.#inDoubtOf(deliveryEvents);',
        replace: 'const inDoubt = new Map<number, Decision>();',
      },
    ],
    test: 'test/pipeline/settle/lost-lease.test.ts',
  },
  {
    name: 'filing-checked-when-prepared-only',
    changes: [
      {
        file: 'sending-rules/filings/rule.ts',
        find: 'channel === undefined || snapshot.isFiled(channel, serviceAccountId)',
        replace: 'true',
      },
    ],
    test: 'test/pipeline/rules/handover.test.ts',
  },
  {
    name: 'words-checked-when-prepared-only',
    changes: [
      {
        file: 'sending-rules/blocked-words/rule.ts',
        find: 'const find = snapshot.blockedWordFinder(customerId, since);',
        replace: 'const find = undefined as FindBlockedWord | undefined;',
      },
    ],
    test: 'test/pipeline/rules/handover.test.ts',
  },
  {
    name: 'opt-outs-checked-when-prepared-only',
    changes: [
      {
        file: 'pipeline/settle/settle.ts',
        find: 'if (suspects.length === 0) return ends;',
        replace: 'if (suspects.length >= 0) return ends;',
      },
    ],
    test: 'test/pipeline/rules/handover.test.ts',
  },
  {
    name: 'revoked-numbers-wait',
    changes: [
      {
        file: 'pipeline/maintenance/leave-channels.ts',
        find: 'await rejectUnsent(deps, stranded);',
        replace: '',
      },
    ],
    test: 'test/pipeline/rules/handover.test.ts',
  },
  {
    name: 'cursors-readable',
    changes: [
      {
        file: 'http/query/cursor.ts',
        find: 'const enciphered = encipherAll(current.text, tags, texts);',
        replace: 'const enciphered = texts;',
      },
    ],
    test: 'test/service/masking.test.ts',
  },
  {
    name: 'moved-number-found-where-it-was',
    changes: [
      {
        file: 'pipeline/channel/reports/find-parts.ts',
        find: 'index >= 0 && !isMoved(state, index)',
        replace: 'index >= 0 && (state.results.length > 0 || isMoved(state, index))',
      },
    ],
    test: 'test/pipeline/channel/reports/find-parts.test.ts',
  },
  {
    name: 'moved-number-awaits',
    changes: [
      {
        file: 'domain/chunk/chunk-state.ts',
        find: "if (isMoved(chunk, index)) return 'unsent';",
        replace: '',
      },
    ],
    test: 'test/domain/chunk/chunk-state.test.ts',
  },
  {
    name: 'commit-mark-ignored',
    changes: [
      {
        file: 'pipeline/settle/settle.ts',
        find: 'const decision = last === undefined ? undefined : inDoubt.get(last);',
        replace: 'const decision = last === undefined ? undefined : inDoubt.get(-last);',
      },
    ],
    test: 'test/pipeline/settle/lost-answer.test.ts',
  },
  {
    name: 'intent-of-another-channel-withdrawn',
    changes: [
      {
        file: 'domain/outcome/settlement.ts',
        find: "if (event.kind === 'withdrawn' && deliveryEvent.channelId !== tally.stored.channelId) return;",
        replace: '',
      },
    ],
    test: 'test/domain/outcome/settlement.test.ts',
  },
  {
    name: 'receipts-wait-for-the-whole-chunk',
    changes: [{ file: 'store/chunk/chunk.ts', find: 'when u.starts_receipt_wait', replace: 'when u.leaves_queue' }],
    test: 'test/pipeline/maintenance/receipt-timeout.test.ts',
  },
  {
    name: 'revoked-message-waits-for-ever',
    changes: [
      {
        file: 'domain/outcome/ending.ts',
        find: "kind: ending === 'expired_unsent' && canSend ? 'ended' : 'stopped'",
        replace: "kind: canSend || !canSend ? 'ended' : 'stopped'",
      },
      {
        file: 'pipeline/maintenance/stranded.ts',
        find: 'if (revoked.size === 0) return false;',
        replace: 'if (revoked.size >= 0) return false;',
      },
    ],
    test: 'test/pipeline/revoked-message.test.ts',
  },
];
