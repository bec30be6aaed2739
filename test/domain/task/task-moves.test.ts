// Which move applies to which task, and the invariants of any sequence of moves.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { moneyFromMillionths, ZERO } from '../../../src/domain/money/money.js';
import { isDispatching } from '../../../src/domain/task/schedule.js';
import { canMove, isFinal, STAGES } from '../../../src/domain/task/stages.js';
import { heldOf, NOTHING_HELD, type Task, type TaskState } from '../../../src/domain/task/task.js';
import {
  cancelByHand,
  freezeByHand,
  type Moved,
  type MoveName,
  OPEN_TO,
  pauseByHand,
  prepareByHand,
  rescheduleByHand,
  resolveByHand,
  resumeByHand,
  submitByHand,
} from '../../../src/domain/task/task-moves.js';
import { type Life, type LifeEvent, type LifeGiven, startLife } from '../../support/model/task-life.js';
import { ACCEPTED_AT, accountOf, taskOf } from '../../support/model/task-of.js';

const NOW = new Date(ACCEPTED_AT.getTime() + 60_000);
const LATER = new Date(NOW.getTime() + 60_000);
const money = moneyFromMillionths;
const BY_HAND = { prepare: 'manual', freeze: 'manual', submit: 'manual' } as const;
const rules = { policy: BY_HAND, chargeOn: 'submit', refundOnFailure: false } as const;

const priced = { stage: 'prepared', queuedFor: null, price: money(100n) } as const;
const hold = { ...NOTHING_HELD, frozen: money(100n) };
const frozen = { ...priced, frozenAt: NOW, hold, terms: { chargeOn: 'submit', refundOnFailure: false } } as const;
const doubted = [{ stage: 'submit_unknown', at: NOW.toISOString() }] as const;

/** Where a task can stand, by the words that the table uses for it. */
const TASKS: Readonly<Record<string, Partial<Task>>> = {
  'queued, to be prepared by hand': {},
  'queued, prepared by itself': { queuedFor: 'prepare' },
  'queued and paused': { paused: true },
  priced,
  'priced, too dear': { ...priced, price: money(1001n) },
  frozen,
  'frozen and put off': { ...frozen, submitAt: LATER, sendAt: LATER },
  'frozen, put off and paused': { ...frozen, submitAt: LATER, sendAt: LATER, paused: true },
  'going out': { ...frozen, stage: 'submitting' },
  'going out again': { ...frozen, stage: 'submitting', paused: false },
  'going out, paused': { ...frozen, stage: 'submitting', submitAt: NOW, paused: true },
  'going out, cancelled': { ...frozen, stage: 'submitting', ending: 'cancelled' },
  'going out, its time up': { ...frozen, stage: 'submitting', ending: 'expired_unsent' },
  'waiting for receipts': { ...frozen, stage: 'waiting_receipt' },
  'in doubt': { ...frozen, stage: 'submit_unknown', timeline: doubted },
  completed: { ...frozen, stage: 'completed' },
  'completed, once in doubt': { ...frozen, stage: 'completed', timeline: doubted },
  'completed, all rejected': { stage: 'completed', queuedFor: null },
  failed: { stage: 'failed', queuedFor: null },
  cancelled: { stage: 'cancelled', queuedFor: null, ending: 'cancelled' },
  'cancelled after the freeze': { ...frozen, stage: 'cancelled', ending: 'cancelled' },
};

const JUDGES = {
  prepare: prepareByHand,
  freeze: (task) => freezeByHand(task, accountOf(), rules, NOW),
  submit: (task) => submitByHand(task, NOW),
  cancel: cancelByHand,
  pause: (task) => pauseByHand(task, NOW),
  resume: (task) => resumeByHand(task, NOW),
  reschedule: (task) => rescheduleByHand(task, LATER, false, NOW),
  resolve: (task) => resolveByHand(task, task.stage === 'submit_unknown'),
} as const satisfies Record<string, (task: Task) => Moved>;

function wordOf({ outcome }: Moved): string {
  if (outcome.kind === 'invalid_stage') return 'no';
  if (outcome.kind === 'insufficient_funds') return outcome.waitsFor;
  return outcome.isRepeat ? 'done' : 'yes';
}

/** yes: it applies; done: it was so already; no: 409 `invalid_stage`; funds: 409 `insufficient_funds`. */
const TABLE = `
                                 | prepare | freeze | submit | cancel | pause | resume | reschedule | resolve
  queued, to be prepared by hand | yes     | no     | no     | yes    | yes   | no     | yes        | no
  queued, prepared by itself     | done    | no     | no     | yes    | yes   | no     | yes        | no
  queued and paused              | yes     | no     | no     | yes    | done  | yes    | yes        | no
  priced                         | done    | yes    | no     | yes    | yes   | no     | yes        | no
  priced, too dear               | done    | funds  | no     | yes    | yes   | no     | yes        | no
  frozen                         | done    | done   | yes    | yes    | yes   | no     | yes        | no
  frozen and put off             | done    | done   | done   | yes    | yes   | no     | yes        | no
  frozen, put off and paused     | done    | done   | done   | yes    | done  | yes    | yes        | no
  going out                      | done    | done   | done   | yes    | yes   | no     | yes        | no
  going out again                | done    | done   | done   | yes    | yes   | done   | yes        | no
  going out, paused              | done    | done   | done   | yes    | done  | yes    | yes        | no
  going out, cancelled           | done    | done   | done   | done   | no    | no     | no         | no
  going out, its time up         | done    | done   | done   | yes    | no    | no     | no         | no
  waiting for receipts           | done    | done   | done   | yes    | no    | no     | no         | no
  in doubt                       | done    | done   | done   | yes    | no    | no     | no         | yes
  completed                      | done    | done   | done   | no     | no    | no     | no         | no
  completed, once in doubt       | done    | done   | done   | no     | no    | no     | no         | done
  completed, all rejected        | done    | no     | done   | no     | no    | no     | no         | no
  failed                         | no      | no     | no     | no     | no    | no     | no         | no
  cancelled                      | no      | no     | no     | done   | no    | no     | no         | no
  cancelled after the freeze     | no      | no     | no     | done   | no    | no     | no         | no
`;
const [head = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('on a task that is', () => {
  test.each(rows.map((cells) => [cells[0] ?? '', cells] as const))('%s', (name, cells) => {
    const moved = Object.values(JUDGES).map((judge) => judge(taskOf(1, TASKS[name])));
    expect([name, ...moved.map(wordOf)]).toEqual(cells);
    const refused = moved.filter(({ outcome }) => outcome.kind === 'invalid_stage');
    expect(refused.flatMap(({ task }) => task ?? [])).toEqual([]);
  });

  test('the table has every task and every move', () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(TASKS));
    expect(head.filter((word) => word !== '')).toEqual(Object.keys(JUDGES));
  });
});

test('the first part that is handed over fixes the time', () => {
  const task = taskOf(1, TASKS['going out']);
  expect(rescheduleByHand(task, LATER, true, NOW).outcome.kind).toBe('invalid_stage');
});

test('a task that goes out and is put off leaves the queue, and comes back where the new time is past', () => {
  const putOff = rescheduleByHand(taskOf(1, TASKS['going out']), LATER, false, NOW).task;
  expect(putOff).toMatchObject({ stage: 'submitting', submitAt: LATER, sendAt: LATER });
  const back = putOff && rescheduleByHand(putOff, ACCEPTED_AT, false, NOW).task;
  expect(back).toMatchObject({ stage: 'submitting', submitAt: null, sendAt: ACCEPTED_AT });
});

test('a new time does not grant the submission of a task', () => {
  const moved = rescheduleByHand(taskOf(1, TASKS.frozen), ACCEPTED_AT, false, NOW).task;
  expect(moved).toMatchObject({ stage: 'prepared', submitAt: null, sendAt: ACCEPTED_AT });
});

test('a task without enough money waits for it', () => {
  const { outcome, task } = freezeByHand(taskOf(1, TASKS['priced, too dear']), accountOf(), rules, NOW);
  expect(outcome).toMatchObject({ kind: 'insufficient_funds', waitsFor: 'funds' });
  expect(task).toMatchObject({ stage: 'prepared', insufficientFunds: true, overLimit: false, frozenAt: null });
});

// Any sequence of moves and outcomes.

const small = fc.bigInt({ min: 0n, max: 12n }).map(money);
const choice = fc.constantFrom('by_request', 'always', 'manual');
const at = fc.option(fc.integer({ min: -5, max: 20 }), { nil: null, freq: 1 });
const given: fc.Arbitrary<LifeGiven> = fc
  .record({
    numbers: fc.integer({ min: 1, max: 3 }),
    rejected: fc.constantFrom(0, 0, 0, 1, 3),
    unitPrice: fc.bigInt({ min: 0n, max: 3n }).map(money),
    available: small,
    dailyLimit: fc.option(small, { nil: null }),
    rules: fc.record({
      policy: fc.record({ prepare: choice, freeze: choice, submit: choice }),
      chargeOn: fc.constantFrom('submit', 'delivery'),
      refundOnFailure: fc.boolean(),
    }),
    times: fc.record({ sendAt: at, expiresAt: at }),
    flags: fc.record({ autoPrepare: fc.boolean(), autoFreeze: fc.boolean(), autoSubmit: fc.boolean() }),
    queuedFor: fc.constantFrom('prepare', 'manual'),
  })
  .map(({ times, flags, queuedFor, ...rest }) => {
    const dateOf = (ms: number | null) => (ms === null ? null : new Date(ACCEPTED_AT.getTime() + ms));
    const task = { ...flags, queuedFor, sendAt: dateOf(times.sendAt), expiresAt: dateOf(times.expiresAt) };
    return { ...rest, rejected: Math.min(rest.rejected, rest.numbers), task };
  });

const MOVES = Object.keys(OPEN_TO) as MoveName[];
const number = fc.nat({ max: 2 });
const status = fc.constantFrom('delivered', 'undelivered', 'expired', 'rejected', 'intermediate');
const wire = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'intended',
      'intended',
      'accepted',
      'accepted',
      'refused',
      'declined',
      'unknown',
      'withdrawn',
    ),
  }),
  fc.record({ kind: fc.constantFrom('not_accepted', 'no_receipt', 'stranded') }),
  fc.record({ kind: fc.constant('reported' as const), status }),
) as fc.Arbitrary<Extract<LifeEvent, { kind: 'part' }>['event']>;
const event: fc.Arbitrary<LifeEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), move: fc.constantFrom(...MOVES) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('reschedule' as const), inMs: fc.integer({ min: -9, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('top_up' as const), amount: small }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 5, 86_400_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('prepare' as const),
      hasTemplate: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'rounds' as const }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('part' as const), number, event: wire }) },
);

/** Half of the lives begin so: left to chance alone, few would get as far as the wire. */
const BEGINNING: readonly LifeEvent[] = [
  { kind: 'move', move: 'prepare' },
  { kind: 'prepare', hasTemplate: true },
  { kind: 'top_up', amount: money(9n) },
  { kind: 'move', move: 'freeze' },
  { kind: 'move', move: 'submit' },
  ...[0, 1, 2].map((at): LifeEvent => ({ kind: 'part', number: at, event: { kind: 'intended' } })),
];

/** Lives through it, and calls `check` for each step with how the task stood before it. */
function live(check: (before: Task, life: Life, event: LifeEvent, outcome: ReturnType<Life['happen']>) => void): void {
  const beginning = fc.constantFrom(BEGINNING, []);
  const property = fc.property(given, beginning, fc.array(event, { maxLength: 50 }), (start, first, events) => {
    const life = startLife(start, ACCEPTED_AT);
    for (const deliveryEvent of [...first, ...events]) {
      const before = life.task;
      check(before, life, deliveryEvent, life.happen(deliveryEvent));
    }
  });
  fc.assert(property, { numRuns: 500 });
}

function sumOf(life: Life, type: string): bigint {
  return life.account.posted.reduce((sum, entry) => (entry.type === type ? sum + entry.amount : sum), 0n);
}

test('a stage never goes back, and nothing leads out of the last one', () => {
  const seen = new Set<string>();
  live((before, { task }) => {
    seen.add(task.stage);
    const stages = task.timeline.map(({ stage }) => stage);
    expect(stages.slice(0, before.timeline.length)).toEqual(before.timeline.map(({ stage }) => stage));
    expect(stages.at(-1)).toBe(task.stage);
    for (const [at, stage] of stages.slice(1).entries()) {
      const from = stages[at] ?? stage;
      expect(canMove(from, stage), `${from} to ${stage}`).toBe(true);
    }
  });
  expect([...seen].sort()).toEqual([...STAGES].sort());
});

test('a task that has ended is left as it is by every move', () => {
  live((before, { task }, _, outcome) => {
    if (!isFinal(before.stage)) return;
    expect(task).toEqual(before);
    expect(task.completedAt).not.toBeNull();
    if (outcome?.kind === 'ok') expect(outcome.isRepeat).toBe(true);
  });
});

test('numbers and money add up at every moment, and nothing is held in the end', () => {
  let ended = 0;
  live((_, life) => {
    const { counts, hold, frozenAt, price, terms, stage } = life.task;
    const { total, ...each } = counts;
    expect(Object.values(each).reduce((sum, count) => sum + count)).toBe(total);
    expect(Math.min(...Object.values(each))).toBeGreaterThanOrEqual(0);
    expect(hold.frozen).toBe(frozenAt === null ? 0n : price);
    expect(terms === null).toBe(frozenAt === null);
    expect(heldOf(hold)).toBeGreaterThanOrEqual(0n);
    expect(hold.refunded).toBeLessThanOrEqual(hold.charged);
    for (const [type, sum] of [
      ['freeze', hold.frozen],
      ['charge', hold.charged],
      ['release', hold.released],
      ['refund', hold.refunded],
    ] as const) {
      expect(sumOf(life, type), type).toBe(sum);
    }
    expect(life.account.frozen).toBe(heldOf(hold));
    expect(life.account.available + life.account.frozen + hold.charged - hold.refunded).toBe(life.deposited);
    expect(life.account.available).toBeGreaterThanOrEqual(0n);
    if (!isFinal(stage)) return;
    ended += 1;
    expect(heldOf(hold)).toBe(ZERO);
  });
  expect(ended).toBeGreaterThan(500);
});

test('a move that is repeated at once changes nothing more, and is answered as done or as before', () => {
  live((_, life, event, outcome) => {
    if (event.kind !== 'move' || outcome === undefined) return;
    const after = life.task;
    const posted = life.account.posted.length;
    const again = life.happen(event);
    expect([life.task, life.account.posted.length]).toEqual([after, posted]);
    if (outcome.kind !== 'ok') expect(again).toEqual(outcome);
    // What was resumed or prepared may have ended meanwhile only by something else.
    else expect(again).toEqual({ kind: 'ok', isRepeat: true });
  });
});

test('a paused task is not dispatched, and none is before its time or before its price is frozen', () => {
  live((before, { task, now }) => {
    const { paused, sendAt, frozenAt, insufficientFunds } = task;
    if (isDispatching(task)) expect([paused === true, frozenAt === null]).toEqual([false, false]);
    if (isDispatching(task) && !isDispatching(before) && task.ending === null) {
      expect(sendAt === null || sendAt <= now).toBe(true);
    }
    if (insufficientFunds) expect([task.stage, frozenAt]).toEqual(['prepared', null]);
    expect(task.overLimit && !insufficientFunds).toBe(false);
  });
});

/** What a move on a task is about: everything but when it was written. */
const STATES: readonly (keyof TaskState)[] = ['stage', 'insufficientFunds', 'frozenAt', 'submitAt', 'paused', 'counts'];

test('a move of a batch looks at every task that it can change', () => {
  live((before, { task }, event) => {
    if (event.kind !== 'move') return;
    const isChanged =
      task.queuedFor !== before.queuedFor || STATES.some((name) => !isDeepStrictEqual(task[name], before[name]));
    if (!isChanged) return;
    const open: { stages: readonly string[]; isFrozen?: boolean } = OPEN_TO[event.move];
    expect(open.stages).toContain(before.stage);
    if (open.isFrozen !== undefined) expect(before.frozenAt !== null).toBe(open.isFrozen);
  });
});
