// Receipts as a hostile or broken carrier sends them: octets that databases and terminals choke on, and ids that are spelled
// in yet another way. Each still states the outcome of a message, so a client that drops or confuses one is at fault.
import { encodeUcs2 } from '#src/channels/smpp/charset.js';
import type { SmppDelivery } from './deliveries.js';

const UCS2 = 8;

export function poisonReceipt(delivery: SmppDelivery, id: string, random: () => number): SmppDelivery {
  const kinds = [scatterControls, writeHalfPair, respellId];
  const poison = kinds[Math.floor(random() * kinds.length)] ?? scatterControls;
  return poison(delivery, id);
}

/** NULs and escapes in the id and after every word. */
function scatterControls(delivery: SmppDelivery, id: string): SmppDelivery {
  const broken = `${id.slice(0, 2)}\0\x1b${id.slice(2)}`;
  const text = readText(delivery).replace(id, broken).replaceAll(' ', '\0 ');
  return rewrite(delivery, `${text}\0\x07`, `${id.slice(0, 2)}\x01${id.slice(2)}`);
}

/** UCS-2 that ends in the middle of a pair, as a carrier leaves it that cuts the text of the message. */
function writeHalfPair(delivery: SmppDelivery, id: string): SmppDelivery {
  const text = readText(delivery);
  if (text === '') return scatterControls(delivery, id);
  const cut = encodeUcs2(`${text.slice(0, 125)}\ud83d`);
  return { ...delivery, body: { ...delivery.body, data_coding: UCS2, short_message: cut } };
}

/** In the other case, with zeros before it. */
function respellId(delivery: SmppDelivery, id: string): SmppDelivery {
  const upper = id.toUpperCase();
  const respelled = `00${upper === id ? id.toLowerCase() : upper}`;
  return rewrite(delivery, readText(delivery).replace(id, respelled), respelled);
}

function readText({ body }: SmppDelivery): string {
  return body.short_message.toString('latin1');
}

function rewrite(delivery: SmppDelivery, text: string, id: string): SmppDelivery {
  const { body, tlvs } = delivery;
  if (tlvs?.receipted_message_id !== undefined) return { ...delivery, tlvs: { ...tlvs, receipted_message_id: id } };
  return { ...delivery, body: { ...body, short_message: Buffer.from(text, 'latin1').subarray(0, 254) } };
}
