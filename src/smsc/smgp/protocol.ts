// SMGP as the message centre speaks it.
import type { SmgpOptions } from '../options.js';
import type { CentreProtocol } from '../protocol.js';
import { buildReceipt, buildReply, createIdMaker, type SmgpDelivery, type SmgpSubmitted } from './deliveries.js';
import { makeGarbage, poisonReceipt } from './nonsense.js';
import { serveClient } from './session.js';

export function createSmgpProtocol(
  options: SmgpOptions,
  random: () => number,
): CentreProtocol<SmgpSubmitted, SmgpDelivery> {
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
    poison: poisonReceipt,
    makeGarbage: () => makeGarbage(random),
  };
}
