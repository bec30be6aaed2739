// SGIP as the message centre speaks it: clients connect to submit, and the centre connects to them to deliver.
import { formatSequence } from '#src/channels/sgip/sequence.js';
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
import { createGarbage } from './garbage.js';
import { serveClient } from './session.js';

export function createSgipProtocol(
  options: SgipOptions,
  random: () => number,
): CentreProtocol<SgipSubmitted, SgipDelivery> {
  const createSequence = createSequenceMaker();
  /** By account: one connection to each client, from its first login on. */
  const deliverers = new Map<string, Deliverer>();
  return {
    serve: (socket, events) =>
      serveClient(socket, options, events, (login) => {
        const known = deliverers.get(login.account);
        if (known !== undefined) return known;
        const host = socket.remoteAddress ?? '127.0.0.1';
        const deliverer = keepDeliverer({ host, login, options, createSequence, events });
        deliverers.set(login.account, deliverer);
        return deliverer;
      }),
    createIds({ sequence }) {
      const id = formatSequence(sequence);
      return { answer: id, receipt: id };
    },
    buildReceipt: (submitted, account, _, state) => buildReceipt(submitted, account, createSequence(), state),
    buildReply: (submitted, account, text) => buildReply(submitted, account, createSequence(), text),
    poison: (receipt) => poisonReceipt(receipt, random),
    createGarbage: () => createGarbage(random),
    stop() {
      for (const deliverer of deliverers.values()) deliverer.stop();
    },
  };
}
