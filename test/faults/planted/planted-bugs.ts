// Plausible bugs, each as a change of the compiled code, and the faults that bring it to light. A campaign
// that does not catch one of them has a hole.

import type { PlantedBug } from './planted-bug.js';
import { RULED_BUGS } from './ruled-bugs.js';

const CRASHES = ['kill-node'];

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'fence-dropped',
    // What it lets through is stopped by the states of the parts; that two processes speak for one channel is seen.
    caughtBy: ['no destination got a part twice', 'after healing everything'],
    changes: [
      { file: 'store/channel/channel-lease.js', find: 'row.held < leases.length', replace: 'false' },
      { file: 'pipeline/channel/ownership/heartbeat.js', find: 'if (!isHeld)', replace: 'if (false)' },
    ],
    faults: ['stale-owner'],
    seconds: 45,
  },
  {
    name: 'transaction-fence-removed',
    caughtBy: ['no process ends by itself', 'the ledger has no gaps', 'the audit finds nothing', 'every balance'],
    changes: [{ file: 'store/driver/index.js', find: 'if (Ended)\n        return q.reject(new Ended())', replace: '' }],
    faults: ['end-idle-transactions'],
    seconds: 45,
  },
  {
    name: 'unknown-resent',
    caughtBy: ['no destination got a part twice'],
    changes: [
      {
        file: 'pipeline/channel/ownership/interrupted.js',
        find: "{ kind: 'unknown' }",
        replace: "{ kind: 'withdrawn' }",
      },
    ],
    // What a paused message centre has been sent and not answered, when the sender dies.
    faults: [...CRASHES, 'pause-centre'],
    seconds: 45,
  },
  {
    name: 'unknown-tried-elsewhere',
    caughtBy: ['no destination got a part twice', 'a part has one submit record'],
    changes: [
      {
        file: 'pipeline/channel/parts/part-events.js',
        find: "return { kind: 'unknown', code: outcome.code };",
        replace: "return answerOf({ ...outcome, kind: 'refused', code: 'ESME_RSUBMITFAIL' }, failoverChannel);",
      },
    ],
    faults: ['cut-centre-network', 'lose-answer-centre-network'],
  },
  {
    name: 'second-way-forgotten',
    caughtBy: ['a number that is refused for good'],
    changes: [{ file: 'domain/plan/failover.js', find: 'return next ?? first;', replace: 'return undefined;' }],
    seconds: 45,
  },
  {
    name: 'sent-before-intent',
    caughtBy: ['no destination got a part twice'],
    changes: [
      {
        file: 'pipeline/channel/parts/part-lifecycle.js',
        find: 'await recorder.record([...intents.keys()], { lease, mode, isOrdered, onSettled });',
        replace:
          'void recorder.record([...intents.keys()], { lease, mode }); onSettled([...intents.keys()], { refused: new Set(), failed: new Map() });',
      },
    ],
    faults: [...CRASHES, 'terminate-backends', 'pause-backend', 'stop-database'],
    seconds: 45,
  },
  {
    name: 'report-acknowledged-before-commit',
    scenario: 'report-before-commit',
    caughtBy: ['a report that was acknowledged is kept'],
    changes: [
      {
        file: 'pipeline/channel/reports/feedback.js',
        find: 'const failures = await lifecycle.recordReports(reports);',
        replace:
          'for (const { report } of reports) report.ack(); const failures = await lifecycle.recordReports(reports);',
      },
    ],
  },
  {
    name: 'duplicate-report-recorded',
    caughtBy: ['the same report of a part is recorded once'],
    changes: [
      {
        file: 'domain/chunk/chunk-state.js',
        find: "return state === reported ? 'duplicate' : 'unchanged';",
        replace: "return 'unchanged';",
      },
    ],
  },
  {
    name: 'release-forgotten',
    caughtBy: ['in the end counts and amounts'],
    changes: [{ file: 'domain/task/billing.js', find: "['charge'] : ['release']", replace: "['charge'] : []" }],
  },
  {
    name: 'refunded-twice',
    caughtBy: ['what a finished task cost'],
    changes: [
      {
        file: 'domain/task/billing.js',
        find: "movements.push('refund')",
        replace: "movements.push('refund', 'refund')",
      },
    ],
  },
  {
    name: 'balance-guard-skipped',
    caughtBy: ['nothing is frozen'],
    changes: [
      {
        file: 'domain/money/freeze.js',
        find: 'price > available + creditLimit',
        replace: 'false',
      },
    ],
    faults: CRASHES,
    seconds: 45,
  },
  {
    name: 'day-forgotten',
    caughtBy: ['no more is frozen in a day'],
    changes: [
      {
        file: 'domain/money/freeze.js',
        find: 'account.frozenThatDay = moneyFromMillionths(frozenToday(account, now) + price);',
        replace: 'account.frozenThatDay = price;',
      },
    ],
    seconds: 45,
  },
  {
    name: 'id-matched-loosely',
    caughtBy: ['a report settles the number', 'after healing everything', 'a report that was acknowledged'],
    changes: [
      {
        file: 'domain/message/message-id.js',
        find: 'messageId.toLowerCase()',
        replace: 'messageId.toLowerCase().slice(-2)',
      },
      {
        file: 'domain/message/part-matching.js',
        find: 'if (one === other)\n        return true;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'chunk-lost-on-loading',
    caughtBy: ['after healing everything'],
    changes: [
      {
        file: 'pipeline/channel/sending/loader.js',
        find: 'turns.add(entry);',
        replace: 'if (entry.chunk.queueNo % 5n !== 0n) turns.add(entry);',
      },
    ],
  },
  {
    name: 'count-forgotten',
    caughtBy: ['counts and amounts add up', 'in the end counts', 'after healing everything'],
    changes: [
      {
        file: 'domain/task/task-tally.js',
        find: 'tally.counts[change.to] += 1;',
        replace: "if (change.to !== 'expired') tally.counts[change.to] += 1;",
      },
    ],
  },
  {
    name: 'stage-goes-back',
    caughtBy: ['stages only', 'timelines only'],
    changes: [{ file: 'domain/task/stages.js', find: "return 'waiting_receipt';", replace: "return 'prepared';" }],
  },
  {
    name: 'answered-before-commit',
    caughtBy: ['every acknowledged request', 'one client_request_id', 'every answer'],
    changes: [
      {
        file: 'pipeline/accept/accept.js',
        find: 'const inserted = await acceptTasks(',
        replace:
          "for (const entry of batch) entry.resolve({ kind: 'accepted', task: entry.task }); const inserted = await acceptTasks(",
      },
    ],
    faults: ['stop-database', 'kill-node', 'cut-database-network', 'terminate-backends', 'pause-backend'],
  },
  {
    name: 'second-task-for-one-id',
    caughtBy: ['one client_request_id', 'every acknowledged request'],
    changes: [
      {
        file: 'pipeline/accept/accept.js',
        find: 'requestKey: command.requestKey,',
        replace: "requestKey: command.requestKey + '/' + taskId,",
      },
    ],
  },
  {
    name: 'uncertainty-denied',
    caughtBy: ['a request that was refused'],
    changes: [
      {
        file: 'http/problem/uncertain-write.js',
        find: 'if (isTransient(cause) && !isOutcomeUnknown(cause))',
        replace: 'if (isTransient(cause))',
      },
    ],
    faults: ['lose-acceptance-database-network'],
    seconds: 45,
  },
  {
    name: 'always-ready',
    caughtBy: ['no node says it is ready'],
    changes: [{ file: 'http/health.js', find: 'if (missing.length === 0)', replace: 'if (missing.length >= 0)' }],
    faults: ['stop-database'],
    seconds: 45,
  },
  {
    name: 'sent-before-its-time',
    caughtBy: ['nothing is handed over before'],
    changes: [
      {
        file: 'domain/task/schedule.js',
        find: 'return paused !== true && (sendAt === null || sendAt <= now);',
        replace: 'return paused !== true;',
      },
    ],
    seconds: 45,
  },
  {
    name: 'sent-after-its-time',
    caughtBy: ['nothing is handed over after'],
    changes: [
      { file: 'domain/outcome/settlement.js', find: 'const isInTime = ', replace: 'const isInTime = true || ' },
      {
        file: 'domain/task/schedule.js',
        find: 'expiresAt <= now;',
        replace: 'expiresAt.getTime() + 20_000 <= now.getTime();',
      },
    ],
    // Others would excuse what is late.
    faults: CRASHES,
    seconds: 45,
  },
  {
    name: 'pause-ignored',
    caughtBy: ['while a task is paused'],
    changes: [
      {
        file: 'pipeline/task-moves/write-tasks.js',
        find: 'held.length > 0 && unqueueChunks(tx, bucket, held)',
        replace: 'false',
      },
    ],
    faults: CRASHES,
    seconds: 45,
  },
  {
    name: 'under-way-cancelled',
    scenario: 'cancelled-under-way',
    caughtBy: ['a number that was cancelled'],
    changes: [
      {
        file: 'domain/chunk/chunk-state.js',
        find: 'export function stopUnsent(chunk, index) {\n    if (chunk.results[index] !== 0 || !hasPart(chunk, index, PART.unsent))',
        replace: 'export function stopUnsent(chunk, index) {\n    if (chunk.results[index] !== 0)',
      },
    ],
    faults: ['pause-centre', 'silence-centre-network'],
    seconds: 45,
  },
  {
    name: 'position-moved-before-the-answer',
    caughtBy: ['every receipt is pushed', 'task.finished is pushed', 'after healing everything'],
    changes: [
      {
        file: 'pipeline/push/deliver.js',
        find: 'const isDelivered = answer.error === null;',
        replace: 'const isDelivered = true;',
      },
    ],
  },
  {
    name: 'pushed-ahead-of-the-commit',
    // What is committed within a moment after a message is taken for delivered.
    caughtBy: ['every receipt is pushed', 'a message that comes again', 'after healing everything'],
    changes: [
      {
        file: 'pipeline/push/deliver.js',
        find: 'cursor.messageEnd ?? batch?.last ?? until;',
        replace: 'cursor.messageEnd ?? (batch ? batch.last + (500n << 20n) : until);',
      },
    ],
  },
  {
    name: 'message-numbered-anew',
    caughtBy: ['every receipt is pushed', 'task.finished is pushed'],
    changes: [
      {
        file: 'store/webhook/webhook-cursor.js',
        find: 'c.message_no + case when c.message_end is null then 1 else 0 end',
        replace: 'c.message_no + 1',
      },
    ],
  },
  {
    name: 'claims-ignored',
    caughtBy: ['what was confirmed comes again', 'a message does not come again'],
    changes: [
      {
        file: 'store/webhook/webhook-due.js',
        find: '\n      and (c.lease_until is null or c.lease_until <= now())',
        replace: '',
      },
      {
        file: 'store/webhook/webhook-cursor.js',
        find: '\n      and (c.lease_until is null or c.lease_until <= now())',
        replace: '',
      },
    ],
    faults: ['kill-centre'],
  },
  {
    name: 'early-report-dropped',
    scenario: 'early-report',
    caughtBy: ['a report that came before its answer'],
    changes: [
      {
        file: 'pipeline/channel/reports/feedback.js',
        find: 'retries.add({ ...stored, tries: stored.tries + 1 });',
        replace: ';',
      },
    ],
  },
  {
    name: 'refused-behind-login',
    scenario: 'behind-login',
    caughtBy: ['a report behind the login'],
    changes: [
      {
        file: 'channels/held-feedback.js',
        find: 'let receive = hold;',
        replace: 'let receive = (feedback) => feedback.nack();',
      },
    ],
  },
  {
    name: 'intended-far-ahead-of-the-wire',
    scenario: 'slow-carrier',
    caughtBy: ['no more parts are unknown after a crash'],
    changes: [{ file: 'channels/session/session-channel.js', find: 'accepts: accepted.size,', replace: '' }],
  },
  {
    name: 'answer-to-unsent-ignored',
    scenario: 'lost-intent',
    caughtBy: ['a part that was answered is not sent again'],
    changes: [
      {
        file: 'domain/chunk/chunk-state.js',
        find: 'const isOpen = state === PART.intended || state === PART.unsent;',
        replace: 'const isOpen = state === PART.intended;',
      },
    ],
  },
  {
    name: 'answer-without-lease-dropped',
    scenario: 'late-answer',
    caughtBy: ['an answer is recorded'],
    changes: [
      {
        file: 'pipeline/settle/settle-batch.js',
        find: 'await this.#settleFacts(deliveryEvents, error);',
        replace: 'this.#fail(deliveryEvents, error);',
      },
    ],
  },
  {
    name: 'filing-checked-at-preparing-only',
    scenario: 'withdrawn-filing',
    caughtBy: ['a channel that requires a filing'],
    changes: [
      {
        file: 'sending-rules/filings/rule.js',
        find: 'channel === undefined || snapshot.isFiled(channel, serviceAccountId)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'old-time-after-a-standstill',
    scenario: 'standstill',
    caughtBy: ['what expired while the machine stood still'],
    changes: [{ file: 'store/database-clock.js', find: 'isOurTime || ', replace: '' }],
  },
  {
    name: 'stall-unfenced',
    scenario: 'table-lock',
    caughtBy: ['no process ends by itself', 'the audit finds nothing', 'after healing everything'],
    changes: [{ file: 'store/driver/index.js', find: 'if (Ended)\n        return q.reject(new Ended())', replace: '' }],
  },
  {
    name: 'cmpp-id-as-number',
    // A double holds 53 of the 64 bits: neighbours share an id, and no Deliver is answered under its own.
    caughtBy: ['a report settles the number', 'a report that was acknowledged', 'after healing everything'],
    kinds: ['cmpp', 'cmpp'],
    changes: [
      {
        file: 'channels/china/fields.js',
        find: "values[name] = frame.toString('hex', at, end);",
        replace:
          "values[name] = frame.toString('hex', at, end); if (octets === 8) values[name] = BigInt(Number(BigInt('0x' + values[name]))).toString(16).padStart(16, '0');",
      },
      {
        file: 'channels/cmpp/report.js',
        find: "body.toString('hex', 0, STAT_AT)",
        replace: "BigInt(Number(BigInt('0x' + body.toString('hex', 0, STAT_AT)))).toString(16).padStart(16, '0')",
      },
    ],
    faults: ['kill-centre'],
  },
  {
    name: 'smgp-resent-after-timeout',
    caughtBy: ['no destination got a part twice'],
    kinds: ['smgp', 'smgp'],
    changes: [
      {
        file: 'channels/session/session-channel.js',
        find: "answerPart(queued, { part: queued.part, kind: 'unknown', code: reason }, undefined)",
        replace: "answerPart(queued, { part: queued.part, kind: 'throttled', code: reason }, undefined)",
      },
    ],
    faults: ['pause-centre', 'silence-centre-network'],
  },
  {
    name: 'sgip-id-from-answer',
    // Reports name the sequence number of the Submit; gateways answer with another time in it.
    scenario: 'sgip-reports',
    caughtBy: ['a report settles the number'],
    changes: [
      {
        file: 'channels/sgip/sent-parts.js',
        find: 'sent.get(answered.counter)?.messageId ?? formatSequence(answered)',
        replace: 'formatSequence(answered)',
      },
    ],
  },
  {
    name: 'sgip-login-ignored',
    // The first channel of the port gets the sessions of all.
    scenario: 'sgip-shared-port',
    caughtBy: ['a report over the session of its channel'],
    changes: [
      {
        file: 'channels/sgip/listener.js',
        find: 'named.filter((each) => isLoginOf(each, account, password))',
        replace: 'ofHost.slice(0, 1)',
      },
    ],
  },
  {
    name: 'http-callback-acknowledged-before-commit',
    scenario: 'callback-before-commit',
    caughtBy: ['a report that was acknowledged is kept'],
    changes: [
      {
        file: 'pipeline/channel/reports/receive-callback.js',
        find: 'await store(channelId, feedback);',
        replace: 'store(channelId, feedback).catch(() => {});',
      },
    ],
  },
  {
    name: 'http-resent-after-timeout',
    scenario: 'http-timeout',
    caughtBy: ['a part without an answer is not sent again'],
    changes: [
      {
        file: 'channels/http-upstream/http-channel.js',
        find: "kind: 'unknown', code: exchange.code }",
        replace: "kind: 'unsent' }",
      },
    ],
  },
  {
    name: 'upgrade-never-settles',
    // The place of a call that never ends is lost. A cluster hides it, because another process takes the message over.
    scenario: 'neighbour',
    caughtBy: ['calls that upgrade end', 'the service stops'],
    changes: [
      { file: 'pipeline/push/post.js', find: "request.on('upgrade',", replace: "request.on('never'," },
      {
        file: 'pipeline/push/post.js',
        find: "request.on('close', () => end());",
        replace: "request.on('close', () => signal.removeEventListener('abort', onAbort));",
      },
    ],
    seconds: 20,
  },
  {
    name: 'json-parsed-unscanned',
    scenario: 'neighbour',
    caughtBy: ['others do not wait', 'nothing is refused'],
    changes: [
      { file: 'http/body/json-scan.js', find: 'this.#depth > MAX_DEPTH', replace: 'false' },
      { file: 'http/body/json-scan.js', find: 'this.#values > MAX_VALUES', replace: 'false' },
      {
        file: 'http/body/json-body.js',
        find: 'const scan = new JsonScan(bytes, groupBytes);',
        replace:
          "if (bytes.length > 0) return JSON.parse(bytes.toString('utf8')); const scan = new JsonScan(bytes, groupBytes);",
      },
    ],
    seconds: 20,
  },
  ...RULED_BUGS,
];
