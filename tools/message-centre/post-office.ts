// Carries deliveries to whichever session of the account has room, and keeps those for which there is none.
import { createBacklog } from './backlog.js';
import type { Delivery, DeliverySession } from './protocol.js';

export interface SenderPool<D extends Delivery> {
  open(session: DeliverySession<D>): void;
  close(session: DeliverySession<D>): void;
  post(delivery: D): void;
  /** Sends what waits, while the session has room. */
  postWaiting(session: DeliverySession<D>): void;
  /** A delivery was acknowledged, or came back. */
  settle(): void;
  /** Deliveries that wait or are not acknowledged. */
  pending(): number;
}

export function createSenderPool<D extends Delivery>(random: () => number): SenderPool<D> {
  const sessions = new Set<DeliverySession<D>>();
  const backlog = createBacklog<D>();
  let unacknowledged = 0;

  function hand(session: DeliverySession<D>, delivery: D): void {
    unacknowledged += 1;
    session.deliver(delivery);
  }

  /** Any session of the account: carriers send a receipt wherever they like. */
  function pickSession(account: string): DeliverySession<D> | undefined {
    const able = [...sessions].filter((session) => session.account === account && session.canDeliver());
    return able.length < 2 ? able[0] : able[Math.floor(random() * able.length)];
  }

  return {
    open: (session) => sessions.add(session),
    close: (session) => sessions.delete(session),
    post(delivery) {
      const session = pickSession(delivery.account);
      if (session === undefined) backlog.add(delivery);
      else hand(session, delivery);
    },
    postWaiting(session) {
      const { account } = session;
      if (account === undefined) return;
      while (session.canDeliver()) {
        const delivery = backlog.take(account);
        if (delivery === undefined) return;
        hand(session, delivery);
      }
    },
    settle() {
      unacknowledged -= 1;
    },
    pending: () => backlog.size + unacknowledged,
  };
}
