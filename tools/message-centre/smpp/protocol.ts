// SMPP as the message centre speaks it.
import type { SmppOptions } from '../options.js';
import type { CentreProtocol } from '../protocol.js';
import { buildReceipt, buildReply, createIdMaker, type SmppDelivery, type SmppSubmitted } from './deliveries.js';
import { createGarbage } from './garbage.js';
import { poisonReceipt } from './poison.js';
import { serveClient } from './session.js';

export function createSmppProtocol(
  options: SmppOptions,
  random: () => number,
): CentreProtocol<SmppSubmitted, SmppDelivery> {
  return {
    serve: (socket, events) => serveClient(socket, options, random, events),
    createIds: createIdMaker(options.ids, Date.now(), random),
    buildReceipt: (submitted, account, ids, state) =>
      buildReceipt(submitted, account, ids.receipt, state, { style: options.receipts, nowMs: Date.now(), random }),
    buildReply,
    poison: (receipt, ids) => poisonReceipt(receipt, ids.receipt, random),
    createGarbage: () => createGarbage(random),
  };
}
