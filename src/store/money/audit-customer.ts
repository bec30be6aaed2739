// The proof of one customer: its ledger from the first entry to the balance, and its tasks, slice by slice.

import { readTasksKeptFrom } from '../retention/months.js';
import { type EntrySlice, readEntrySlices } from './audit-entries.js';
import { compareFigures, type Figures, type Proof, renewProof, storeProof } from './audit-proofs.js';
import type { AuditRun } from './audit-run.js';
import { readTaskSlices, type TaskSlice } from './audit-tasks.js';

const LAST_ID = 2n ** 63n - 1n;
const UNCHANGED = 'closed history is unchanged';
const JOINED = 'proofs of closed history join';
/** Go with a month of receipts that is dropped. */
const RECEIPT_FIGURES = ['receipts', 'receipts_hash'];

interface Balances {
  readonly available: bigint;
  readonly frozen: bigint;
}

/** `whole` is the ledger where one slice has all of it. */
export async function proveEntries(
  run: AuditRun,
  customerId: bigint,
  proofs: readonly Proof[],
  whole: EntrySlice | undefined,
): Promise<void> {
  const chain = createChain(run, customerId, proofs);
  let carried: Balances = { available: 0n, frozen: 0n };
  for (let slice = whole; ; slice = undefined) {
    const known = chain.at();
    if (known !== undefined) {
      const { figures } = known;
      const starts = startBalances(figures);
      if (starts.available !== carried.available || starts.frozen !== carried.frozen) {
        chain.report(
          JOINED,
          `entries from ${known.afterId + 1n}: available ${starts.available}, frozen ${starts.frozen}; ` +
            `after the entry before ${carried.available} and ${carried.frozen}`,
        );
      }
      if (chain.isReadAgain(known)) {
        const again = await readEntries(
          run,
          { ...known, ...carried },
          known.lastId,
          Number(known.lastId - known.afterId),
        );
        await chain.compare(known, again, []);
        carried = again;
      } else {
        chain.skip(known, Number(figures.entries), 0);
        carried = { available: BigInt(figures.available ?? 0), frozen: BigInt(figures.frozen ?? 0) };
      }
      continue;
    }
    const next = chain.next();
    const [afterId, untilId] = [chain.position(), next?.afterId ?? LAST_ID];
    slice ??= await readEntries(run, { customerId, afterId, ...carried }, untilId, run.entriesASlice);
    chain.add(slice, slice.rows, 0);
    carried = slice;
    const isFull = slice.rows >= run.entriesASlice;
    if (isFull || (next !== undefined && slice.lastId === untilId)) await chain.store('entries', slice, slice.lastId);
    if (isFull) chain.moveTo(slice.lastId);
    else if (next === undefined) return chain.reportAccount(slice);
    else {
      if (slice.lastId !== untilId)
        chain.report('entries are numbered without gaps', `none behind entry ${slice.lastId}`);
      chain.moveTo(untilId);
    }
  }
}

/** `whole` are the tasks where one slice has all of them. */
export async function proveTasks(
  run: AuditRun,
  customerId: bigint,
  proofs: readonly Proof[],
  whole: TaskSlice | undefined,
): Promise<void> {
  const chain = createChain(run, customerId, proofs);
  for (let slice = whole; ; slice = undefined) {
    const known = chain.at();
    if (known !== undefined) {
      const again = chain.isReadAgain(known)
        ? await readTasks(run, customerId, known.afterId, known.lastId, known.figures)
        : undefined;
      // Asked after the look. Tasks that have gone with their history, or are going, are proved by what was proved of them then.
      const isKept = again !== undefined && known.afterId >= (await readTasksKeptFrom(run.sql));
      if (isKept) {
        await chain.compare(known, again, known.afterId < run.limits.receiptsKeptFrom ? RECEIPT_FIGURES : []);
      } else chain.skip(known, 0, Number(known.figures.tasks));
      continue;
    }
    const next = chain.next();
    const untilId = next?.afterId ?? LAST_ID;
    slice ??= await readTasks(run, customerId, chain.position(), untilId);
    chain.add(slice, 0, slice.rows);
    const isFull = slice.rows >= run.limits.tasks || slice.isCut;
    // Ids have gaps: a slice that meets the next one reaches up to it.
    const lastId = isFull ? slice.lastId : untilId;
    if (slice.isClosed && (isFull || next !== undefined)) await chain.store('tasks', slice, lastId);
    if (!isFull && next === undefined) return;
    chain.moveTo(lastId);
  }
}

async function readEntries(
  run: AuditRun,
  from: Balances & { readonly customerId: bigint; readonly afterId: bigint },
  untilId: bigint,
  limit: number,
): Promise<EntrySlice> {
  await run.checkpoint();
  const { customerId, afterId, available, frozen } = from;
  const range = { customerId, afterId, untilId, available, frozen };
  const [slice] = await readEntrySlices(run.sql, run.bucket, [range], limit);
  if (slice === undefined) throw new Error(`customer ${customerId} has no account any more`);
  return slice;
}

/** A slice that is read again has no limit but its range: more tasks in it than before are a difference. */
async function readTasks(
  run: AuditRun,
  customerId: bigint,
  afterId: bigint,
  untilId: bigint,
  proved?: Figures,
): Promise<TaskSlice> {
  await run.checkpoint();
  const limits =
    proved === undefined ? run.limits : { ...run.limits, tasks: 2 * Number(proved.tasks) + 1, numbers: 2 ** 31 };
  const [slice] = await readTaskSlices(run.sql, run.bucket, [{ customerId, afterId, untilId }], limits);
  if (slice === undefined) throw new Error(`tasks of customer ${customerId} cannot be read`);
  return slice;
}

function startBalances({
  available = '0',
  available_delta = '0',
  frozen = '0',
  frozen_delta = '0',
}: Figures): Balances {
  return { available: BigInt(available) - BigInt(available_delta), frozen: BigInt(frozen) - BigInt(frozen_delta) };
}

interface Slice {
  readonly lastId: bigint;
  readonly figures: Figures;
  readonly faults: readonly (readonly [rule: string, detail: string])[];
}

/** A walk over the slices of a customer, from stored proof to stored proof. */
function createChain(run: AuditRun, customerId: bigint, proofs: readonly Proof[]) {
  const { sql, bucket, totals, fullSince } = run;
  const oldest = proofs.reduce<Proof | undefined>(
    (old, proof) => (old === undefined || proof.provedAt < old.provedAt ? proof : old),
    undefined,
  );
  let position = 0n;
  const report = (rule: string, detail: string) => void totals.imbalances.push({ customerId, rule, detail });
  const count = (entries: number, tasks: number) => {
    totals.read.entries += entries;
    totals.read.tasks += tasks;
  };
  for (const [nth, proof] of proofs.entries()) {
    const before = proofs[nth - 1];
    if (before !== undefined && before.lastId > proof.afterId) {
      report(JOINED, `${proof.kind} from ${proof.afterId + 1n} are in two slices`);
    }
  }
  return {
    report,
    position: () => position,
    moveTo(id: bigint): void {
      position = id;
    },
    at: () => proofs.find((proof) => proof.afterId === position),
    next: () => proofs.find((proof) => proof.afterId > position),
    /** The sample is the slice that was not read for longest, so that every slice has its turn. */
    isReadAgain: (proof: Proof) => (fullSince === undefined ? proof === oldest : proof.provedAt < fullSince),
    skip(proof: Proof, entries: number, tasks: number): void {
      const { notRead } = totals;
      notRead.slices += 1;
      notRead.entries += entries;
      notRead.tasks += tasks;
      if (notRead.oldestProof === null || proof.provedAt < notRead.oldestProof) notRead.oldestProof = proof.provedAt;
      position = proof.lastId;
    },
    add(slice: Slice, entries: number, tasks: number): void {
      for (const [rule, detail] of slice.faults) report(rule, detail);
      count(entries, tasks);
    },
    async store(kind: Proof['kind'], { figures, faults }: Slice, lastId: bigint): Promise<void> {
      if (run.isReadOnly || faults.length > 0 || lastId <= position) return;
      await storeProof(sql, bucket, { customerId, kind, afterId: position, lastId, figures });
    },
    /** A proof that does not hold stays as it is: every later audit that reads the slice reports it again. */
    async compare(proof: Proof, slice: Slice, ignored: readonly string[]): Promise<void> {
      for (const [rule, detail] of slice.faults) report(rule, detail);
      const changed = compareFigures(proof.figures, slice.figures, ignored);
      if (changed.length > 0) {
        const what = proof.kind === 'entries' ? 'entries' : 'tasks with ids';
        report(UNCHANGED, `${what} ${proof.afterId + 1n} to ${proof.lastId}: ${changed.join('; ')}`);
      } else if (slice.faults.length === 0 && !run.isReadOnly) await renewProof(sql, bucket, proof);
      count(Number(slice.figures.entries ?? 0), Number(slice.figures.tasks ?? 0));
      position = proof.lastId;
    },
    reportAccount({ lastId, available, frozen, account }: EntrySlice): void {
      if (account.entrySeq === lastId && account.available === available && account.frozen === frozen) return;
      report(
        'the account stands where its last entry left it',
        `last entry ${account.entrySeq}, available ${account.available}, frozen ${account.frozen}; ` +
          `the entries end with ${lastId}, available ${available}, frozen ${frozen}`,
      );
    },
  };
}
