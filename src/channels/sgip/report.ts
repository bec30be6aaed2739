// What a Report of SGIP says.
import type { ReportStatus } from '../channel.js';
import type { Body } from './pdu.js';

const STATES: readonly ReportStatus[] = ['delivered', 'intermediate', 'undelivered'];

/** `report_type` of a report about a Deliver of the handset, which is acknowledged and ignored. */
export const REPORT_OF_DELIVER = 1;

/** State 2 stands for expired, deleted, undeliverable, unknown and rejected alike; the error code says more. */
export function readReportState({ state, error_code: error }: Body<'report'>): { status: ReportStatus; code: string } {
  const status = STATES[state] ?? 'undelivered';
  return { status, code: status === 'undelivered' ? `${state}:${error}` : String(state) };
}
