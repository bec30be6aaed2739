// `Result` of a Bind_Resp and a Submit_Resp. One set of codes serves answers (1 to 20 in the specification) and the error
// codes of reports (21 to 33). Those above come from lists of vendors, which contradict each other.
import { createResultTable } from '../china/result-class.js';

export const RESULTS = createResultTable({
  accepted: { 0: 'no error' },
  throttled: { 11: 'node busy', 33: 'queue of the message centre full', 88: 'flow control' },
  session: { 1: 'bad login', 2: 'second Bind', 3: 'too many connections', 4: 'wrong login type' },
  unknown: {},
  refused: {
    6: 'bad number, or no 86 before it',
    10: 'GNS failed',
    21: 'next node away',
    22: 'wrong route',
    23: 'no route',
    24: 'paying number invalid',
    25: 'handset off or out of reach',
    26: 'memory of the handset full',
    27: 'handset without SMS',
    28: 'handset failed to receive',
    29: 'unknown user',
    30: 'no such service',
    31: 'illegal equipment',
    32: 'system failure',
    34: 'logins too frequent, or prepaid charge failed',
    110: 'blacklisted',
    181: 'forbidden hours',
    182: 'daily quota used up',
  },
  configuration: {
    5: 'wrong parameter',
    7: 'wrong command',
    8: 'wrong length',
    9: 'bad sequence number or node id',
    57: 'wrong address',
    64: 'wrong source',
    90: 'wrong PDU length',
    93: 'wrong node or corporation id',
    94: 'charge failed',
    102: 'unknown corporation',
    103: 'unknown product',
    104: 'wrong tariff',
    105: 'wrong tariff',
    108: 'service suspended',
    114: 'more than one number',
    211: 'service provider suspended',
  },
});

/** `3 (too many connections)`. */
export function nameResult(result: number): string {
  const meaning = RESULTS.get(result)?.meaning;
  return meaning === undefined ? String(result) : `${result} (${meaning})`;
}
