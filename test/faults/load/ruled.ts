// One customer with every sending rule at once: classes, caps, windows that open and close, a signature, a channel without a
// filing, blocked words and dated prices. It sends the same few numbers again and again, several tasks at a time.

import type { CustomerRequest, MessageClass, PostriderClient, PriceRequest } from '@postrider/client';
import { operatorAt } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import type { History } from '../history.js';
import type { Signer } from './caller.js';

type Caps = NonNullable<CustomerRequest['caps']>;
type SendWindows = NonNullable<CustomerRequest['send_windows']>;

/** Milliseconds since the epoch, the end excluded. */
export interface OpenTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A row of the price list; the first of each kind is valid from the beginning. */
export type DatedPrice = Required<Pick<PriceRequest, 'class' | 'prefix' | 'unit_price'>> & {
  readonly validFromMs: number;
};

export interface RuledCustomer extends Signer {
  readonly customerNo: string;
  readonly templates: Readonly<Record<MessageClass, readonly string[]>>;
  readonly caps: Caps;
  /** Of the classes that have windows. */
  readonly openTimes: ReadonlyMap<MessageClass, readonly OpenTime[]>;
  readonly prices: readonly DatedPrice[];
  at(url: string): PostriderClient;
}

const NAME = 'ruled';
const FIRM = 'any';
export const SIGNATURE = 'Rider';
/** Requires a filing that the signature does not have. */
export const UNFILED_CHANNEL = 'unfiled';
export const BLOCKED_WORD = 'forbidden';

const CAPS: Caps = [
  { class: null, scope: 'customer', count: 3, per: '1h' },
  { class: 'promotion', scope: 'template', count: 1, per: '1h' },
];
const BODIES: Readonly<Record<MessageClass, readonly string[]>> = {
  otp: ['Code {p1}'],
  notice: ['Notice {p1}'],
  promotion: ['Offer {p1}', 'Another offer {p1}'],
};

const MINUTE_MS = 60_000;
/** Promotions wait at least so long for their first window. */
const CLOSED_AT_FIRST_MS = 8_000;
const WINDOWS = 12;
const PRICES = 15;
const PRICE_EVERY_MS = 4_000;

export const RULED_PREFIX = '198';
const DEARER_PREFIX = '861980001';

export function isOfRuled(phone: string): boolean {
  return phone.slice(-11).startsWith(RULED_PREFIX);
}

/** Made behind the crowd, which would get the channel without filings too. */
export async function createRuled(
  url: string,
  channelNos: readonly string[],
  createAt: (apiKey: string, apiSecret: string) => RuledCustomer['at'],
): Promise<RuledCustomer> {
  const operator = operatorAt(url);
  const openTimes = chooseOpenTimes(Date.now());
  const { customer_no: customerNo } = await operator.createCustomer({
    name: NAME,
    unit_price: '0.9',
    charge_on: 'submit',
    requests_per_second: 1000,
    caps: CAPS,
    send_windows: [
      ...describeWindows('promotion', 'hold', openTimes.get('promotion') ?? []),
      ...describeWindows('notice', 'reject', openTimes.get('notice') ?? []),
    ],
  });
  const account = await operator.createServiceAccount(customerNo, {
    name: 'Main',
    sender: '1069777',
    signature: SIGNATURE,
  });
  const unfiled = await operator.createChannel({
    name: UNFILED_CHANNEL,
    kind: 'simulator',
    firms: [FIRM],
    config: { test_numbers: false },
    requires_filing: true,
  });
  await operator.setFiling(customerNo, account.service_account_no, {
    channel_no: unfiled.channel_no,
    status: 'pending',
  });
  for (const channelNo of [...channelNos, unfiled.channel_no]) await operator.grantChannel(customerNo, channelNo);
  await operator.addBlockedWords({ words: [BLOCKED_WORD], customer_no: customerNo });
  const templates: Record<MessageClass, string[]> = { otp: [], notice: [], promotion: [] };
  for (const [ofClass, bodies] of Object.entries(BODIES) as [MessageClass, readonly string[]][]) {
    for (const body of bodies) {
      const template = { name: body, class: ofClass, body, service_account_no: account.service_account_no };
      templates[ofClass].push((await operator.createTemplate(customerNo, template)).template_no);
    }
  }
  const prices = choosePrices(Date.now());
  // In the order of their times: a price without one is valid from its creation, which must come before all others.
  for (const { validFromMs, ...price } of prices.toSorted((one, other) => one.validFromMs - other.validFromMs)) {
    const validFrom = validFromMs === 0 ? {} : { valid_from: new Date(validFromMs).toISOString() };
    await operator.createPrice(customerNo, { firm: FIRM, ...price, ...validFrom });
  }
  await operator.topUp(customerNo, { amount: '100000', remark: 'First' });
  const { api_key: apiKey, api_secret: apiSecret } = await operator.createCredential(customerNo);
  await until('the channel without a filing is up', async () => {
    return (await operator.channel(unfiled.channel_no)).health.state === 'up';
  });
  return {
    name: NAME,
    customerNo,
    templates,
    caps: CAPS,
    openTimes,
    prices,
    apiKey,
    apiSecret,
    at: createAt(apiKey, apiSecret),
  };
}

/** Promotions go in every other minute and notices in those between, so that something opens and closes with each. */
function chooseOpenTimes(nowMs: number): ReadonlyMap<MessageClass, readonly OpenTime[]> {
  const first = Math.ceil((nowMs + CLOSED_AT_FIRST_MS) / MINUTE_MS) * MINUTE_MS;
  const everyOther = (startMs: number) =>
    Array.from({ length: WINDOWS }, (_, at) => {
      const fromMs = startMs + 2 * at * MINUTE_MS;
      return { fromMs, toMs: fromMs + MINUTE_MS };
    });
  return new Map([
    ['promotion', everyOther(first)],
    ['notice', everyOther(first - MINUTE_MS)],
  ]);
}

function describeWindows(ofClass: MessageClass, outside: 'hold' | 'reject', times: readonly OpenTime[]): SendWindows {
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  return times.map(({ fromMs, toMs }) => ({
    class: ofClass,
    from: clock(fromMs),
    to: clock(toMs),
    time_zone: 'UTC',
    days: [1, 2, 3, 4, 5, 6, 7],
    outside,
  }));
}

/** Every few seconds another price, and others for codes and for some of the numbers. No two are alike. */
function choosePrices(nowMs: number): DatedPrice[] {
  const kinds = [
    { class: null, prefix: null },
    { class: 'otp', prefix: null },
    { class: null, prefix: DEARER_PREFIX },
  ] as const;
  return kinds.flatMap((kind, at) =>
    Array.from({ length: PRICES }, (_, turn) => ({
      ...kind,
      unit_price: ((at + 1) * 0.01 + turn * 0.0001).toFixed(6),
      validFromMs: turn === 0 ? 0 : nowMs + (turn + 1) * PRICE_EVERY_MS,
    })),
  );
}

/** Opens all windows for good: what waits for one would keep the campaign from its rest. */
export async function liftWindows(url: string, { name, customerNo }: RuledCustomer, history: History): Promise<void> {
  const startMs = history.nowMs();
  await operatorAt(url).updateCustomer(customerNo, { send_windows: [] });
  const about = {
    kind: 'call',
    action: 'lift-windows',
    node: '',
    customer: name,
    method: 'PATCH',
    target: '',
  } as const;
  history.add({ ...about, startMs, endMs: history.nowMs(), status: 200 });
}
