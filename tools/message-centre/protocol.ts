// What the message centre needs of a protocol. Fates, faults, counts and the journal are the same for all of them.
import type { Socket } from 'node:net';
import type { Fate } from './fate.js';

/** A submit as the centre judges it. It holds no view of what the socket read: receipts may be due much later. */
export interface Submitted {
  readonly to: string;
  readonly from: string;
  /** Where the part belongs; undefined for a message of one part. */
  readonly segment: { readonly reference: number; readonly part: number; readonly parts: number } | undefined;
  readonly isReportWanted: boolean;
  /** A reference that the client wants back in the receipt, where the protocol has one. */
  readonly userReference?: number | undefined;
}

/** A message on its way to the client; each protocol adds the PDU. */
export interface Delivery {
  readonly kind: 'receipt' | 'uplink';
  readonly account: string;
  /** The message that a receipt is about, by the id of its answer. */
  readonly about?: string;
}

/** Protocols spell the id of one message in two ways. */
export interface IdPair {
  readonly answer: string;
  readonly receipt: string;
}

export interface DeliverySession<D extends Delivery> {
  /** Undefined until the client has logged in. */
  readonly account: string | undefined;
  canDeliver(): boolean;
  deliver(delivery: D): void;
}

export interface CentreSession<S extends Submitted, D extends Delivery> extends DeliverySession<D> {
  answer(submitted: S, answer: 'accept' | 'refuse' | 'throttle', messageId: string): void;
  /** Ends the connection at once; what was not yet written is lost. */
  cut(): void;
  /** Asks the client to leave. */
  unbind(): void;
  sendGarbage(octets: Buffer): void;
}

/** Answered with an error, not answered in time, or lost with the connection. */
export type ReturnReason = 'refused' | 'unanswered' | 'lost';

export interface CentreEvents<S extends Submitted, D extends Delivery> {
  onBound(session: CentreSession<S, D>): void;
  /** `readText` is good for the time of the call. */
  onSubmit(session: CentreSession<S, D>, submitted: S, readText: () => string): void;
  /** The client has room for deliveries. */
  onRoom(session: CentreSession<S, D>): void;
  onAcknowledged(delivery: D): void;
  /** The client has not taken it. */
  onReturned(delivery: D, why: ReturnReason): void;
  onMalformed(): void;
  onClosed(session: CentreSession<S, D>): void;
}

export interface CentreProtocol<S extends Submitted, D extends Delivery> {
  serve(socket: Socket, events: CentreEvents<S, D>): CentreSession<S, D>;
  /** Ids that no earlier run has given out. */
  createIds(submitted: S): IdPair;
  buildReceipt(submitted: S, account: string, ids: IdPair, state: Fate['state']): D;
  buildReply(submitted: S, account: string, text: string): D;
  /** The receipt as a hostile or broken carrier sends it; it still says which message it is about, and its outcome. */
  poison(receipt: D, ids: IdPair): D;
  /** Frames that can be separated and not understood. */
  createGarbage(): Buffer;
  /** For a protocol that opens connections to its clients. */
  stop?(): void;
}
