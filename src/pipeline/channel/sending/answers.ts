// What became of parts goes into the database, and what follows once it is there.

import type { CustomerId } from '../../../domain/id.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { classOfPlace, queueKeyOf } from '../../../domain/rules/queue-place.js';
import { type Lease, LeaseLostError } from '../../../store/channel/channel-lease.js';
import type { CustomerQuarantine, UnrecordedAnswer } from '../../quarantine/customer-quarantine.js';
import type { Recorder } from '../../settle/recorder.js';
import type { Wake } from '../../wake.js';
import type { ReportMatcher } from '../parts/report-matcher.js';
import type { Room } from '../parts/window.js';
import type { Sendable, Turns } from './turns.js';

export interface QuarantinedAnswer extends UnrecordedAnswer {
  readonly onWritten: () => void;
}

export type QuarantineCustomer = (customerId: CustomerId, error: unknown, answer?: QuarantinedAnswer) => void;

export interface AnswerOptions {
  readonly lease: Lease;
  readonly recorder: Recorder;
  readonly room: Room;
  readonly quarantine: CustomerQuarantine<QuarantinedAnswer>;
  readonly quarantineCustomer: QuarantineCustomer;
  readonly turns: Turns;
  readonly book: ReportMatcher;
  readonly wake: Wake;
  /** There is more room, or will be. */
  readonly onRoom: () => void;
  readonly onFault: (error: unknown) => void;
}

export function createRecordAnswer(options: AnswerOptions): (sendable: Sendable, deliveryEvent: DeliveryEvent) => void {
  const { lease, recorder, room, quarantine, turns, wake } = options;

  const onRecorded = (sendable: Sendable, { event }: DeliveryEvent): void => {
    const { customerId, bucket, queueNo } = sendable.flight.chunk;
    if (event.kind === 'accepted') sendable.flight.isAnswered = true;
    if (event.kind === 'unknown') options.book.lossRecorded(sendable.part, sendable.flight);
    // What never left goes again, before anything else of its customer; of one that is held it is read again in time.
    if (event.kind === 'withdrawn' && !quarantine.has(customerId)) turns.giveBack([sendable]);
    if (event.kind !== 'declined') return;
    // Whoever speaks for the other channel finds the number in its queue.
    wake.hint('dispatch', [queueKeyOf(customerId, classOfPlace(queueNo))]);
    wake.notify('dispatch', bucket);
  };

  return (sendable, deliveryEvent) => {
    const { customerId } = sendable.flight.chunk;
    const onWritten = () => onRecorded(sendable, deliveryEvent);
    const giveRoom = () => {
      room.give([sendable]);
      options.onRoom();
    };
    if (quarantine.has(customerId)) {
      options.quarantineCustomer(customerId, undefined, { event: deliveryEvent, onWritten });
      giveRoom();
      return;
    }
    const onAnswered = room.answering(sendable);
    recorder.add([deliveryEvent], lease, ({ failed }) => {
      onAnswered();
      const error = failed.get(deliveryEvent);
      if (error instanceof LeaseLostError) options.onFault(error);
      else if (failed.has(deliveryEvent))
        options.quarantineCustomer(customerId, error, { event: deliveryEvent, onWritten });
      else {
        quarantine.noteSuccess(customerId);
        onWritten();
      }
      giveRoom();
    });
    options.onRoom();
  };
}
