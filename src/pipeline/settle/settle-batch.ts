// Settles a batch in one transaction if possible. If that fails because of a lost lease or a broken customer, task or report, the batch is
// split into ever smaller groups, so that the others are not affected.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { type Lease, LeaseLostError } from '../../store/channel/channel-lease.js';
import { isClosedHere, isDatabaseAway, isDiskFull, isMachineAway, isRetryable } from '../../store/retry.js';
import type { Sql } from '../../store/sql.js';
import { splitFailures } from '../quarantine/bisect-failures.js';
import type { TaskTrace } from '../task-trace.js';
import type { CommitSlot, CommitSlots } from './commit-slots.js';
import { type Decision, PrecedingBatchError, type SettleLimits, settle } from './settle.js';

/**
 * The outcome of a batch. A call gets that of its whole batch, so the sets may hold events of other calls. An event in neither set is
 * committed, unless it was left out for a locked account (`onLocked`, `onHeld`).
 */
export interface Settled {
  /** Intents that were not granted: those parts must not be sent. */
  readonly refused: ReadonlySet<DeliveryEvent>;
  /** Events that could not be written, with the error. Not all are broken: also a lost lease, a machine away, an `EarlyReportError`. */
  readonly failed: ReadonlyMap<DeliveryEvent, unknown>;
}

/** Delivery events, and the lease under which they were obtained. */
export interface LeasedEvents {
  readonly deliveryEvents: readonly DeliveryEvent[];
  readonly lease: Lease | undefined;
}

export interface SettleBatchOptions {
  readonly sql: Sql;
  readonly limits: SettleLimits;
  readonly onCommit?: (deliveryEvents: number, bucket: number) => void;
  readonly trace?: TaskTrace | undefined;
  /** Called with recorded events that prove that the database lost commits. */
  readonly onLostCommits?: (deliveryEvents: readonly DeliveryEvent[]) => void;
  /** Aborted late in a stop, when everything that records has stopped. Until then, events wait for a database that is away. */
  readonly signal: AbortSignal;
  /** Aborted when a stop begins: a full disk may stay full, so the stop does not wait for it. */
  readonly stopAsked?: AbortSignal;
  /** Called between two attempts. */
  readonly pause: (ms: number) => Promise<void>;
  readonly slots: CommitSlots;
}

/** The order of a batch among those of its bucket. Retries wait until the batch is the first. */
export interface BatchOrder {
  /** The first attempt at the batch ahead. */
  readonly ahead?: Promise<unknown> | undefined;
  /** Resolves when the batch ahead has ended. */
  readonly aheadDone?: Promise<unknown> | undefined;
  /** Called when the first attempt at this batch is being written. */
  onWriting?(written: Promise<unknown>): void;
  /**
   * If set, the first attempt does not wait for locked accounts. Called with the customers that were left out: the caller settles their
   * events, and they are not in the outcome.
   */
  readonly onLocked?: ((customerIds: ReadonlySet<CustomerId>) => void) | undefined;
}

export class EarlyReportError extends Error {
  override readonly name = 'EarlyReportError';
  override readonly message = 'the answer to the part of this report is not recorded yet';
}

type InDoubt = ReadonlyMap<number, Decision>;

/** A group of a batch that is written together. */
interface Group {
  readonly bucket: number;
  readonly deliveryEvents: readonly DeliveryEvent[];
  readonly leases: readonly Lease[];
  /** Attempts at it, or at a group that included it, that may have been committed, by their numbers. */
  readonly inDoubt: Map<number, Decision>;
  /** Set for the first attempt at a whole batch. */
  order: BatchOrder | undefined;
  /** Customers whose events were left to the caller. */
  readonly leftOut: Set<CustomerId>;
}

/**
 * Answers and reports of the carrier, which are recorded without the lease if it is lost. The next owner marks intended parts unknown and never sends
 * them again, so a part with an answer in this process is either unchanged or unknown, and both states accept the answer.
 * Not `withdrawn`: it lets the part be sent again, and an unknown part does not accept it.
 */
const FACTS: ReadonlySet<DeliveryEvent['event']['kind']> = new Set([
  'accepted',
  'refused',
  'declined',
  'unknown',
  'reported',
] as const);

const MAX_TRIES = 8;
/** If a machine of a cluster is away: it stays away for longer than a few attempts, and the others have work meanwhile. */
const MAX_TRIES_MACHINE_AWAY = 3;
const MAX_PAUSE_MS = 1000;

const EMPTY_RESULT: Decision = {
  refusedIntents: new Set(),
  earlyReports: new Set(),
  lostCommits: new Set(),
};

/** Settles as much of a batch as possible. */
export type SettleBatch = (batch: readonly LeasedEvents[], order?: BatchOrder) => Promise<Settled>;

export function createBatchSettler(bucket: number, options: SettleBatchOptions): SettleBatch {
  return (batch, order) => new BatchSettler(options, bucket).settle(batch, order);
}

/**
 * Settles one batch as a whole. If that fails, splits it: by lease if the error concerns a whole group, otherwise by customer, by task and
 * by report.
 */
class BatchSettler {
  readonly #options: SettleBatchOptions;
  readonly #bucket: number;
  readonly #refused = new Set<DeliveryEvent>();
  readonly #failed = new Map<DeliveryEvent, unknown>();
  /** Customers whose events were left to the caller. */
  readonly #leftOut = new Set<CustomerId>();
  readonly #slot: CommitSlot;

  constructor(options: SettleBatchOptions, bucket: number) {
    this.#options = options;
    this.#bucket = bucket;
    this.#slot = options.slots.take();
  }

  async settle(batch: readonly LeasedEvents[], order?: BatchOrder): Promise<Settled> {
    await this.#settleLeased(batch, new Map(), order).finally(this.#slot.release);
    return { refused: this.#refused, failed: this.#failed };
  }

  /** A lost lease fails only the events that need it. */
  async #settleLeased(leased: readonly LeasedEvents[], inDoubt: InDoubt, order?: BatchOrder): Promise<void> {
    const deliveryEvents = leased.flatMap((each) => each.deliveryEvents);
    if (deliveryEvents.length === 0) return;
    const group = this.#groupOf(deliveryEvents, leasesOf(leased), inDoubt, order);
    try {
      await this.#settleGroup(group);
    } catch (error) {
      const groups = [...groupBy(leased, leaseKeyOf).values()];
      if (groups.length > 1) for (const each of groups) await this.#settleLeased(each, group.inDoubt);
      else if (error instanceof LeaseLostError) await this.#settleFacts(deliveryEvents, group.inDoubt, error);
      else this.#fail(deliveryEvents, error);
    }
  }

  /** Answers and reports of the carrier are facts, whichever process owns the channel now: they are recorded without the lease. */
  async #settleFacts(deliveryEvents: readonly DeliveryEvent[], inDoubt: InDoubt, error: unknown): Promise<void> {
    const isFact = ({ event }: DeliveryEvent) => FACTS.has(event.kind);
    const facts = deliveryEvents.filter(isFact);
    this.#fail(
      deliveryEvents.filter((deliveryEvent) => !isFact(deliveryEvent)),
      error,
    );
    if (facts.length === 0) return;
    try {
      await this.#settleGroup(this.#groupOf(facts, [], inDoubt));
    } catch (reason) {
      this.#fail(facts, reason);
    }
  }

  /** Throws what concerns the whole group; events that fail alone are noted. */
  async #settleGroup(group: Group): Promise<void> {
    try {
      await this.#settleTogether(group);
    } catch (error) {
      if (error instanceof LeaseLostError || isDiskFull(error) || isMachineAway(error)) throw error;
      const groups = splitUp(group.deliveryEvents);
      if (groups.length > 1) {
        for (const deliveryEvents of groups) await this.#settleGroup(partOf(group, deliveryEvents));
        return;
      }
      await splitFailures(stepsOf(group.deliveryEvents), error, {
        step: (steps) => this.#settleTogether(partOf(group, steps.flat())),
        onFailure: (steps, reason) => {
          if (reason instanceof LeaseLostError) throw reason;
          this.#fail(steps.flat(), reason);
        },
      });
    }
  }

  async #settleTogether(group: Group): Promise<void> {
    const { refusedIntents, earlyReports, lostCommits } = await settleWithRetries(this.#options, this.#slot, group);
    if (lostCommits.size > 0) this.#options.onLostCommits?.([...lostCommits]);
    for (const deliveryEvent of refusedIntents) this.#refused.add(deliveryEvent);
    for (const deliveryEvent of earlyReports) this.#failed.set(deliveryEvent, new EarlyReportError());
  }

  #groupOf(
    deliveryEvents: readonly DeliveryEvent[],
    leases: readonly Lease[],
    inDoubt: InDoubt,
    order?: BatchOrder,
  ): Group {
    return { bucket: this.#bucket, deliveryEvents, leases, inDoubt: new Map(inDoubt), order, leftOut: this.#leftOut };
  }

  /** Not for customers that were left out: the caller settles their events. */
  #fail(deliveryEvents: readonly DeliveryEvent[], error: unknown): void {
    for (const each of withoutCustomers(deliveryEvents, this.#leftOut)) this.#failed.set(each, error);
  }
}

async function settleWithRetries(options: SettleBatchOptions, slot: CommitSlot, group: Group): Promise<Decision> {
  const { bucket, leases, leftOut, inDoubt } = group;
  for (let attempt = 1; ; attempt++) {
    const { order } = group;
    const deliveryEvents = withoutCustomers(group.deliveryEvents, leftOut);
    if (deliveryEvents.length === 0) return EMPTY_RESULT;
    group.order = undefined;
    const startMs = options.trace?.now() ?? 0;
    try {
      const transactionOrder = {
        ahead: order?.ahead,
        onWriting: () => order?.onWriting?.(written),
        onLocked: order?.onLocked && ((customerIds: ReadonlySet<CustomerId>) => onLocked(group, order, customerIds)),
      };
      const batch = { bucket, deliveryEvents, leases, mark: slot.nextMark(), inDoubt };
      const written = settle(options.sql, batch, options.limits, transactionOrder);
      const settled = await written;
      const committed = withoutCustomers(deliveryEvents, leftOut);
      if (committed.length > 0) options.onCommit?.(committed.length, bucket);
      options.trace?.settled(committed, startMs);
      return settled;
    } catch (error) {
      await order?.aheadDone;
      if (error instanceof PrecedingBatchError) {
        continue;
      }
      const maxAttempts = isMachineAway(error) ? MAX_TRIES_MACHINE_AWAY : MAX_TRIES;
      const isGivenUp = attempt >= maxAttempts && !isWorthWaiting(options, error);
      if (!isRetryable(error) || isClosedHere(error) || isGivenUp) throw error;
      await options.pause(Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt));
    }
  }
}

/** Some events of a group, to be settled alone. What is in doubt of the group is in doubt of them. */
function partOf(group: Group, deliveryEvents: readonly DeliveryEvent[]): Group {
  return { ...group, deliveryEvents, inDoubt: new Map(group.inDoubt) };
}

function onLocked({ leftOut }: Group, order: BatchOrder, customerIds: ReadonlySet<CustomerId>): void {
  for (const customerId of customerIds) leftOut.add(customerId);
  order.onLocked?.(customerIds);
}

function withoutCustomers(
  deliveryEvents: readonly DeliveryEvent[],
  customerIds: ReadonlySet<CustomerId>,
): readonly DeliveryEvent[] {
  if (customerIds.size === 0) return deliveryEvents;
  return deliveryEvents.filter(({ chunk }) => !customerIds.has(chunk.customerId));
}

/**
 * While the database is away, or its disk is full, events are retried until that ends or the service stops. If only one machine of a
 * cluster is away, its events give way to others.
 */
function isWorthWaiting({ signal, stopAsked }: SettleBatchOptions, error: unknown): boolean {
  if (isDiskFull(error)) return stopAsked?.aborted !== true;
  if (isMachineAway(error)) return false;
  return isDatabaseAway(error) && !signal.aborted;
}

/** By customer, then by task. */
function splitUp(deliveryEvents: readonly DeliveryEvent[]): DeliveryEvent[][] {
  const byCustomer = groupBy(deliveryEvents, ({ chunk }) => chunk.customerId);
  if (byCustomer.size > 1) return [...byCustomer.values()];
  return [...groupBy(deliveryEvents, ({ chunk }) => chunk.taskKey).values()];
}

/**
 * The groups of one task that can be written separately, in order: each report alone, because its content is from outside; intents and
 * answers between two reports only together.
 */
function stepsOf(deliveryEvents: readonly DeliveryEvent[]): DeliveryEvent[][] {
  const steps: DeliveryEvent[][] = [];
  let wasReport = true;
  for (const deliveryEvent of deliveryEvents) {
    const isReport = deliveryEvent.event.kind === 'reported';
    const last = isReport || wasReport ? undefined : steps.at(-1);
    if (last === undefined) steps.push([deliveryEvent]);
    else last.push(deliveryEvent);
    wasReport = isReport;
  }
  return steps;
}

/** By channel and token: events of an old lease must not be written under a new one. */
function leaseKeyOf({ lease }: LeasedEvents): string {
  return lease === undefined ? '' : `${lease.channelId}/${lease.token}`;
}

function leasesOf(batch: readonly LeasedEvents[]): Lease[] {
  const leases = new Map<string, Lease>();
  for (const events of batch) if (events.lease !== undefined) leases.set(leaseKeyOf(events), events.lease);
  return [...leases.values()];
}
