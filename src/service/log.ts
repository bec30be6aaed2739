// The log: JSON lines for machines, plain lines for a person at a terminal. It carries no secret, no message text and no
// full phone number.

import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Lines go to standard error: standard output is for the output of commands. */
export function createLog(level: string, output: NodeJS.WriteStream = process.stderr): Log {
  const destination = output.isTTY ? createPlainLines(output) : pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null }, destination);
}

/** A channel that is down warns at every try: at a terminal once per period, with the number of tries. */
const REPEAT_AFTER_MS = 600_000;
const MAX_WARNINGS_KEPT = 1_000;

function createPlainLines(output: NodeJS.WriteStream): DestinationStream {
  const warnings = new Map<string, { shownAt: number; hidden: number }>();
  const countRepeats = (key: string, time: number): number | undefined => {
    const before = warnings.get(key);
    if (before !== undefined && time - before.shownAt < REPEAT_AFTER_MS) {
      before.hidden += 1;
      return undefined;
    }
    if (warnings.size >= MAX_WARNINGS_KEPT) warnings.clear();
    warnings.set(key, { shownAt: time, hidden: 0 });
    return before?.hidden ?? 0;
  };
  return {
    write(line) {
      const { level, time, msg, err, ...details } = JSON.parse(line);
      const clock = new Date(time).toTimeString().slice(0, 8);
      const label = pino.levels.labels[level] ?? String(level);
      const cause = err === undefined ? '' : ` (${err.message})`;
      const rest = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
      const repeats = label === 'warn' ? countRepeats(nameWarning(msg, cause, details), time) : 0;
      if (repeats === undefined) return;
      const again = repeats === 0 ? '' : ` (${repeats} more since it was last shown)`;
      output.write(`${clock} ${label === 'info' ? '' : `${label}: `}${msg}${cause}${rest}${again}\n`);
    },
  };
}

/** The part of a line that is the same for every try. */
function nameWarning(message: string, cause: string, details: Readonly<Record<string, unknown>>): string {
  const lasting = Object.entries(details).filter(([name]) => !name.endsWith('_ms'));
  return JSON.stringify([message, cause, lasting]);
}
