// The port between the pipeline and the drivers. A channel submits parts, returns their outcomes and passes on feedback. It knows
// nothing of tasks or money.

import type { MessageIdFormat } from '../domain/message/message-id.js';
import type { Encoding } from '../domain/message/parts.js';
import type { Variables } from '../domain/message/template.js';
import type { DeliveryStatus } from '../domain/record/records.js';

/** One part of a message. Parts of one message are submitted in order. */
export interface Part {
  /** Our id, unique among the parts in flight. If the carrier echoes it, a report finds its part without a message id. */
  readonly reference: string;
  /** Our id of the message, the same for all its parts: a part that is sent later gets the same concatenation reference. */
  readonly message?: string;
  /** E.164 without the plus sign. */
  readonly to: string;
  /** The sender address of the service account. */
  readonly from: string;
  /** The text of this part alone. */
  readonly text: string;
  readonly encoding: Encoding;
  /** Position in the message, from 1. */
  readonly part: number;
  readonly parts: number;
  /** The template variables of the text, for carriers that render templates; absent if unknown. */
  readonly variables?: Variables;
  /** The carrier's code of the template. */
  readonly templateCode?: string;
  /** When the message expires, for carriers that accept a validity period. */
  readonly validUntil?: Date;
}

/** The outcome of one submission. */
export type SubmitOutcome =
  | { readonly part: Part; readonly kind: 'accepted'; readonly messageId: string }
  | { readonly part: Part; readonly kind: 'refused'; readonly code: string }
  /** Not accepted because of the rate or a transient error. The pipeline slows down and submits the part again. */
  | { readonly part: Part; readonly kind: 'throttled'; readonly code: string }
  /** The carrier may or may not have it. Never resent automatically. */
  | { readonly part: Part; readonly kind: 'unknown'; readonly code: string }
  /** It certainly did not reach the carrier. It may be sent again. */
  | { readonly part: Part; readonly kind: 'unsent' };

export type ReportStatus = DeliveryStatus;

/** A delivery report for one part. */
export interface Report {
  readonly kind: 'report';
  /** As the carrier wrote it; empty if it sent none. */
  readonly messageId: string;
  /** Present only if the carrier echoes our reference. */
  readonly reference?: string;
  /** The handset's number, E.164 without the plus sign, if the report has it. */
  readonly phone?: string;
  readonly status: ReportStatus;
  /** The carrier's code. */
  readonly code: string;
  /** The carrier's time. */
  readonly doneAt?: Date;
  /** Called when the report is stored, and only then: acknowledges it to the carrier. */
  ack(): void;
  /** Called when the report could not be stored: asks the carrier to send it again. */
  nack(): void;
}

/** The session and sequence number of an inbound message. */
export interface Arrival {
  readonly session: { isOpen(): boolean };
  /** The same number on the same session is the same message. */
  readonly sequence: number;
}

/** An inbound message. */
export interface UplinkMessage {
  readonly kind: 'uplink';
  readonly from: string;
  /** The sender address of a service account. */
  readonly to: string;
  readonly text: string;
  /** The part that it replies to, if the carrier says so. */
  readonly reference?: string;
  /** Set if parts of a long message are missing. */
  readonly incomplete?: boolean;
  /** An id given by the carrier or the handset: a repeat of the message has the same, other messages have others. */
  readonly mark?: string;
  /** For protocols with sessions: distinguishes a repeated PDU from a new message with the same text. */
  readonly arrival?: Arrival;
  ack(): void;
  nack(): void;
}

export type Feedback = Report | UplinkMessage;

/** A part that was accepted and has no final report, as stored. */
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
  /** Sessions that can submit now. */
  readonly sessions: number;
  readonly detail?: string;
  /** When the state last changed, by the wall clock. */
  readonly since?: Date;
}

export interface ChannelLoad {
  /** Unanswered parts, over all sessions. */
  readonly in_flight: number;
  readonly size: number;
}

/** A session was bound or went down. */
export interface SessionEvent {
  readonly kind: 'bound' | 'down';
  /** The session, and why it went down. */
  readonly detail: string;
}

export interface Channel {
  /** How many parts the channel accepts at once, submitted or waiting, over all sessions; at most 100 per session. */
  readonly window: number;
  /** How many of them now: fewer where that is enough to keep the carrier busy. Absent if it is always `window`. */
  accepts?(): number;
  /**
   * Yields one outcome for each part, in any order, as soon as it is known. Calls may overlap. Parts wait in the channel in the order
   * of the calls and are submitted as soon as a session has room. A part is submitted at most once per call. After `signal` aborts,
   * parts that were not submitted yet are returned as `unsent`.
   */
  submit(parts: readonly Part[], signal: AbortSignal): AsyncIterable<SubmitOutcome>;
  /**
   * Called once. A driver is listened to as soon as it has opened, before anything can have arrived. The pipeline may listen later, before
   * it submits anything: what arrives until then is held (`held-feedback.ts`).
   */
  onFeedback(listener: (feedback: Feedback) => void): void;
  /** For answers that arrive after their part got the outcome `unknown`. */
  onLateAnswer?(listener: (outcome: SubmitOutcome) => void): void;
  /** For a carrier simulated in this process: the parts without a final report when the last process ended. */
  resume?(parts: readonly Outstanding[]): void;
  /** For channels with sessions. Called once, before anything is submitted. */
  onSession?(listener: (event: SessionEvent) => void): void;
  health(): ChannelHealth;
  /** How much of the carrier's window is in use, if it has one. */
  load?(): ChannelLoad;
  /** Resolves when sessions are closed, timers stopped and all submit iterations ended. */
  close(): Promise<void>;
}

/** A channel as the pipeline gets it: all feedback is sanitised. */
export interface OpenChannel extends Channel {
  /** How message ids in reports relate to those in answers. */
  readonly messageIdFormat: MessageIdFormat;
}
