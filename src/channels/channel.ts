// The port between the pipeline and whoever carries messages. A channel turns parts into outcomes and reports
// feedback; it knows nothing of tasks or money.

import type { DeliveryStatus } from '../domain/chunk/chunk-state.js';
import type { MessageIdFormat } from '../domain/message/message-id.js';
import type { Encoding } from '../domain/message/parts.js';
import type { Variables } from '../domain/message/template.js';

/** One message part on its way to a handset. Parts of one number are submitted in order. */
export interface Part {
  /** Ours, unique among the parts in flight; an upstream that echoes it lets a report find its part without a message id. */
  readonly reference: string;
  /** The same for all parts of one message and for no other, so that they can be joined again even when one goes later. */
  readonly message?: string;
  /** E.164 without the plus sign. */
  readonly to: string;
  /** The sender address of the service account. */
  readonly from: string;
  /** The text of this part alone. */
  readonly text: string;
  readonly encoding: Encoding;
  /** Position of this part, from 1. */
  readonly part: number;
  readonly parts: number;
  /** The values that the text was made from, for upstreams that make it themselves; absent where they are not known. */
  readonly variables?: Variables;
  /** What the upstream calls the template of the text. */
  readonly templateCode?: string;
  /** When it is of no use any more: an upstream that can be told so stops trying then. */
  readonly validUntil?: Date;
}

/** What the upstream answered for one part. */
export type SubmitOutcome =
  | { readonly part: Part; readonly kind: 'accepted'; readonly messageId: string }
  | { readonly part: Part; readonly kind: 'refused'; readonly code: string }
  /** Not accepted, and no fault of the part: the whole channel slows down and the part goes again. */
  | { readonly part: Part; readonly kind: 'throttled'; readonly code: string }
  /** The upstream may or may not have it. Never sent again by itself. */
  | { readonly part: Part; readonly kind: 'unknown'; readonly code: string }
  /** It certainly never reached the upstream (no session was up); it goes again. */
  | { readonly part: Part; readonly kind: 'unsent' };

export type ReportStatus = DeliveryStatus;

/** A delivery report for one part. */
export interface Report {
  readonly kind: 'report';
  /** As the upstream spelled it; empty when the upstream sent none. */
  readonly messageId: string;
  /** Present only where the upstream echoes our own reference. */
  readonly reference?: string;
  /** The handset's number, E.164 without the plus sign, where the report carries it. */
  readonly phone?: string;
  readonly status: ReportStatus;
  /** The upstream's own code. */
  readonly code: string;
  /** The carrier's time. */
  readonly doneAt?: Date;
  /** Called when the report is stored; only then is it acknowledged to the upstream. */
  ack(): void;
  /** The report could not be stored; the upstream should send it again. */
  nack(): void;
}

/** Where an inbound message came in. */
export interface Arrival {
  readonly session: { isOpen(): boolean };
  /** Its number on that session: the same number again is the same message. */
  readonly sequence: number;
}

/** An inbound message. */
export interface UplinkMessage {
  readonly kind: 'uplink';
  readonly from: string;
  /** The address it was sent to: a service account's sender. */
  readonly to: string;
  readonly text: string;
  /** The part it answers, where the upstream says so. */
  readonly reference?: string;
  /** Set when parts of a long message never came. */
  readonly incomplete?: boolean;
  /** An id that the upstream or the handset gave this message: the same when it is sent again, and no other message's. */
  readonly mark?: string;
  /** For an upstream with sessions: what it sends again is told from what is said again by where it came in. */
  readonly arrival?: Arrival;
  ack(): void;
  nack(): void;
}

export type Feedback = Report | UplinkMessage;

/** A part that the upstream accepted and has not reported on, as the pipeline remembers it. */
export interface Outstanding {
  readonly messageId: string;
  readonly reference: string;
  readonly to: string;
  readonly from: string;
  /** Whether it is the last part of its message. */
  readonly isLast: boolean;
}

export interface ChannelHealth {
  readonly state: 'up' | 'degraded' | 'down';
  /** Sessions that could carry a part now. */
  readonly sessions: number;
  readonly detail?: string;
  /** When the state last changed, by the wall clock. */
  readonly since?: Date;
}

export interface ChannelLoad {
  /** Parts that wait for their answer, over all sessions. */
  readonly in_flight: number;
  readonly size: number;
}

/** Something that became of a session with the upstream. */
export interface SessionEvent {
  readonly kind: 'bound' | 'down';
  /** Which session, as the channel names it, and why it went down. */
  readonly detail: string;
}

export interface Channel {
  /** How many parts the channel may hold at once, sent or about to be, over all sessions; never more than 100 a session. */
  readonly window: number;
  /**
   * One outcome for each part, in any order, each as soon as it is known. Calls may overlap, of one part or many, at any time:
   * parts wait inside in the order they came and go out the moment a session has room. A part is refused, sent, or given back
   * `unsent`; it is never sent twice. After `signal` aborts, what was not yet handed over comes back `unsent`.
   */
  submit(parts: readonly Part[], signal: AbortSignal): AsyncIterable<SubmitOutcome>;
  /** Called once by the pipeline before anything is submitted. */
  onFeedback(listener: (feedback: Feedback) => void): void;
  /** Answers that came after their part had been reported `unknown`, where the upstream can still give one. */
  onLateAnswer?(listener: (outcome: SubmitOutcome) => void): void;
  /** For an upstream that lives in this process and forgets with it: what was outstanding when the process ended. */
  resume?(parts: readonly Outstanding[]): void;
  /** Called once, before anything is submitted; for channels that have sessions. */
  onSession?(listener: (event: SessionEvent) => void): void;
  health(): ChannelHealth;
  /** How much of the window that the upstream itself allows is in use, where it has one. */
  load?(): ChannelLoad;
  /** Resolves when all is quiet: sessions unbound, timers gone, every submit iteration ended. */
  close(): Promise<void>;
}

/** A channel as its driver opens it: what comes from outside is cleaned. */
export interface OpenChannel extends Channel {
  /** How reports spell the id of the answer. */
  readonly messageIdFormat: MessageIdFormat;
}
