// CMPP as the message centre speaks it, in the version of the client.
import type { CmppOptions } from '../options.js';
import type { CentreProtocol } from '../protocol.js';
import { buildReceipt, buildReply, type CmppDelivery, type CmppSubmitted, createIdMaker } from './deliveries.js';
import { makeGarbage } from './garbage.js';
import { poisonReceipt } from './poison.js';
import { serveClient } from './session.js';

export function createCmppProtocol(
  options: CmppOptions,
  random: () => number,
): CentreProtocol<CmppSubmitted, CmppDelivery> {
  const makeId = createIdMaker();
  return {
    serve: (socket, events) => serveClient(socket, options, events),
    makeIds() {
      const id = makeId();
      return { answer: id, receipt: id };
    },
    buildReceipt: (submitted, account, ids, state) =>
      buildReceipt(submitted, account, { ids, outerId: makeId(), state }, { style: options.receipts, random }),
    buildReply: (submitted, account, text) => buildReply(submitted, account, makeId(), text),
    poison: (receipt) => poisonReceipt(receipt, random),
    makeGarbage: () => makeGarbage(random),
  };
}
