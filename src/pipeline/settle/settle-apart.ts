// A batch is written together where that can be. A lost lease, and a poisoned customer, task or report, hold nobody else back:
// what cannot be written together is written in ever smaller groups.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import { type Lease, LeaseLostError } from '../../store/channel/channel-lease.js';
import type { Sql } from '../../store/connect.js';
import { isClosedHere, isDatabaseAway, isDiskFull, isMachineAway, isRetryable } from '../../store/retry.js';
import { splitFailures } from '../quarantine/bisect-failures.js';
import { PrecedingBatchError, type SettleLimits, settle } from './settle.js';

/** How the delivery events of one call ended. What is in neither set is committed. */
export interface Settled {
  /** Intents that were not granted: those parts must not be sent. */
  readonly refused: ReadonlySet<DeliveryEvent>;
  /** What could not be written, and why: something is wrong with it, or the lease it was obtained under is lost. */
  readonly failed: ReadonlyMap<DeliveryEvent, unknown>;
}

/** What happened, and under which lease it was obtained. */
export interface News {
  readonly deliveryEvents: readonly DeliveryEvent[];
  readonly lease: Lease | undefined;
}

export interface SettleApartOptions {
  readonly sql: Sql;
  readonly limits: SettleLimits;
  readonly onCommit?: (deliveryEvents: number, bucket: number) => void;
  /** These were recorded, and prove that the database has lost commits. */
  readonly onLostCommits?: (deliveryEvents: readonly DeliveryEvent[]) => void;
  /** Ends the patience with a database that is away. */
  readonly signal: AbortSignal;
  /** Ends the patience with one whose disk is full: that may be for long. */
  readonly stopAsked?: AbortSignal;
  /** Between two tries. */
  readonly pause: (bucket: number, ms: number) => Promise<void>;
}

/** How a batch stands in the line of its bucket. Whatever fails, and is tried again, waits until it is the first there. */
export interface PlaceInLine {
  /** The first try of the batch ahead. */
  readonly ahead?: Promise<unknown> | undefined;
  /** The batch ahead is done with, whichever way. */
  readonly isFirst?: Promise<unknown> | undefined;
  /** The first try of this batch is being written. */
  onWriting?(written: Promise<unknown>): void;
  /**
   * With it, the first try waits for no account. It names the customers whose account was locked; their events are left to the
   * caller, and the outcome says nothing of them.
   */
  readonly onLocked?: ((customerIds: ReadonlySet<CustomerId>) => void) | undefined;
}

export class EarlyReportError extends Error {
  override readonly name = 'EarlyReportError';
  override readonly message = 'the answer to the part of this report is not recorded yet';
}

/** A group of a batch that is written together. */
interface Group {
  readonly bucket: number;
  readonly deliveryEvents: readonly DeliveryEvent[];
  readonly leases: readonly Lease[];
  /** It was part of so many tries whose commit may have gone through. */
  tries: number;
  /** For the first try of a whole batch. */
  place: PlaceInLine | undefined;
  /** Customers whose events were left to the caller. */
  readonly left: Set<CustomerId>;
}

/**
 * Answers and reports. A successor makes unknown what was intended and never sends it again, so a part that this process was
 * answered for is either as it left it or unknown, and both states take the answer.
 */
const FACTS: ReadonlySet<DeliveryEvent['event']['kind']> = new Set([
  'accepted',
  'refused',
  'declined',
  'unknown',
  'reported',
] as const);

const MAX_TRIES = 8;
/** A machine of a cluster that is away stays so for longer than a few tries, and others have work to do meanwhile. */
const MAX_TRIES_OF_A_MACHINE = 3;
const MAX_PAUSE_MS = 1000;

/** Writes a batch of one bucket, as much of it as can be. */
export function createSettleApart(
  options: SettleApartOptions,
): (bucket: number, batch: readonly News[], place?: PlaceInLine) => Promise<Settled> {
  return async (bucket, batch, place) => {
    const refused = new Set<DeliveryEvent>();
    const failed = new Map<DeliveryEvent, unknown>();
    const left = new Set<CustomerId>();

    const fail = (deliveryEvents: readonly DeliveryEvent[], error: unknown): void => {
      for (const deliveryEvent of deliveryEvents) failed.set(deliveryEvent, error);
    };

    /** A lost lease fails what needs it; the others of the batch go on without it. */
    const settleNews = async (news: readonly News[], tries = 0, inLine?: PlaceInLine): Promise<void> => {
      const deliveryEvents = news.flatMap((each) => each.deliveryEvents);
      if (deliveryEvents.length === 0) return;
      const group = { bucket, deliveryEvents, leases: leasesOf(news), tries, place: inLine, left };
      try {
        await settleGroup(group);
      } catch (error) {
        const groups = [...groupBy(news, leaseKeyOf).values()];
        // Some of it may be committed: what is retried keeps the count of its tries, or its own intents would be refused to it.
        if (groups.length > 1) for (const each of groups) await settleNews(each, group.tries);
        else if (error instanceof LeaseLostError) await settleFacts(deliveryEvents, group.tries, error);
        else fail(deliveryEvents, error);
      }
    };

    /** What the upstream said is true whichever process owns the channel now: it is recorded without the lease. */
    const settleFacts = async (
      deliveryEvents: readonly DeliveryEvent[],
      tries: number,
      error: unknown,
    ): Promise<void> => {
      const isFact = ({ event }: DeliveryEvent) => FACTS.has(event.kind);
      const facts = deliveryEvents.filter(isFact);
      fail(
        deliveryEvents.filter((deliveryEvent) => !isFact(deliveryEvent)),
        error,
      );
      if (facts.length === 0) return;
      try {
        await settleGroup({ bucket, deliveryEvents: facts, leases: [], tries, place: undefined, left });
      } catch (reason) {
        fail(facts, reason);
      }
    };

    const settleGroup = async (group: Group): Promise<void> => {
      try {
        await settleTogether(group);
      } catch (error) {
        if (error instanceof LeaseLostError || isDiskFull(error) || isMachineAway(error)) throw error;
        // The last try was refused as a whole; only those before it are in doubt.
        const tries = group.tries - 1;
        const groups = splitUp(group.deliveryEvents);
        if (groups.length > 1) {
          for (const deliveryEvents of groups) await settleGroup({ ...group, deliveryEvents, tries });
          return;
        }
        await splitFailures(stepsOf(group.deliveryEvents), error, {
          step: (steps) => settleTogether({ ...group, deliveryEvents: steps.flat(), tries }),
          onFailure(steps, reason) {
            if (reason instanceof LeaseLostError) throw reason;
            for (const deliveryEvent of steps.flat()) failed.set(deliveryEvent, reason);
          },
        });
      }
    };

    const settleTogether = async (group: Group): Promise<void> => {
      const { refusedIntents, earlyReports, lostCommits } = await settleWithRetries(options, group);
      if (lostCommits.size > 0) options.onLostCommits?.([...lostCommits]);
      for (const deliveryEvent of refusedIntents) refused.add(deliveryEvent);
      for (const deliveryEvent of earlyReports) failed.set(deliveryEvent, new EarlyReportError());
    };

    await settleNews(batch, 0, place);
    return { refused, failed };
  };
}

async function settleWithRetries(options: SettleApartOptions, group: Group): ReturnType<typeof settle> {
  const { bucket, leases, left } = group;
  for (let attempt = 1; ; attempt++) {
    const { place } = group;
    const deliveryEvents = withoutCustomers(group.deliveryEvents, left);
    if (deliveryEvents.length === 0) return NOTHING;
    const isRetry = group.tries > 0;
    group.place = undefined;
    group.tries += 1;
    try {
      const line = {
        ahead: place?.ahead,
        onWriting: () => place?.onWriting?.(written),
        onLocked: place?.onLocked && ((customerIds: ReadonlySet<CustomerId>) => onLocked(group, place, customerIds)),
      };
      const written = settle(options.sql, bucket, deliveryEvents, leases, options.limits, isRetry, line);
      const settled = await written;
      const count = withoutCustomers(deliveryEvents, left).length;
      if (count > 0) options.onCommit?.(count, bucket);
      return settled;
    } catch (error) {
      await place?.isFirst;
      if (error instanceof PrecedingBatchError) {
        group.tries -= 1;
        continue;
      }
      const tries = isMachineAway(error) ? MAX_TRIES_OF_A_MACHINE : MAX_TRIES;
      if (!isRetryable(error) || isClosedHere(error) || (attempt >= tries && !isWorthWaiting(options, error)))
        throw error;
      await options.pause(bucket, Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt));
    }
  }
}

const NOTHING = {
  refusedIntents: new Set<DeliveryEvent>(),
  earlyReports: new Set<DeliveryEvent>(),
  lostCommits: new Set<DeliveryEvent>(),
};

function onLocked({ left }: Group, place: PlaceInLine, customerIds: ReadonlySet<CustomerId>): void {
  for (const customerId of customerIds) left.add(customerId);
  place.onLocked?.(customerIds);
}

function withoutCustomers(
  deliveryEvents: readonly DeliveryEvent[],
  customerIds: ReadonlySet<CustomerId>,
): readonly DeliveryEvent[] {
  if (customerIds.size === 0) return deliveryEvents;
  return deliveryEvents.filter(({ chunk }) => !customerIds.has(chunk.customerId));
}

/**
 * What the upstream answered must not be forgotten while nothing at all can be written, however long that takes. Where only one
 * machine is away, whoever waits for it lets go of what others need.
 */
function isWorthWaiting({ signal, stopAsked }: SettleApartOptions, error: unknown): boolean {
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
 * What of one task can be written apart, in order: each report by itself, because what it says comes from outside; what we
 * did and were answered between two of them only together.
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

/** By channel and token: what was begun under an old lease of a channel must not pass under a new one. */
function leaseKeyOf({ lease }: News): string {
  return lease === undefined ? '' : `${lease.channelId}/${lease.token}`;
}

function leasesOf(batch: readonly News[]): Lease[] {
  const leases = new Map<string, Lease>();
  for (const news of batch) if (news.lease !== undefined) leases.set(leaseKeyOf(news), news.lease);
  return [...leases.values()];
}
