// The kinds of carriers of a campaign: how a message centre of each is started, how a channel reaches it, and what is special
// about it.

import { HTTP_PRESETS } from '../../../src/channels/http-upstream/presets.js';
import type { CentreKind } from '../../support/spawned.js';

export const RESPONSE_TIMEOUT_MS = 4000;
export const WINDOW = 10;
export const SESSIONS = 2;

/** Where a channel reaches its message centre, and where it listens for it. */
export interface CarrierLink {
  readonly account: string;
  readonly port: number;
  readonly listenPort: number;
}

export interface Carrier {
  readonly kind: CentreKind;
  /** Beyond the switches that all message centres have. */
  readonly switches: (link: Pick<CarrierLink, 'listenPort'>) => Readonly<Record<string, string | number>>;
  /** With which code it refuses; the channel lets go of what is refused so. */
  readonly refusal: string;
  /** How a submit begins on the wire. */
  readonly submit: RegExp;
  /** Whether every session stays up while nothing is sent. */
  readonly staysConnected: boolean;
  /** Whether a text is handed over whole, whatever parts it is priced by. */
  readonly isWhole: boolean;
  readonly config: (link: CarrierLink) => Readonly<Record<string, unknown>>;
}

const HOST = '127.0.0.1';
const PASSWORD = 'secret';
const PACE = { sessions: SESSIONS, window: WINDOW, response_timeout_ms: RESPONSE_TIMEOUT_MS };
/** What is not answered comes again within the campaign. */
const REDELIVER = { '--redeliver-ms': 3000 };

/** A length below 64 KiB, and the command. */
const frameOf = (command: string): RegExp => new RegExp(`\\x00\\x00[^]{2}\\x00\\x00\\x00${command}`);

export const CARRIERS: Readonly<Record<CentreKind, Carrier>> = {
  smpp: {
    kind: 'smpp',
    switches: () => ({ '--ids': 'mixed', '--receipts': 'mixed' }),
    refusal: 'ESME_RSUBMITFAIL',
    submit: frameOf('\\x04\\x00\\x00\\x00\\x00'),
    staysConnected: true,
    isWhole: false,
    config: ({ account, port }) => ({
      host: HOST,
      port,
      system_id: account,
      password: PASSWORD,
      ...PACE,
      reconnect_min_ms: 50,
      reconnect_max_ms: 1000,
      enquire_link_ms: 2000,
      receipts: 'by_text',
    }),
  },
  cmpp: {
    kind: 'cmpp',
    switches: () => ({ '--receipts': 'mixed', ...REDELIVER }),
    refusal: '9',
    submit: frameOf('\\x04'),
    staysConnected: true,
    isWhole: false,
    config: ({ account, port }) => ({
      host: HOST,
      port,
      account,
      password: PASSWORD,
      ...PACE,
      keepalive_ms: 2000,
      version: port % 2 === 0 ? '2.0' : '3.0',
    }),
  },
  smgp: {
    kind: 'smgp',
    switches: () => ({ '--receipts': 'mixed', ...REDELIVER }),
    refusal: '58',
    submit: frameOf('\\x02'),
    staysConnected: true,
    isWhole: false,
    config: ({ account, port }) => ({ host: HOST, port, account, password: PASSWORD, ...PACE, keepalive_ms: 2000 }),
  },
  sgip: {
    kind: 'sgip',
    switches: ({ listenPort }) => ({ '--client-port': listenPort, ...REDELIVER }),
    refusal: '29',
    submit: frameOf('\\x03'),
    staysConnected: false,
    isWhole: false,
    config: ({ account, port, listenPort }) => ({
      host: HOST,
      port,
      account,
      password: PASSWORD,
      ...PACE,
      node_id: 3_010_000_000 + listenPort,
      corp_id: '90001',
      listen_host: HOST,
      listen_port: listenPort,
    }),
  },
  http: {
    kind: 'http',
    switches: () => ({}),
    refusal: 'REFUSED',
    submit: /^POST /,
    staysConnected: false,
    isWhole: true,
    config: ({ port }) => ({
      ...HTTP_PRESETS['message-centre']?.config,
      url: `http://${HOST}:${port}/messages`,
      concurrency: SESSIONS * WINDOW,
      timeout_ms: RESPONSE_TIMEOUT_MS,
    }),
  },
};

export const REFUSALS: ReadonlySet<string> = new Set(Object.values(CARRIERS).map(({ refusal }) => refusal));

/** Any six seeds in a row have every kind. */
const PAIRS: readonly (readonly CentreKind[])[] = [
  ['smpp', 'smpp'],
  ['cmpp', 'http'],
  ['smgp', 'sgip'],
  ['smpp', 'cmpp'],
  ['http', 'smgp'],
  ['sgip', 'smpp'],
];

export function chooseKinds(seed: number): readonly CentreKind[] {
  return PAIRS[seed % PAIRS.length] ?? [];
}
