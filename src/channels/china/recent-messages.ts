// Gateways send a message again when our answer was late or lost. Reports are matched by their id and may come twice; an
// uplink has no id that the platform keeps, so the channel remembers the latest ones and acknowledges a repeat itself.
import { forgetOldest } from '../../domain/counts.js';
import type { Acknowledgement } from '../session/protocol.js';

const MAX_REMEMBERED = 5_000;

type Respond = (acknowledgement: Acknowledgement) => void;

export interface RecentMessages {
  /**
   * The function that answers a new message and all its repeats; undefined for a repeat. `key` tells messages apart: the
   * gateway's id alone does not where a gateway gives all parts of a long message one id.
   */
  admit(key: string, respond: Respond): Respond | undefined;
}

type Entry = { readonly waiting: Respond[] } | 'stored';

export function createRecentMessages(): RecentMessages {
  const entries = new Map<string, Entry>();

  return {
    admit(key, respond) {
      const known = entries.get(key);
      if (known === 'stored') {
        respond('stored');
        return undefined;
      }
      if (known !== undefined) {
        known.waiting.push(respond);
        return undefined;
      }
      const waiting = [respond];
      entries.set(key, { waiting });
      forgetOldest(entries, MAX_REMEMBERED);
      return (acknowledgement) => {
        if (acknowledgement === 'stored') entries.set(key, 'stored');
        else entries.delete(key);
        for (const each of waiting.splice(0)) each(acknowledgement);
      };
    },
  };
}
