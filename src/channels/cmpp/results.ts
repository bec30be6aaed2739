// `Result` of a Submit_Resp and `Status` of a Connect_Resp.
import { createResultTable } from '../china/result-class.js';

export const SUBMIT_RESULTS = createResultTable({
  accepted: { 0: 'right' },
  throttled: { 8: 'flow control' },
  session: {},
  unknown: { 3: 'duplicate sequence number' },
  refused: {
    4: 'wrong message length',
    6: 'message too long',
    9: 'paying number not served here',
    13: 'wrong Dest_terminal_Id',
  },
  configuration: {
    1: 'wrong structure',
    2: 'wrong command',
    5: 'wrong tariff',
    7: 'wrong service code',
    10: 'wrong Src_Id',
    11: 'wrong Msg_src',
    12: 'wrong Fee_terminal_Id',
  },
});

const CONNECT_STATUSES: Readonly<Record<number, string>> = {
  1: 'wrong structure',
  2: 'wrong source address',
  3: 'authentication failed',
  4: 'version too high',
};

/** `3 (authentication failed)`. */
export function nameConnectStatus(status: number): string {
  return `${status} (${CONNECT_STATUSES[status] ?? 'other'})`;
}
