// The money movements of one number, by its outcome and the terms of its freeze.

import type { NumberChange } from '../chunk/chunk-state.js';
import type { ChargeOn } from './stages.js';

export interface BillingTerms {
  readonly chargeOn: ChargeOn;
  readonly refundOnFailure: boolean;
}

export type Movement = 'charge' | 'release' | 'refund';

export function movementsOf(change: NumberChange, terms: BillingTerms): readonly Movement[] {
  if (terms.chargeOn === 'delivery') {
    if (change.result === undefined) return [];
    return change.result === 'delivered' ? ['charge'] : ['release'];
  }
  const movements: Movement[] = [];
  if (change.becameAccepted) movements.push('charge');
  if (change.result !== undefined && change.result !== 'delivered') {
    if (!change.accepted) movements.push('release');
    else if (terms.refundOnFailure) movements.push('refund');
  }
  return movements;
}

/** Whether a number with a receipt was charged, now or when it was accepted. */
export function isCharged({ accepted, result }: NumberChange, terms: BillingTerms): boolean {
  return terms.chargeOn === 'delivery' ? result === 'delivered' : accepted;
}
