// SMGP as the message centre speaks it.
import type { SmgpOptions } from '../options.js';
import type { CentreProtocol } from '../protocol.js';
import { buildReceipt, buildReply, createIdMaker, type SmgpDelivery, type SmgpSubmitted } from './deliveries.js';
import { createGarbage, poisonReceipt } from './nonsense.js';
import { serveClient } from './session.js';

export function createSmgpProtocol(
  options: SmgpOptions,
  random: () => number,
): CentreProtocol<SmgpSubmitted, SmgpDelivery> {
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
    poison: poisonReceipt,
    createGarbage: () => createGarbage(random),
  };
}
