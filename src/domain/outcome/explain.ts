// Finds the code of a failed number in an earlier record, if the event that decided the receipt does not have it.

import type { Delivery, Submit } from '../record/records.js';
import type { Settlement } from './settlement.js';

/** A failed long message gets the code and time of the failed part, whichever part was reported last. */
export function explainMixed(
  batch: Settlement,
  stored: readonly Pick<Delivery, 'customerId' | 'taskId' | 'seq' | 'status' | 'code' | 'doneAt'>[],
): void {
  for (const receipt of batch.mixed) {
    const reason = [...stored, ...batch.deliveries].find(
      ({ customerId, taskId, seq, status }) =>
        customerId === receipt.customerId &&
        taskId === receipt.taskId &&
        seq === receipt.seq &&
        status === receipt.result,
    );
    batch.receipts.push(reason === undefined ? receipt : { ...receipt, code: reason.code, doneAt: reason.doneAt });
  }
}

/** A declined number gets the code of its refusal, whatever prevented the failover. */
export function explainDeclined(
  batch: Settlement,
  stored: readonly Pick<Submit, 'customerId' | 'taskId' | 'seq' | 'code'>[],
): void {
  const refusals = [...batch.submits.filter(({ status }) => status === 'rejected').reverse(), ...stored];
  for (const receipt of batch.declinedBefore) {
    const refusal = refusals.find(
      ({ customerId, taskId, seq }) =>
        customerId === receipt.customerId && taskId === receipt.taskId && seq === receipt.seq,
    );
    batch.receipts.push({ ...receipt, code: refusal?.code ?? receipt.code });
  }
}
