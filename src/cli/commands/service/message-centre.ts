import type { MessageCentre } from '#tools/message-centre/message-centre.js';
import {
  type CentreOption,
  type CentreTable,
  CMPP_OPTIONS,
  type CommonOptions,
  HTTP_OPTIONS,
  nameFlag,
  type OptionsOf,
  parseOptions,
  SGIP_OPTIONS,
  SMGP_OPTIONS,
  SMPP_OPTIONS,
} from '#tools/message-centre/options.js';
import type { Command, OptionSpec } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';

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

interface CentreCommand<Table extends CentreTable> {
  readonly path: readonly string[];
  /** The kind of channel that it serves. */
  readonly kind: string;
  readonly protocol: string;
  readonly table: Table;
  /** Loaded when the command runs. */
  readonly load: () => Promise<(options: OptionsOf<Table>) => Promise<MessageCentre>>;
  readonly examples: NonNullable<Command['examples']>;
}

function createCommand<Table extends CentreTable>(centre: CentreCommand<Table>): Command {
  const { path, kind, protocol, table, load, examples } = centre;
  return {
    path,
    summary: `a message centre that speaks ${protocol}, for trying things out`,
    description: [
      'Behaves like a carrier, good and bad. It says where it listens as one line of JSON, answers GET /counts, and prints the',
      'counts when it ends (Ctrl-C).',
    ].join('\n'),
    options: describeOptions(table),
    readsItsOwnOptions: true,
    examples,
    async run({ arguments: words, terminal }) {
      const { options, faults } = parseOptions(table, words);
      if (faults.length > 0) {
        throw new UsageError(`${faults.join('.\n')}.`, (spell) => `See: ${spell(`${path.join(' ')} --help`)}`);
      }
      const start = await load();
      const { runCentre } = await import('#tools/message-centre/run-centre.js');
      // Every table extends the common one.
      const common = options as OptionsOf<Table> & CommonOptions;
      await runCentre(kind, start, common, terminal.signal);
      return exitCodes.ok;
    },
  };
}

export const smscCommand = createCommand({
  path: ['smsc'],
  kind: 'smpp',
  protocol: 'SMPP',
  table: SMPP_OPTIONS,
  load: async () => (await import('#tools/message-centre/message-centre.js')).startMessageCentre,
  examples: [
    { command: 'postrider smsc --port 2775 --receipt-ms 500', shows: 'for a channel of kind smpp' },
    { command: 'postrider smsc --refuse-rate 0.1 --receipts tlv', shows: 'one that makes trouble' },
  ],
});

export const cmppCentreCommand = createCommand({
  path: ['message-centre', 'cmpp'],
  kind: 'cmpp',
  protocol: 'CMPP 2.0 and 3.0',
  table: CMPP_OPTIONS,
  load: async () => (await import('#tools/message-centre/message-centre.js')).startCmppCentre,
  examples: [
    { command: 'postrider message-centre cmpp --port 7890 --receipt-ms 500', shows: 'for a channel of kind cmpp' },
    { command: 'postrider message-centre cmpp --throttle-rate 0.1 --receipts mixed', shows: 'one that makes trouble' },
  ],
});

export const smgpCentreCommand = createCommand({
  path: ['message-centre', 'smgp'],
  kind: 'smgp',
  protocol: 'SMGP 3.0',
  table: SMGP_OPTIONS,
  load: async () => (await import('#tools/message-centre/message-centre.js')).startSmgpCentre,
  examples: [
    { command: 'postrider message-centre smgp --port 8890 --receipt-ms 500', shows: 'for a channel of kind smgp' },
    { command: 'postrider message-centre smgp --throttle-rate 0.1 --receipts mixed', shows: 'one that makes trouble' },
  ],
});

export const httpCentreCommand = createCommand({
  path: ['message-centre', 'http'],
  kind: 'http',
  protocol: 'HTTP',
  table: HTTP_OPTIONS,
  load: async () => (await import('#tools/message-centre/message-centre.js')).startHttpCentre,
  examples: [
    {
      command: 'postrider message-centre http --port 8090',
      shows: 'for a channel of kind http with the preset message-centre',
    },
    { command: 'postrider message-centre http --throttle-rate 0.1 --lose-rate 0.01', shows: 'one that makes trouble' },
  ],
});

export const sgipCentreCommand = createCommand({
  path: ['message-centre', 'sgip'],
  kind: 'sgip',
  protocol: 'SGIP 1.2',
  table: SGIP_OPTIONS,
  load: async () => (await import('#tools/message-centre/message-centre.js')).startSgipCentre,
  examples: [
    { command: 'postrider message-centre sgip --port 8802 --receipt-ms 500', shows: 'for a channel of kind sgip' },
    { command: 'postrider message-centre sgip --throttle-rate 0.1 --cut-every 1000', shows: 'one that makes trouble' },
  ],
});
