// All that is left of one number when everything is at rest: the place to start with a broken rule.

import type { Evidence } from '../evidence.js';
import { nationalOf } from './rule.js';

export function listTraces({ accepted, acknowledged, keptFor, views }: Evidence, phone: string): string {
  const isAbout = (row: { readonly phone: string }) => row.phone === nationalOf(phone);
  const arrived = accepted.filter(({ to }) => nationalOf(to) === nationalOf(phone));
  const traces = {
    arrived: arrived.map((entry) => ({ ...entry, isReportAcknowledged: acknowledged.has(entry.message_id) })),
    submits: views.flatMap(({ submits }) => submits).filter(isAbout),
    deliveries: views.flatMap(({ deliveries }) => deliveries).filter(isAbout),
    receipts: views.flatMap(({ receipts }) => receipts).filter(isAbout),
    isReportKept: [...keptFor].some((kept) => nationalOf(kept) === nationalOf(phone)),
  };
  return Object.entries(traces)
    .map(([name, found]) => `\n  ${name}: ${JSON.stringify(found)}`)
    .join('');
}
