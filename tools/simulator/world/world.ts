// The world of a simulation: tables, processes, carriers, and a clock that moves only with the steps.

import type { ChannelTraits } from '#src/domain/entities/channel.js';
import type { CustomerId } from '#src/domain/id.js';
import { asCustomerId, asTaskId } from '#src/domain/id.js';
import { type Money, moneyFromMillionths, ZERO } from '#src/domain/money/money.js';
import type { RoutableChannel } from '#src/domain/plan/routing.js';
import type { Task } from '#src/domain/task/task.js';
import type { TaskRules } from '#src/domain/task/task-steps.js';
import type { PartName } from '../model/facts.js';
import { Model } from '../model/model.js';
import type { ChannelSetup, NumberKind, Setup } from '../script.js';
import type { Observe } from './observe.js';
import { createProcess, type Process, type Runtime } from './process.js';
import type { SettleContext } from './settle.js';
import { Store } from './store.js';
import { readCommit } from './view.js';

export const FIRM = 'cmcc';
export const UNIT_PRICE = moneyFromMillionths(50_000n);
/** The code of a refusal after which a number tries another channel. */
export const FAILOVER_CODE = '88';
export const RECEIPT_TIMEOUT_MS = 3_600_000;
export const UNKNOWN_TIMEOUT_MS = 1_800_000;
export const UNSENT_TIMEOUT_MS = 2_400_000;
/** 2026-11-14T23:00:00Z: a day ends during the run. */
const START_MS = 1_794_697_200_000;
const STEP_MS = 7;

export interface SimulatedCustomer {
  readonly id: CustomerId;
  rules: TaskRules;
  readonly granted: Set<bigint>;
  /** Channels that need a filing which it has lost. */
  readonly unfiled: Set<bigint>;
  /** When it lost each grant that it does not have. */
  readonly revokedAt: Map<bigint, number>;
}

export interface SimulatedChannel extends RoutableChannel {
  readonly traits: ChannelTraits;
  readonly hasReference: boolean;
  readonly phones: ChannelSetup['phones'];
  readonly ids: ChannelSetup['ids'];
  isUp: boolean;
  downSince: number;
}

/** What a carrier has of a part. */
export interface CarrierPart {
  readonly name: PartName;
  readonly channelId: bigint;
  readonly messageId: string;
  /** As its reports spell it. */
  readonly reportedId: string;
  readonly reference: string;
  readonly phone: string;
  /** Undefined until it has decided. */
  isTaken: boolean | undefined;
  /** Reports that were sent and are not acknowledged: the carrier repeats them. */
  readonly unacknowledged: Set<string>;
}

export class World {
  readonly store = new Store();
  readonly model = new Model({
    receiptMs: RECEIPT_TIMEOUT_MS,
    unknownMs: UNKNOWN_TIMEOUT_MS,
    failoverCode: FAILOVER_CODE,
  });
  readonly customers: readonly SimulatedCustomer[];
  readonly channels: readonly SimulatedChannel[];
  readonly processes: readonly Process[];
  /** What the numbers of each task are. */
  readonly kinds = new Map<string, readonly NumberKind[]>();
  /** Submissions, by part, oldest first. */
  readonly carrier = new Map<string, CarrierPart[]>();
  readonly observe: Observe;
  readonly setup: Setup;
  nowMs = START_MS;
  #messages = 0;
  nextReportId = 1n;
  /** Transactions and delivery events so far. */
  commits = 0;
  events = 0;

  constructor(setup: Setup, observe: Observe) {
    this.observe = observe;
    this.setup = setup;
    this.channels = setup.channels.map(({ isWhole, hasReference, phones, ids }, at) => {
      const traits: ChannelTraits = { alphabet: 'gsm7', ...(isWhole && { isWhole: true as const }) };
      const channelId = BigInt(at + 1);
      const form = { hasReference, phones, ids };
      return { channelId, firms: [FIRM], ...traits, traits, ...form, isUp: true, downSince: 0 };
    });
    this.customers = setup.customers.map(({ chargeOn, refundOnFailure, balance, credit, dailyLimit }, at) => {
      const id = asCustomerId(BigInt(at + 1));
      const available = priceOfParts(balance);
      const creditLimit = priceOfParts(credit);
      this.store.accounts.set(id, {
        bucket: 0,
        customerId: id,
        available,
        frozen: ZERO,
        creditLimit,
        dailyLimit: dailyLimit === undefined ? null : priceOfParts(dailyLimit),
        frozenOn: null,
        frozenThatDay: ZERO,
        entrySeq: 0n,
        recordId: 0n,
        submitSeq: 0n,
        queueSeq: 0n,
        notifiesFinished: false,
        hasWebhooks: false,
        countsSends: false,
        optedOutAt: null,
      });
      const channels = this.channels.map(({ channelId }) => Number(channelId));
      const billing = { chargeOn, refundOnFailure };
      this.model.openCustomer({ customer: at + 1, available, creditLimit, billing, channels });
      this.model.limitDay(at + 1, dailyLimit === undefined ? null : priceOfParts(dailyLimit));
      const policy = { prepare: 'by_request', freeze: 'by_request', submit: 'by_request' } as const;
      const granted = new Set(this.channels.map(({ channelId }) => channelId));
      return { id, rules: { policy, chargeOn, refundOnFailure }, granted, unfiled: new Set(), revokedAt: new Map() };
    });
    this.processes = Array.from({ length: setup.processes }, (_, at) => createProcess(at + 1));
  }

  nextMessage = (): number => {
    this.#messages += 1;
    return this.#messages;
  };

  get now(): Date {
    return new Date(this.nowMs);
  }

  /** Time passes with every step. */
  tick(): void {
    this.nowMs += STEP_MS;
  }

  get settling(): SettleContext {
    const limits = { receiptTimeoutMs: RECEIPT_TIMEOUT_MS, unknownTimeoutMs: UNKNOWN_TIMEOUT_MS };
    return { store: this.store, limits, now: this.now, observe: this.observe };
  }

  /** A transaction was committed: the model is asked. */
  committed(): void {
    this.commits += 1;
    this.model.commit(readCommit(this.store, this.nowMs));
  }

  customer(number: number): SimulatedCustomer | undefined {
    return this.customers[number - 1];
  }

  customerOf(id: CustomerId): SimulatedCustomer {
    const customer = this.customers[Number(id) - 1];
    if (customer === undefined) throw new Error(`customer ${id} is not set up`);
    return customer;
  }

  channel = (channelId: bigint): SimulatedChannel => {
    const channel = this.channels[Number(channelId) - 1];
    if (channel === undefined) throw new Error(`channel ${channelId} is not set up`);
    return channel;
  };

  usableChannels(customerId: CustomerId): SimulatedChannel[] {
    const { granted, unfiled } = this.customerOf(customerId);
    return this.channels.filter(({ channelId }) => granted.has(channelId) && !unfiled.has(channelId));
  }

  isGranted(customerId: CustomerId, channelId: bigint): boolean {
    return this.customerOf(customerId).granted.has(channelId);
  }

  process(id: number): Process | undefined {
    const process = this.processes[id - 1];
    return process?.isAlive ? process : undefined;
  }

  /** A channel that a living process has open. */
  runtime(processId: number, channel: number): Runtime | undefined {
    const runtime = this.process(processId)?.runtimes.get(BigInt(channel));
    return runtime === undefined || runtime.isClosed ? undefined : runtime;
  }

  /** The process that has the channel open. */
  ownerOf(channelId: bigint): { readonly process: Process; readonly runtime: Runtime } | undefined {
    for (const process of this.processes) {
      const runtime = process.runtimes.get(channelId);
      if (process.isAlive && runtime !== undefined && !runtime.isClosed) return { process, runtime };
    }
    return undefined;
  }

  /** By its name in the script. */
  task(name: number): Task | undefined {
    for (const task of this.store.tasks.values()) if ((task.taskId & 0xfffffn) === BigInt(name)) return task;
    return undefined;
  }

  taskIdOf(name: number) {
    return asTaskId((BigInt(this.nowMs) << 20n) | BigInt(name));
  }
}

export function priceOfParts(parts: number): Money {
  return moneyFromMillionths(UNIT_PRICE * BigInt(parts));
}

export function partTextOf({ task, seq, part }: PartName): string {
  return `${task}.${seq}.${part}`;
}
