// Reports as a broken gateway sends them. Each still says which message it is about and its outcome, so a client that drops
// or mixes up one is at fault.
import type { CmppDelivery } from './deliveries.js';

const TIMES_AT = 15;
const PHONE_AT = 35;

export function poisonReceipt(delivery: CmppDelivery, random: () => number): CmppDelivery {
  const kinds = [wreckTimes, wreckNumber, addOctets];
  const poison = kinds[Math.floor(random() * kinds.length)] ?? wreckTimes;
  return { ...delivery, body: { ...delivery.body, msg_content: poison(Buffer.from(delivery.body.msg_content)) } };
}

/** Times of zeros, with octets that no time has. */
function wreckTimes(content: Buffer): Buffer {
  content.write('0001010000\0\x1b\xff0000000'.slice(0, PHONE_AT - TIMES_AT), TIMES_AT, 'latin1');
  return content;
}

/** A number that ends the text before it: the handset is then known from the Deliver alone. */
function wreckNumber(content: Buffer): Buffer {
  content.fill(0, PHONE_AT);
  return content;
}

function addOctets(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.from('\0\x07\xff\xfe', 'latin1')]);
}
