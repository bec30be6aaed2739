// The answer to a Submit as the outcome the port knows.
import type { Log } from '../../domain/log.js';
import type { Part, SubmitOutcome } from '../channel.js';
import { classifyResult, type ResultTable } from './result-class.js';

export interface SubmitAnswer {
  /** Empty where the gateway gives none: all parts without an id would share one key. */
  readonly messageId: string;
  readonly result: number;
}

/** An id of zeros is none. */
export function nameMessageId(id: string): string {
  return /^0+$/.test(id) ? '' : id;
}

/** Turns answers into outcomes, and logs each result that an operator must act on once. */
export function createAnswerReader<Pdu>(
  table: ResultTable,
  log: Log,
  read: (pdu: Pdu) => SubmitAnswer | undefined,
): (part: Part, answer: Pdu) => SubmitOutcome {
  const logged = new Set<number>();

  function warnOnce(result: number, message: string): void {
    if (logged.has(result)) return;
    logged.add(result);
    log.warn({ result, meaning: table.get(result)?.meaning }, message);
  }

  return (part, pdu) => {
    const answer = read(pdu);
    if (answer === undefined) return { part, kind: 'unknown', code: 'malformed' };
    const { messageId, result } = answer;
    const code = String(result);
    switch (classifyResult(table, result)) {
      case 'accepted':
        if (messageId === '') warnOnce(result, 'the gateway accepts parts without a message id');
        return { part, kind: 'accepted', messageId };
      case 'throttled':
      case 'session':
        return { part, kind: 'throttled', code };
      case 'unknown':
        warnOnce(result, 'the gateway may have taken a part that it refused');
        return { part, kind: 'unknown', code };
      case 'configuration':
        warnOnce(result, 'the gateway refuses parts for their configuration');
        return { part, kind: 'refused', code };
      case 'refused':
        return { part, kind: 'refused', code };
    }
  };
}
