// Whether an inbound message may be one that its upstream sends again, or is the same words said again: `1` and `1` are two answers
// to two questions. An upstream sends again only what it has no acknowledgement of:
//
// | the message                                                          | may be a repetition of            |
// |----------------------------------------------------------------------|-----------------------------------|
// | has a mark of its own                                                | any with that mark and those words|
// | has the session and the number of an equal one                       | the last one of its sender        |
// | the session of the equal one before it has ended since               | the last one of its sender        |
// | the equal one before it has waited for its acknowledgement for long  | the last one of its sender        |
// | what came before this process opened the channel is not known        | the last one of its sender        |
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

/** No upstream gives up on an answer sooner, and sends again on the same session. */
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
      // A channel that does not say where its messages come in may send any of them again.
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
