// What a handset and the centre say about one accepted part, as its fate has it: receipts once or twice, contradicted or
// poisoned, and a reply.
import type { Fate } from './fate.js';
import type { CentreProtocol, Delivery, IdPair, Submitted } from './protocol.js';
import type { Tally } from './tally.js';

export interface Accepted<S extends Submitted> {
  readonly submitted: S;
  readonly account: string;
  readonly fate: Fate;
  readonly ids: IdPair;
  readonly isLast: boolean;
}

export function createReporter<S extends Submitted, D extends Delivery>(
  protocol: CentreProtocol<S, D>,
  { tally, post, copyLater }: { tally: Tally; post: (delivery: D) => void; copyLater: (run: () => void) => void },
): (accepted: Accepted<S>) => void {
  function postReceipt({ submitted, account, fate, ids }: Accepted<S>, state: Fate['state']): void {
    const receipt = { ...protocol.buildReceipt(submitted, account, ids, state), about: ids.answer };
    if (fate.isPoisoned) tally.add('poisoned');
    post(fate.isPoisoned ? protocol.poison(receipt, ids) : receipt);
  }

  function postReceipts(accepted: Accepted<S>): void {
    const { copies, state, isContradicted } = accepted.fate;
    tally.add('receipts');
    postReceipt(accepted, state);
    for (let copy = 1; copy < copies; copy += 1) {
      copyLater(() => {
        tally.add('duplicates');
        postReceipt(accepted, state);
      });
    }
    if (!isContradicted) return;
    tally.add('contradictions');
    postReceipt(accepted, state === 'DELIVRD' ? 'UNDELIV' : 'DELIVRD');
  }

  return (accepted) => {
    const { submitted, account, fate, isLast } = accepted;
    if (fate.receipt !== 'none' && submitted.isReportWanted) postReceipts(accepted);
    if (fate.reply !== undefined && isLast) {
      tally.add('uplinks');
      post(protocol.buildReply(submitted, account, fate.reply));
    }
  };
}
