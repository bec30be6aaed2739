/** What the command tells a script. Documented in `postrider help exit-codes`; never renumbered. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  incomplete: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: Record<keyof typeof exitCodes, string> = {
  ok: 'done',
  failure: 'something went wrong on this machine',
  usage: 'the command was not understood, or credentials are missing',
  refused: 'the service answered with a problem',
  unreachable: 'no usable answer from the service',
  incomplete:
    'a send ended, or was no longer waited for, without every number delivered; or a dry run is not covered by the balance',
  interrupted: 'interrupted with Ctrl-C',
};
