// `Status` of a Login_Resp and a Submit_Resp.
import { createResultTable } from '../china/result-class.js';

export const RESULTS = createResultTable({
  accepted: { 0: 'success' },
  throttled: { 1: 'system busy' },
  session: { 2: 'too many connections', 20: 'wrong address', 21: 'authentication failed', 22: 'version not supported' },
  unknown: { 12: 'duplicate sequence number' },
  refused: {
    37: 'validity over',
    39: 'wrong route',
    47: 'wrong DestTermID',
    58: 'no route',
    74: 'forbidden hours',
    75: 'daily quota used up',
  },
  configuration: {
    10: 'wrong structure',
    11: 'wrong command',
    30: 'wrong MsgType',
    31: 'wrong Priority',
    32: 'wrong FeeType',
    33: 'wrong FeeCode',
    34: 'wrong MsgFormat',
    35: 'wrong time',
    36: 'wrong MsgLength',
    40: 'wrong FixedFee',
    43: 'wrong ServiceID',
    44: 'wrong ValidTime',
    45: 'wrong AtTime',
    46: 'wrong SrcTermID',
    48: 'wrong ChargeTermID',
    49: 'wrong SPCode',
    73: 'wrong MServiceID',
    76: 'account expired',
  },
});

/** `21 (authentication failed)`. */
export function nameStatus(status: number): string {
  return `${status} (${RESULTS.get(status)?.meaning ?? 'other'})`;
}
