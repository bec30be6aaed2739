// Our cost of a number: by the price list of its channel at the time of submission.

import type { Receipt } from '../../domain/record/records.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';

/** Null if it cost nothing or the cost is not configured. */
export type CostOf = (receipt: Receipt, templateId: bigint | undefined, now: Date) => bigint | null;

export function createCostOf(snapshot: () => Snapshot): CostOf {
  return ({ channelId, firm, phoneKey, parts, isAccepted, submittedAt }, templateId, now) => {
    if (channelId === undefined || firm === null || isAccepted !== true) return null;
    const known = snapshot();
    const messageClass = templateId === undefined ? undefined : known.templateById(templateId)?.class;
    const rate = known.costOf(channelId, firm, messageClass ?? DEFAULT_CLASS)(phoneKey, submittedAt ?? now);
    return rate === undefined ? null : rate * BigInt(parts);
  };
}

const DEFAULT_CLASS = 'notice';
