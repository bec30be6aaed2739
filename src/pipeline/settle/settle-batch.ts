// Settles a batch in one transaction if possible. If that fails because of a lost lease or a broken customer, task or report, the batch is
// split into ever smaller groups, so that the others are not affected.

import { backoffMs } from '../../domain/backoff.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { type Lease, LeaseLostError } from '../../store/channel/channel-lease.js';
import { isClosedHere, isDatabaseAway, isDiskFull, isMachineAway, isRetryable } from '../../store/retry.js';
import type { Sql } from '../../store/sql.js';
import { bisectFailures } from '../quarantine/bisect-failures.js';
import type { TaskTrace } from '../task-trace.js';
import type { CommitSlot, CommitSlots } from './commit-slots.js';
import { type Decision, type EventBatch, PrecedingBatchError, type SettleLimits, settle } from './settle.js';

/**
 * The outcome of a batch. A call gets that of its whole batch, so the sets may hold events of other calls. An event in neither set is
 * committed, unless it was left out for a locked account (`onLocked`).
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
const BACKOFF = { firstMs: 20, mostMs: 1000 };

const EMPTY_RESULT: Decision = {
  refusedIntents: new Set(),
  earlyReports: new Set(),
  lostCommits: new Set(),
};

const NONE: ReadonlyMap<number, Decision> = new Map();

/** Settles as much of a batch as possible. */
export type SettleBatch = (batch: readonly LeasedEvents[], order?: BatchOrder) => Promise<Settled>;

export function createBatchSettler(bucket: number, options: SettleBatchOptions): SettleBatch {
  return (batch, order) => new BatchSettler(options, bucket, order).settle(batch);
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
  /** Events of a batch that was split that are committed. */
  readonly #settled = new Set<DeliveryEvent>();
  /** By event, the attempts of the last group with it that failed. */
  readonly #inDoubt = new Map<DeliveryEvent, ReadonlyMap<number, Decision>>();
  readonly #slot: CommitSlot;
  /** Until the first attempt. */
  #order: BatchOrder | undefined;

  constructor(options: SettleBatchOptions, bucket: number, order: BatchOrder | undefined) {
    this.#options = options;
    this.#bucket = bucket;
    this.#slot = options.slots.take();
    this.#order = order;
  }

  async settle(batch: readonly LeasedEvents[]): Promise<Settled> {
    await this.#settleLeased(batch).finally(this.#slot.release);
    return { refused: this.#refused, failed: this.#failed };
  }

  /** A lost lease fails only the events that need it. */
  async #settleLeased(leased: readonly LeasedEvents[]): Promise<void> {
    const deliveryEvents = leased.flatMap((each) => each.deliveryEvents);
    try {
      await this.#settleSplitting(deliveryEvents, leasesOf(leased));
    } catch (error) {
      const groups = [...groupBy(leased, leaseKeyOf).values()];
      if (groups.length > 1) for (const each of groups) await this.#settleLeased(each);
      else if (error instanceof LeaseLostError) await this.#settleFacts(deliveryEvents, error);
      else this.#fail(deliveryEvents, error);
    }
  }

  /** Answers and reports of the carrier are facts, whichever process owns the channel now: they are recorded without the lease. */
  async #settleFacts(deliveryEvents: readonly DeliveryEvent[], error: unknown): Promise<void> {
    const isFact = ({ event }: DeliveryEvent) => FACTS.has(event.kind);
    const facts = deliveryEvents.filter(isFact);
    this.#fail(
      deliveryEvents.filter((deliveryEvent) => !isFact(deliveryEvent)),
      error,
    );
    try {
      await this.#settleSplitting(facts, []);
    } catch (reason) {
      this.#fail(facts, reason);
    }
  }

  /** Throws what concerns all of them; events that fail alone are noted. */
  async #settleSplitting(deliveryEvents: readonly DeliveryEvent[], leases: readonly Lease[]): Promise<void> {
    await bisectFailures(this.#openOf(deliveryEvents), {
      ownerOf: ({ chunk }) => chunk,
      unitsOf: stepsOf,
      step: (group) => this.#settleTogether(group, leases),
      splitAfter,
      onFailure: (group, error) => {
        if (splitAfter(error) === 'none') throw error;
        this.#fail(group, error);
      },
    });
  }

  async #settleTogether(deliveryEvents: readonly DeliveryEvent[], leases: readonly Lease[]): Promise<void> {
    const inDoubt = this.#inDoubtOf(deliveryEvents);
    try {
      const { refusedIntents, earlyReports, lostCommits } = await this.#retry(deliveryEvents, leases, inDoubt);
      if (lostCommits.size > 0) this.#options.onLostCommits?.([...lostCommits]);
      for (const deliveryEvent of refusedIntents) this.#refused.add(deliveryEvent);
      for (const deliveryEvent of earlyReports) this.#failed.set(deliveryEvent, new EarlyReportError());
      if (this.#inDoubt.size > 0) for (const deliveryEvent of deliveryEvents) this.#settled.add(deliveryEvent);
    } catch (error) {
      for (const deliveryEvent of deliveryEvents) this.#inDoubt.set(deliveryEvent, inDoubt);
      throw error;
    }
  }

  /** Repeats the transaction while its errors are transient. Adds to `inDoubt` the attempts that may have been committed. */
  async #retry(
    group: readonly DeliveryEvent[],
    leases: readonly Lease[],
    inDoubt: Map<number, Decision>,
  ): Promise<Decision> {
    for (let attempt = 1; ; attempt++) {
      const deliveryEvents = withoutCustomers(group, this.#leftOut);
      if (deliveryEvents.length === 0) return EMPTY_RESULT;
      const order = this.#order;
      this.#order = undefined;
      const mark = this.#slot.nextMark();
      try {
        return await this.#attempt({ bucket: this.#bucket, deliveryEvents, leases, mark, inDoubt }, order);
      } catch (error) {
        await order?.aheadDone;
        if (error instanceof PrecedingBatchError) continue;
        const maxAttempts = isMachineAway(error) ? MAX_TRIES_MACHINE_AWAY : MAX_TRIES;
        const isGivenUp = attempt >= maxAttempts && !isWorthWaiting(this.#options, error);
        if (!isRetryable(error) || isClosedHere(error) || isGivenUp) throw error;
        await this.#options.pause(backoffMs(attempt, BACKOFF));
      }
    }
  }

  async #attempt(batch: EventBatch, order: BatchOrder | undefined): Promise<Decision> {
    const { sql, limits, trace, onCommit } = this.#options;
    const startMs = trace?.now() ?? 0;
    const leaveOut = (customerIds: ReadonlySet<CustomerId>): void => {
      for (const customerId of customerIds) this.#leftOut.add(customerId);
      order?.onLocked?.(customerIds);
    };
    const written: Promise<Decision> = settle(sql, batch, limits, {
      ahead: order?.ahead,
      onWriting: () => order?.onWriting?.(written),
      onLocked: order?.onLocked && leaveOut,
    });
    const decision = await written;
    const committed = withoutCustomers(batch.deliveryEvents, this.#leftOut);
    if (committed.length > 0) onCommit?.(committed.length, this.#bucket);
    trace?.settled(committed, startMs);
    return decision;
  }

  /** The attempts in doubt that included all of these events. */
  #inDoubtOf(deliveryEvents: readonly DeliveryEvent[]): Map<number, Decision> {
    if (this.#inDoubt.size === 0) return new Map();
    const [first = NONE, ...others] = new Set(deliveryEvents.map((each) => this.#inDoubt.get(each) ?? NONE));
    return new Map([...first].filter(([number]) => others.every((attempts) => attempts.has(number))));
  }

  #fail(deliveryEvents: readonly DeliveryEvent[], error: unknown): void {
    for (const each of this.#openOf(deliveryEvents)) this.#failed.set(each, error);
  }

  /** Without those that are committed, and those of customers that were left out: the caller settles their events. */
  #openOf(deliveryEvents: readonly DeliveryEvent[]): readonly DeliveryEvent[] {
    const open = withoutCustomers(deliveryEvents, this.#leftOut);
    return this.#settled.size === 0 ? open : open.filter((each) => !this.#settled.has(each));
  }
}

/** A lost lease, a full disk and a machine that is away concern all events. A lock that is not granted may be of one customer. */
function splitAfter(error: unknown): 'none' | 'tasks' | 'all' {
  if (error instanceof LeaseLostError || isDiskFull(error) || isMachineAway(error)) return 'none';
  return isRetryable(error) ? 'tasks' : 'all';
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
