// SGIP as the message centre speaks it: clients connect to submit, and the centre connects to them to deliver.
import { formatSequence } from '../../channels/sgip/sequence.js';
import type { SgipOptions } from '../options.js';
import type { CentreProtocol } from '../protocol.js';
import { type Deliverer, keepDeliverer } from './deliverer.js';
import {
  buildReceipt,
  buildReply,
  createSequenceMaker,
  poisonReceipt,
  type SgipDelivery,
  type SgipSubmitted,
} from './deliveries.js';
import { makeGarbage } from './garbage.js';
import { serveClient } from './session.js';

export function createSgipProtocol(
  options: SgipOptions,
  random: () => number,
): CentreProtocol<SgipSubmitted, SgipDelivery> {
  const makeSequence = createSequenceMaker();
  /** By account: one connection to each client, from its first login on. */
  const deliverers = new Map<string, Deliverer>();
  return {
    serve: (socket, events) =>
      serveClient(socket, options, events, (login) => {
        const known = deliverers.get(login.account);
        if (known !== undefined) return known;
        const host = socket.remoteAddress ?? '127.0.0.1';
        const deliverer = keepDeliverer({ host, login, options, makeSequence, events });
        deliverers.set(login.account, deliverer);
        return deliverer;
      }),
    makeIds({ sequence }) {
      const id = formatSequence(sequence);
      return { answer: id, receipt: id };
    },
    buildReceipt: (submitted, account, _, state) => buildReceipt(submitted, account, makeSequence(), state),
    buildReply: (submitted, account, text) => buildReply(submitted, account, makeSequence(), text),
    poison: (receipt) => poisonReceipt(receipt, random),
    makeGarbage: () => makeGarbage(random),
    stop() {
      for (const deliverer of deliverers.values()) deliverer.stop();
    },
  };
}
