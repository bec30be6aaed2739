// What a handset and the centre say about one accepted part, as its fate has it: receipts once or twice, contradicted or
// poisoned, and a reply.
import type { PduOf } from '../channels/smpp/pdu.js';
import { buildReceipt, buildReply, type Delivery } from './deliveries.js';
import type { Fate } from './fate.js';
import type { CentreOptions } from './options.js';
import { poisonReceipt } from './poison.js';
import type { Tally } from './tally.js';

export interface Accepted {
  readonly pdu: PduOf<'submit_sm'>;
  readonly systemId: string;
  readonly fate: Fate;
  /** The id as receipts spell it. */
  readonly id: string;
  /** The id as the answer spelled it. */
  readonly answeredId: string;
  readonly isLast: boolean;
}

export function createReporter(
  options: CentreOptions,
  { random, tally, post }: { random: () => number; tally: Tally; post: (delivery: Delivery) => void },
): (accepted: Accepted) => void {
  function postReceipt({ pdu, systemId, fate, id, answeredId }: Accepted, state: Fate['state']): void {
    const how = { style: options.receipts, nowMs: Date.now(), random };
    const receipt = { ...buildReceipt(pdu, systemId, id, state, how), about: answeredId };
    if (fate.isPoisoned) tally.add('poisoned');
    post(fate.isPoisoned ? poisonReceipt(receipt, id, random) : receipt);
  }

  function postReceipts(accepted: Accepted): void {
    const { copies, state, isContradicted } = accepted.fate;
    for (let copy = 0; copy < copies; copy += 1) {
      tally.add(copy === 0 ? 'receipts' : 'duplicates');
      postReceipt(accepted, state);
    }
    if (!isContradicted) return;
    tally.add('contradictions');
    postReceipt(accepted, state === 'DELIVRD' ? 'UNDELIV' : 'DELIVRD');
  }

  return (accepted) => {
    const { pdu, systemId, fate, isLast } = accepted;
    if (fate.receipt !== 'none' && (pdu.body.registered_delivery & 0x03) !== 0) postReceipts(accepted);
    if (fate.reply !== undefined && isLast) {
      tally.add('uplinks');
      post(buildReply(pdu, systemId, fate.reply));
    }
  };
}
