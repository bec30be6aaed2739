import { type CentreOption, type CentreTable, nameFlag, parseOptions, SMPP_OPTIONS } from '../../smsc/options.js';
import type { Command, OptionSpec } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';

const valueNames: Record<CentreOption['kind'], string> = {
  word: 'TEXT',
  rate: '0…1',
  count: 'COUNT',
  milliseconds: 'MS',
  port: 'PORT',
  switch: '',
};

function describeDefault(name: string, { value }: CentreOption): string {
  if (value === true) return `yes; --no-${name} turns it off`;
  if (value === false) return 'no';
  return value === '' ? 'none' : String(value);
}

/** The table of a message centre as one of the command line. */
function describeOptions(table: CentreTable): Record<string, OptionSpec> {
  const specs = Object.entries(table).map(([key, option]): [string, OptionSpec] => {
    const name = nameFlag(key).slice('--'.length);
    const summary = `${option.help} (${describeDefault(name, option)})`;
    if (option.kind === 'switch') return [name, { type: 'boolean', summary }];
    const choices = option.kind === 'word' && option.choices ? { choices: option.choices } : {};
    return [name, { type: 'string', value: valueNames[option.kind], summary, ...choices }];
  });
  return Object.fromEntries(specs);
}

export const smscCommand: Command = {
  path: ['smsc'],
  summary: 'a message centre that speaks SMPP, for trying things out',
  description: [
    'Behaves like a carrier, good and bad. It says where it listens as one line of JSON, answers GET /counts, and prints the',
    'counts when it ends (Ctrl-C).',
  ].join('\n'),
  options: describeOptions(SMPP_OPTIONS),
  readsItsOwnOptions: true,
  examples: [
    { command: 'postrider smsc --port 2775 --receipt-ms 500', shows: 'for a channel of kind smpp' },
    { command: 'postrider smsc --refuse-rate 0.1 --receipts tlv', shows: 'one that makes trouble' },
  ],
  async run({ arguments: words, terminal }) {
    const { options, faults } = parseOptions(SMPP_OPTIONS, words);
    if (faults.length > 0) throw new UsageError(`${faults.join('.\n')}.`, (spell) => `See: ${spell('smsc --help')}`);
    const { startMessageCentre } = await import('../../smsc/message-centre.js');
    const { runCentre } = await import('../../smsc/run-centre.js');
    await runCentre('smpp', startMessageCentre, options, terminal.signal);
    return exitCodes.ok;
  },
};
