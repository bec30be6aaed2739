// Distinguishes a repeated delivery of an inbound message from a new message with the same text: `1` and `1` may be answers to two
// questions. A carrier repeats only messages without an acknowledgement:
//
// | the message                                                          | may be a repetition of            |
// |----------------------------------------------------------------------|-----------------------------------|
// | has an id (`mark`)                                                   | any with that id and text         |
// | has the session and the number of an equal one                       | the last one of its sender        |
// | the session of the equal one before it has ended since               | the last one of its sender        |
// | the equal one before it waited long for its acknowledgement          | the last one of its sender        |
// | earlier messages are unknown, as the channel was opened recently     | the last one of its sender        |
// | otherwise                                                            | none                              |

import type { Arrival, UplinkMessage } from '../../../channels/channel.js';
import { type MayRepeat, REPEAT_WITHIN_MS } from '../../../store/wire/uplink.js';

export interface RepeatWatch {
  /** `onStored` is called when the message is committed and about to be acknowledged. */
  received(
    fingerprint: string,
    message: Pick<UplinkMessage, 'mark' | 'arrival'>,
  ): { readonly mayRepeat: MayRepeat; onStored(): void };
}

interface Seen {
  readonly arrival: Arrival;
  readonly at: number;
  isAcknowledged: boolean;
}

/** No carrier repeats a message on the same session sooner. */
const MIN_RESPONSE_TIMEOUT_MS = 5_000;

export function createRepeatWatch(now: () => number): RepeatWatch {
  const openedAt = now();
  /** By fingerprint, oldest first. */
  const recent = new Map<string, Seen>();

  const forgetOld = (): void => {
    for (const [fingerprint, { at }] of recent) {
      if (now() - at <= REPEAT_WITHIN_MS) break;
      recent.delete(fingerprint);
    }
  };

  const mayRepeat = (before: Seen | undefined, { session, sequence }: Arrival): boolean => {
    if (before === undefined) return now() - openedAt <= REPEAT_WITHIN_MS;
    const { arrival } = before;
    if (!arrival.session.isOpen() || (arrival.session === session && arrival.sequence === sequence)) return true;
    return !before.isAcknowledged && now() - before.at >= MIN_RESPONSE_TIMEOUT_MS;
  };

  return {
    received(fingerprint, { mark, arrival }) {
      if (mark !== undefined) return { mayRepeat: 'any', onStored: () => {} };
      // Without an arrival, any message may be a repeat.
      if (arrival === undefined) return { mayRepeat: 'last', onStored: () => {} };
      forgetOld();
      const isPossible = mayRepeat(recent.get(fingerprint), arrival);
      const seen = { arrival, at: now(), isAcknowledged: false };
      recent.delete(fingerprint);
      recent.set(fingerprint, seen);
      return {
        mayRepeat: isPossible ? 'last' : 'none',
        onStored() {
          seen.isAcknowledged = true;
        },
      };
    },
  };
}
