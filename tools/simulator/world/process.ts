// A process: the calls that wait for its recorder, and what it remembers of the channels that it owns. All of it is lost in a crash.

import type { DeliveryEvent } from '#src/domain/outcome/delivery-event.js';
import type { PartPosition } from '#src/pipeline/channel/parts/part-state.js';
import { createPartsInFlight, type PartsInFlight } from '#src/pipeline/channel/parts/parts-in-flight.js';
import type { Lease } from '#src/store/channel/channel-lease.js';
import type { Submission } from '../model/number.js';

/** A call of the recorder. */
export interface Call {
  readonly events: readonly DeliveryEvent[];
  readonly lease: Lease | undefined;
  readonly isAlone: boolean;
  /** Of an attempt that was committed, and whose answer was lost. */
  decision: Decision | undefined;
  readonly onSettled: (refused: Decision['refused'], failed: Decision['failed']) => void;
}

export interface Decision {
  /** Intents that were not granted. */
  readonly refused: ReadonlySet<DeliveryEvent>;
  /** Not written, with the reason. */
  readonly failed: ReadonlyMap<DeliveryEvent, Failure>;
  readonly hasChanged: boolean;
}

export type Failure = 'lease_lost' | 'early';

/** Read outside of a transaction, written later. */
export interface PendingWrite {
  /** Returns what it does after the commit. */
  readonly run: () => void;
}

/** A part on the wire. */
export interface OnWire {
  readonly position: PartPosition;
  readonly submission: Submission;
  readonly messageId: string;
  tries: number;
}

/** A channel that a process owns, or did. */
export interface Runtime {
  readonly channelId: bigint;
  readonly lease: Lease;
  /** It has marked what its predecessor left on the wire. */
  isReady: boolean;
  /** Its lease is lost, or it was closed: nothing more is sent. Answers are still recorded. */
  isClosed: boolean;
  /** Places of the chunks that it has loaded. */
  readonly places: Set<bigint>;
  queue: PartPosition[];
  /** Of parts whose intent is being committed. */
  readonly waitingCopies: { readonly position: PartPosition; readonly other: PartPosition }[];
  /** Their intents are committed. */
  readonly intended: PartPosition[];
  readonly onWire: OnWire[];
  /** Accepted, and not recorded yet. */
  readonly accepted: Set<PartPosition>;
  /** By message id. */
  readonly memory: Map<string, PartPosition>;
  /** Parts whose answer was lost, by reference. */
  readonly lost: Map<string, PartPosition>;
  /** Unmatched reports that are being recorded. */
  readonly resolving: Set<bigint>;
}

export interface Process {
  readonly id: number;
  isAlive: boolean;
  line: Call[];
  /** The calls in the transaction that is being tried. */
  batch: Call[] | undefined;
  readonly runtimes: Map<bigint, Runtime>;
  readonly pendingWrites: PendingWrite[];
  /** The parts of all its channels between intent and recorded answer. */
  inFlight: PartsInFlight;
}

export function createProcess(id: number): Process {
  return {
    id,
    isAlive: true,
    line: [],
    batch: undefined,
    runtimes: new Map(),
    pendingWrites: [],
    inFlight: createPartsInFlight(),
  };
}

export function createRuntime(lease: Lease): Runtime {
  return {
    channelId: lease.channelId,
    lease,
    isReady: false,
    isClosed: false,
    places: new Set(),
    queue: [],
    waitingCopies: [],
    intended: [],
    onWire: [],
    accepted: new Set(),
    memory: new Map(),
    lost: new Map(),
    resolving: new Set(),
  };
}

/** Nothing that it knew is left. */
export function endProcess(process: Process): void {
  process.isAlive = false;
  process.line = [];
  process.batch = undefined;
  process.runtimes.clear();
  process.pendingWrites.length = 0;
  process.inFlight = createPartsInFlight();
}
