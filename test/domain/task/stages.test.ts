import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Money, moneyFromMillionths } from '../../../src/domain/money/money.js';
import {
  ACCOUNTING_MOVES,
  type Accounting,
  accountingState,
  type ChargeOn,
  type Counts,
  canMove,
  isFinal,
  RECEIPT_MOVES,
  receiptState,
  STAGE_MOVES,
  STAGES,
  stageOf,
} from '../../../src/domain/task/stages.js';

const counts = (some: Partial<Counts>): Counts => {
  const none = { unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
  const all = { ...none, ...some };
  return { ...all, total: Object.values({ ...all, total: 0 }).reduce((sum, count) => sum + count, 0) };
};

describe('the stage after submission began', () => {
  test.each<[Partial<Counts>, string]>([
    [{ unsent: 3 }, 'submitting'],
    [{ unsent: 1, unknown: 1, awaiting: 1, delivered: 1 }, 'submitting'],
    [{ unknown: 1, awaiting: 1, delivered: 1 }, 'submit_unknown'],
    [{ awaiting: 2, delivered: 1 }, 'waiting_receipt'],
    [{ delivered: 1, undelivered: 1, expired: 1, rejected: 1 }, 'completed'],
  ])('%j is %s', (some, stage) => {
    expect(stageOf(counts(some))).toBe(stage);
  });
});

describe('the receipt state', () => {
  test.each<[Partial<Counts>, string]>([
    [{ unsent: 3 }, 'none'],
    [{ unsent: 1, awaiting: 1 }, 'pending'],
    [{ unknown: 1 }, 'pending'],
    [{ unsent: 1, rejected: 1 }, 'partial'],
    [{ awaiting: 2, delivered: 1 }, 'partial'],
    [{ unknown: 1, expired: 1 }, 'partial'],
    [{ rejected: 1 }, 'complete'],
    [{ delivered: 1, undelivered: 1, expired: 1, rejected: 1 }, 'complete'],
  ])('%j is %s', (some, state) => {
    expect(receiptState(counts(some))).toBe(state);
  });
});

describe('the accounting state', () => {
  const money = (millionths: number): Money => moneyFromMillionths(BigInt(millionths));
  const state = (some: Partial<Accounting>, hold: readonly [number, number, number, number]): string =>
    accountingState({
      frozenAt: new Date(0),
      insufficient: false,
      chargeOn: 'submit',
      refundOnFailure: true,
      outstanding: 1,
      ...some,
      hold: { frozen: money(hold[0]), charged: money(hold[1]), released: money(hold[2]), refunded: money(hold[3]) },
    });

  test.each<[string, Partial<Accounting>, [number, number, number, number], string]>([
    ['not frozen yet', { frozenAt: undefined }, [0, 0, 0, 0], 'none'],
    ['not frozen for lack of money', { frozenAt: undefined, insufficient: true }, [0, 0, 0, 0], 'insufficient_funds'],
    ['frozen after a first attempt failed', { insufficient: true }, [150, 0, 0, 0], 'frozen'],
    ['all held', {}, [150, 0, 0, 0], 'frozen'],
    ['the example of the contract: charged and held', {}, [150, 50, 0, 0], 'frozen'],
    ['nothing held, a refund may come', {}, [150, 100, 50, 0], 'settling'],
    ['nothing held, some refunded, more may come', {}, [150, 150, 0, 50], 'settling'],
    ['nothing held, all refunded', {}, [150, 150, 0, 150], 'settled'],
    ['nothing held, every receipt there', { outstanding: 0 }, [150, 150, 0, 50], 'settled'],
    ['nothing held, no refunds agreed', { refundOnFailure: false }, [150, 150, 0, 0], 'settled'],
    ['nothing held, charged on delivery', { chargeOn: 'delivery' }, [150, 100, 50, 0], 'settled'],
    ['released whole, as when cancelled', {}, [150, 0, 150, 0], 'settled'],
    ['a price of zero', {}, [0, 0, 0, 0], 'settled'],
  ])('%s', (_name, some, hold, expected) => {
    expect(state(some, hold)).toBe(expected);
  });
});

describe('the tables', () => {
  test('let no stage be left out, stay where it is, or come back to where it was', () => {
    expect(Object.keys(STAGE_MOVES)).toEqual([...STAGES]);
    const reach = (stage: (typeof STAGES)[number]): string[] => STAGE_MOVES[stage].flatMap((to) => [to, ...reach(to)]);
    for (const stage of STAGES) expect(reach(stage)).not.toContain(stage);
  });

  test('end in completed, failed and cancelled', () => {
    expect(STAGES.filter(isFinal)).toEqual(['completed', 'failed', 'cancelled']);
  });

  test('let a task be cancelled as a whole only before all is handed over', () => {
    expect(STAGES.filter((stage) => canMove(stage, 'cancelled'))).toEqual(['queued', 'prepared', 'submitting']);
  });

  // Numbers go through what can happen to them, several at a time as in the batches that are recorded together.
  type Fate = 'unsent' | 'unknown' | 'awaiting' | 'delivered' | 'undelivered' | 'expired' | 'rejected';
  const next: { readonly [fate in Fate]: readonly Fate[] } = {
    unsent: ['unknown', 'awaiting', 'rejected'],
    unknown: ['awaiting', 'rejected', 'delivered', 'undelivered', 'expired'],
    awaiting: ['delivered', 'undelivered', 'expired', 'rejected'],
    delivered: [],
    undelivered: [],
    expired: [],
    rejected: [],
  };
  const fates = fc.array(fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 4 }), { maxLength: 12 });

  test('hold every move that the derived states make, whatever happens to the numbers', () => {
    fc.assert(
      fc.property(
        fates,
        fc.constantFrom<ChargeOn>('submit', 'delivery'),
        fc.boolean(),
        (batches, chargeOn, refundOnFailure) => {
          const numbers: { fate: Fate; accepted: boolean }[] = Array.from({ length: 5 }, () => ({
            fate: 'unsent',
            accepted: false,
          }));
          const derive = () => {
            const tally: Record<Fate, number> = {
              unsent: 0,
              unknown: 0,
              awaiting: 0,
              delivered: 0,
              undelivered: 0,
              expired: 0,
              rejected: 0,
            };
            let [charged, released, refunded] = [0n, 0n, 0n];
            for (const { fate, accepted } of numbers) {
              tally[fate]++;
              const done = next[fate].length === 0;
              const charge = chargeOn === 'submit' ? accepted : fate === 'delivered';
              if (charge) charged++;
              else if (done) released++;
              if (charge && done && fate !== 'delivered' && refundOnFailure) refunded++;
            }
            const hold = {
              frozen: 5n as Money,
              charged: charged as Money,
              released: released as Money,
              refunded: refunded as Money,
            };
            const outstanding = tally.unsent + tally.unknown + tally.awaiting;
            const accounting = {
              frozenAt: new Date(0),
              insufficient: false,
              hold,
              chargeOn,
              refundOnFailure,
              outstanding,
            };
            const all = { ...tally, total: 5 };
            return { stage: stageOf(all), receipts: receiptState(all), accounting: accountingState(accounting) };
          };
          let before = derive();
          for (const batch of batches) {
            for (const [at, choice] of batch) {
              const number = numbers[at];
              const fate = number === undefined ? undefined : next[number.fate][choice];
              if (number === undefined || fate === undefined) continue;
              // A receipt for an unknown number shows that it was accepted; a refusal or the deadline, that it was not.
              if (fate !== 'unknown' && fate !== 'rejected') number.accepted = true;
              number.fate = fate;
            }
            const after = derive();
            if (after.stage !== before.stage) expect(STAGE_MOVES[before.stage]).toContain(after.stage);
            if (after.receipts !== before.receipts) expect(RECEIPT_MOVES[before.receipts]).toContain(after.receipts);
            if (after.accounting !== before.accounting)
              expect(ACCOUNTING_MOVES[before.accounting]).toContain(after.accounting);
            before = after;
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('docs/state-machine.md', () => {
  const page = readFileSync(new URL('../../../docs/state-machine.md', import.meta.url), 'utf8');
  const diagrams = [...page.matchAll(/```mermaid\n(.*?)```/gs)].map((match) => match[1] ?? '');
  const arrows = (diagram: string | undefined): string[] =>
    [...(diagram ?? '').matchAll(/^\s*(\S+) --> ([^\s:]+)/gm)].map((match) => `${match[1]} > ${match[2]}`).sort();
  const expected = (moves: { readonly [from: string]: readonly string[] }, first: string): string[] => {
    const drawn = Object.entries(moves).flatMap(([from, tos]) =>
      tos.length === 0 ? [`${from} > [*]`] : tos.map((to) => `${from} > ${to}`),
    );
    return [`[*] > ${first}`, ...drawn].sort();
  };

  test('draws the stages, the accounting and the receipts as they are', () => {
    expect(diagrams).toHaveLength(3);
    expect(arrows(diagrams[0])).toEqual(expected(STAGE_MOVES, 'queued'));
    expect(arrows(diagrams[1])).toEqual(expected(ACCOUNTING_MOVES, 'none'));
    expect(arrows(diagrams[2])).toEqual(expected(RECEIPT_MOVES, 'none'));
  });
});
