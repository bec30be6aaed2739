// The log: JSON lines for machines, plain lines for a person at a terminal. It carries no secret, no message text and no
// full phone number.

import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Lines go to standard error: standard output is for what a person or a script asked for. */
export function createLog(level: string, output: NodeJS.WriteStream = process.stderr): Log {
  const destination = output.isTTY ? createPlainLines(output) : pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null }, destination);
}

function createPlainLines(output: NodeJS.WriteStream): DestinationStream {
  return {
    write(line) {
      const { level, time, msg, err, ...details } = JSON.parse(line);
      const clock = new Date(time).toTimeString().slice(0, 8);
      const label = pino.levels.labels[level] ?? String(level);
      const cause = err === undefined ? '' : ` (${err.message})`;
      const rest = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
      output.write(`${clock} ${label === 'info' ? '' : `${label}: `}${msg}${cause}${rest}\n`);
    },
  };
}
