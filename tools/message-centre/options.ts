// The faults that a message centre can be asked for, as data: the command line, its help and the references in docs/ follow
// these tables.

interface NumberOption {
  readonly kind: 'rate' | 'count' | 'milliseconds' | 'port';
  readonly value: number;
  readonly help: string;
}

interface WordOption {
  readonly kind: 'word';
  readonly value: string;
  readonly choices?: readonly string[];
  readonly help: string;
}

interface SwitchOption {
  readonly kind: 'switch';
  readonly value: boolean;
  readonly help: string;
}

export type CentreOption = NumberOption | WordOption | SwitchOption;

const COMMON_OPTIONS = {
  host: { kind: 'word', value: '127.0.0.1', help: 'address to listen on' },
  port: { kind: 'port', value: 0, help: 'port to listen on, 0 for any' },
  countsPort: { kind: 'port', value: 0, help: 'port of GET /counts, 0 for any' },
  systemId: { kind: 'word', value: '', help: 'the only account let in; empty lets in everyone' },
  password: { kind: 'word', value: '', help: 'its password' },
  seed: { kind: 'count', value: 1, help: 'the same seed makes the same choices' },
  testNumbers: { kind: 'switch', value: true, help: 'the last four digits 9001 to 9009 choose the fate of a number' },
  answerMs: { kind: 'milliseconds', value: 0, help: 'time until a submit is answered' },
  answerMaxMs: {
    kind: 'milliseconds',
    value: 0,
    help: 'longest time until then, where it is not always the same; answers overtake each other',
  },
  receiptMs: { kind: 'milliseconds', value: 0, help: 'time from the answer to the receipt' },
  lateMs: { kind: 'milliseconds', value: 1_000, help: 'time from the answer to a late receipt' },
  deliverRate: { kind: 'rate', value: 1, help: 'share delivered; the others get UNDELIV' },
  refuseRate: { kind: 'rate', value: 0, help: 'share refused' },
  throttleRate: { kind: 'rate', value: 0, help: 'share answered that the client is too fast' },
  throttleAbove: { kind: 'count', value: 0, help: 'throttle what exceeds so many submits a second, 0 for none' },
  loseRate: { kind: 'rate', value: 0, help: 'share accepted without an answer' },
  earlyRate: { kind: 'rate', value: 0, help: 'share of receipts sent before the answer' },
  lateRate: { kind: 'rate', value: 0, help: 'share of receipts sent late' },
  duplicateRate: { kind: 'rate', value: 0, help: 'share of receipts sent twice' },
  duplicateMs: { kind: 'milliseconds', value: 0, help: 'time from a receipt to its copy' },
  reorderRate: { kind: 'rate', value: 0, help: 'share of receipts sent at any time until they would be late' },
  contradictRate: { kind: 'rate', value: 0, help: 'share of receipts followed by one that says the opposite' },
  poisonRate: {
    kind: 'rate',
    value: 0,
    help: 'share of receipts with NULs, halves of characters or wrong lengths, or the id spelled otherwise',
  },
  missingRate: { kind: 'rate', value: 0, help: 'share of receipts never sent' },
  cutEvery: { kind: 'count', value: 0, help: 'cut the connection at every so many submits' },
  unbindEvery: { kind: 'count', value: 0, help: 'unbind the session at every so many submits' },
  garbageEvery: { kind: 'count', value: 0, help: 'send nonsense at every so many submits' },
  answerEnquiries: { kind: 'switch', value: true, help: 'answer the keepalive of the client' },
  journal: {
    kind: 'word',
    value: '',
    help: 'file to write a line of JSON to for each accepted submit, before its answer, and for each acknowledged receipt',
  },
  withParent: { kind: 'switch', value: false, help: 'end when the process that started it is gone' },
  atLoginRate: {
    kind: 'rate',
    value: 0,
    help: 'share of receipts and replies kept until the next login of the client, at most five seconds, and sent right behind it',
  },
  repeatRefused: { kind: 'switch', value: true, help: 'send again what the client answers with an error' },
  deliverWindow: { kind: 'count', value: 500, help: 'unacknowledged messages toward one session' },
} as const satisfies Record<string, CentreOption>;

export const SMPP_OPTIONS = {
  ...COMMON_OPTIONS,
  port: { kind: 'port', value: 2775, help: 'port to listen on, 0 for any' },
  ids: {
    kind: 'word',
    value: 'same',
    choices: ['same', 'hex_then_decimal', 'decimal_then_hex', 'mixed'],
    help: 'how the id of the answer is spelled in the receipt',
  },
  receipts: {
    kind: 'word',
    value: 'text',
    choices: ['text', 'tlv', 'mixed'],
    help: 'how a receipt says what it is: text and esm_class, parameters alone, or every way ever seen',
  },
} as const satisfies Record<string, CentreOption>;

export const CMPP_OPTIONS = {
  ...COMMON_OPTIONS,
  port: { kind: 'port', value: 7890, help: 'port to listen on, 0 for any' },
  receipts: {
    kind: 'word',
    value: 'standard',
    choices: ['standard', 'mixed'],
    help: 'what the body of a report looks like: as the version has it, or every form ever seen',
  },
  redeliverMs: {
    kind: 'milliseconds',
    value: 60_000,
    help: 'time after which a message that the client has not answered goes again',
  },
} as const satisfies Record<string, CentreOption>;

export const SMGP_OPTIONS = {
  ...COMMON_OPTIONS,
  port: { kind: 'port', value: 8890, help: 'port to listen on, 0 for any' },
  receipts: {
    kind: 'word',
    value: 'standard',
    choices: ['standard', 'mixed'],
    help: 'what the text of a report looks like: as the specification has it, or every form ever seen',
  },
  redeliverMs: {
    kind: 'milliseconds',
    value: 60_000,
    help: 'time after which a message that the client has not answered goes again',
  },
} as const satisfies Record<string, CentreOption>;

export const HTTP_OPTIONS = {
  ...COMMON_OPTIONS,
  port: { kind: 'port', value: 8090, help: 'port to listen on, 0 for any' },
  reportsUrl: { kind: 'word', value: '', help: 'address that reports are posted to' },
  uplinksUrl: { kind: 'word', value: '', help: 'address that replies are posted to' },
} as const satisfies Record<string, CentreOption>;

export type HttpOptions = OptionsOf<typeof HTTP_OPTIONS>;

export const SGIP_OPTIONS = {
  ...COMMON_OPTIONS,
  port: { kind: 'port', value: 8802, help: 'port to listen on, 0 for any; a channel on the same machine has 8801' },
  clientPort: { kind: 'port', value: 8801, help: 'port of the client that reports and replies are brought to' },
  clientAccount: { kind: 'word', value: '', help: "account to log in there with; empty for the client's own" },
  clientPassword: { kind: 'word', value: '', help: "password to log in there with; empty for the client's own" },
  redeliverMs: {
    kind: 'milliseconds',
    value: 30_000,
    help: 'time after which a message that the client has not answered goes again',
  },
} as const satisfies Record<string, CentreOption>;

export type CentreTable = Readonly<Record<string, CentreOption>>;

type ValueOf<O> = O extends { choices: readonly (infer C)[] }
  ? C
  : O extends { kind: 'word' }
    ? string
    : O extends { kind: 'switch' }
      ? boolean
      : number;

export type OptionsOf<Table extends CentreTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

/** What every protocol has. */
export type CommonOptions = OptionsOf<typeof COMMON_OPTIONS>;

export type SmppOptions = OptionsOf<typeof SMPP_OPTIONS>;

export type CmppOptions = OptionsOf<typeof CMPP_OPTIONS>;

export type SmgpOptions = OptionsOf<typeof SMGP_OPTIONS>;

export type SgipOptions = OptionsOf<typeof SGIP_OPTIONS>;

/** The defaults with `given` over them. */
export function fillOptions<Table extends CentreTable>(
  table: Table,
  given: Partial<OptionsOf<NoInfer<Table>>>,
): OptionsOf<Table> {
  const defaults = Object.fromEntries(Object.entries(table).map(([name, option]) => [name, option.value]));
  return { ...(defaults as OptionsOf<Table>), ...given };
}

/** `cutEvery` as it is typed: `--cut-every`. */
export function nameFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reads `--name value` and `--name=value`, `--no-name` for switches. Reports all faults at once. */
export function parseOptions<Table extends CentreTable>(
  table: Table,
  argv: readonly string[],
): { options: OptionsOf<Table>; faults: readonly string[] } {
  const given: Record<string, string | number | boolean> = {};
  const faults: string[] = [];
  const names = new Map(Object.keys(table).map((name) => [nameFlag(name), name]));
  const words = argv.flatMap((word) => {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
  });
  for (let index = 0; index < words.length; index += 1) {
    const flag = words[index] ?? '';
    const name = names.get(flag) ?? names.get(flag.replace('--no-', '--'));
    const option = name === undefined ? undefined : table[name];
    if (name === undefined || option === undefined) {
      faults.push(`${flag} is not an option`);
      continue;
    }
    if (option.kind === 'switch') {
      given[name] = names.has(flag);
      continue;
    }
    index += 1;
    const value = readValue(option, words[index]);
    if (value === undefined) faults.push(`${flag} needs ${describeValue(option)}`);
    else given[name] = value;
  }
  return { options: fillOptions(table, given as Partial<OptionsOf<Table>>), faults };
}

function readValue(option: CentreOption, text: string | undefined): string | number | undefined {
  if (text === undefined || option.kind === 'switch') return undefined;
  if (option.kind === 'word') return option.choices?.includes(text) === false ? undefined : text;
  const value = Number(text);
  if (text === '' || !(value >= 0)) return undefined;
  if (option.kind === 'rate') return value <= 1 ? value : undefined;
  return Number.isInteger(value) && (option.kind !== 'port' || value <= 65_535) ? value : undefined;
}

function describeValue(option: CentreOption): string {
  switch (option.kind) {
    case 'word':
      return option.choices === undefined ? 'a value' : `one of ${option.choices.join(', ')}`;
    case 'rate':
      return 'a number from 0 to 1';
    case 'port':
      return 'a port number';
    default:
      return 'a whole number';
  }
}
