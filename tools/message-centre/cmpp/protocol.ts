// CMPP as the message centre speaks it, in the version of the client.
import type { CmppOptions } from '../options.js';
import type { CentreProtocol } from '../protocol.js';
import { buildReceipt, buildReply, type CmppDelivery, type CmppSubmitted, createIdMaker } from './deliveries.js';
import { createGarbage } from './garbage.js';
import { poisonReceipt } from './poison.js';
import { serveClient } from './session.js';

export function createCmppProtocol(
  options: CmppOptions,
  random: () => number,
): CentreProtocol<CmppSubmitted, CmppDelivery> {
  const createId = createIdMaker();
  return {
    serve: (socket, events) => serveClient(socket, options, events),
    createIds() {
      const id = createId();
      return { answer: id, receipt: id };
    },
    buildReceipt: (submitted, account, ids, state) =>
      buildReceipt(submitted, account, { ids, outerId: createId(), state }, { style: options.receipts, random }),
    buildReply: (submitted, account, text) => buildReply(submitted, account, createId(), text),
    poison: (receipt) => poisonReceipt(receipt, random),
    createGarbage: () => createGarbage(random),
  };
}
