// The deliver_sm a message centre sends: receipts in the many forms carriers give them, and replies from handsets.
import { randomUUID } from 'node:crypto';
import { type Body, EMPTY_MESSAGE, type Tlvs } from '#src/channels/smpp/pdu.js';
import type { Fate } from '../fate.js';
import type { SmppOptions } from '../options.js';
import type { Delivery, IdPair, Submitted } from '../protocol.js';

interface Address {
  readonly ton: number;
  readonly npi: number;
}

export interface SmppSubmitted extends Submitted {
  readonly sequence: number;
  readonly source: Address;
  readonly destination: Address;
}

export interface SmppDelivery extends Delivery {
  readonly body: Body<'deliver_sm'>;
  readonly tlvs: Tlvs | undefined;
}

/** Ids start from the time, so that a message centre that was started again does not give one out twice. */
export function createIdMaker(spelling: SmppOptions['ids'], startMs: number, random: () => number): () => IdPair {
  let next = startMs * 1000;
  const spellings: Record<Exclude<SmppOptions['ids'], 'mixed'>, (id: number) => IdPair> = {
    same: (id) => ({ answer: String(id), receipt: String(id) }),
    hex_then_decimal: (id) => ({ answer: id.toString(16), receipt: String(id) }),
    decimal_then_hex: (id) => ({ answer: String(id), receipt: id.toString(16) }),
  };
  const mixed: readonly ((id: number) => IdPair)[] = [
    ...Object.values(spellings),
    (id) => ({ answer: id.toString(16).toUpperCase().padStart(16, '0'), receipt: id.toString(16) }),
    (id) => ({ answer: String(id).padStart(20, '0'), receipt: String(id) }),
    () => {
      const id = randomUUID();
      return { answer: id, receipt: id.toUpperCase() };
    },
  ];
  return () => {
    next += 1;
    const spell = spelling === 'mixed' ? mixed[Math.floor(random() * mixed.length)] : spellings[spelling];
    return (spell ?? spellings.same)(next);
  };
}

const STATE_NUMBERS: Record<Fate['state'], number> = { DELIVRD: 2, EXPIRED: 3, UNDELIV: 5 };
const ERRORS: Record<Fate['state'], string> = { DELIVRD: '000', EXPIRED: '000', UNDELIV: '045' };
const TYPE_RECEIPT = 0x04;

/** Every known form of receipt text. */
const TEXTS: readonly ((id: string, state: Fate['state'], time: string) => string)[] = [
  formatText,
  (id, state, time) => `id:${id} submitdate:${time}00 donedate:${time}00 stat:${state} err:${ERRORS[state]}`,
  (id, state, time) => `stat:${state} id:${id} done date:${time} text:stat:NONE`,
  (id, state) => `ID:${id.toUpperCase()} STAT:${state === 'UNDELIV' ? 'FAILED' : state} ERR:${ERRORS[state]}`,
];

function formatText(id: string, state: Fate['state'], time: string): string {
  const delivered = state === 'DELIVRD' ? '001' : '000';
  return `id:${id} sub:001 dlvrd:${delivered} submit date:${time} done date:${time} stat:${state} err:${ERRORS[state]} text:`;
}

export function buildReceipt(
  submitted: SmppSubmitted,
  account: string,
  id: string,
  state: Fate['state'],
  options: { style: SmppOptions['receipts']; nowMs: number; random: () => number },
): SmppDelivery {
  const time = formatTime(options.nowMs);
  const form = options.style === 'mixed' ? Math.floor(options.random() * (TEXTS.length + 2)) : 0;
  const isTlv = options.style === 'tlv' || form === TEXTS.length;
  // The last form says what it is by its text alone.
  const isUnmarked = form === TEXTS.length + 1;
  const text = isTlv ? '' : (TEXTS[form] ?? formatText)(id, state, time);
  const { userReference } = submitted;
  const echo = userReference === undefined ? undefined : { user_message_reference: userReference };
  const parameters = isTlv ? { receipted_message_id: id, message_state: STATE_NUMBERS[state] } : undefined;
  return {
    kind: 'receipt',
    account,
    body: {
      ...turnAround(submitted),
      esm_class: isTlv || isUnmarked ? 0 : TYPE_RECEIPT,
      short_message: Buffer.from(text, 'latin1'),
    },
    tlvs: echo === undefined ? parameters : { ...parameters, ...echo },
  };
}

export function buildReply(submitted: SmppSubmitted, account: string, text: string): SmppDelivery {
  const body = { ...turnAround(submitted), short_message: Buffer.from(text, 'latin1') };
  return { kind: 'uplink', account, body, tlvs: undefined };
}

function turnAround({ from, to, source, destination }: SmppSubmitted): Body<'deliver_sm'> {
  return {
    ...EMPTY_MESSAGE,
    source_addr_ton: destination.ton,
    source_addr_npi: destination.npi,
    source_addr: to,
    dest_addr_ton: source.ton,
    dest_addr_npi: source.npi,
    destination_addr: from,
  };
}

let formatted = { minute: -1, text: '' };

/** YYMMDDhhmm, made once a minute: a thousand receipts a second share it. */
function formatTime(nowMs: number): string {
  const minute = Math.floor(nowMs / 60_000);
  if (formatted.minute !== minute) {
    formatted = { minute, text: new Date(minute * 60_000).toISOString().replace(/\D/g, '').slice(2, 12) };
  }
  return formatted.text;
}
