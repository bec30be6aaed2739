// Carries deliveries to whichever session of the account has room, and keeps those for which there is none.
import { createBacklog } from './backlog.js';
import type { CentreSession } from './centre-session.js';
import type { Delivery } from './deliveries.js';

export interface PostOffice {
  open(session: CentreSession): void;
  close(session: CentreSession): void;
  post(delivery: Delivery): void;
  /** Sends what waits, while the session has room. */
  postWaiting(session: CentreSession): void;
  /** A delivery was acknowledged, or came back. */
  settle(): void;
  /** Deliveries that wait or are not acknowledged. */
  pending(): number;
}

export function createPostOffice(random: () => number): PostOffice {
  const sessions = new Set<CentreSession>();
  const backlog = createBacklog();
  let unacknowledged = 0;

  function hand(session: CentreSession, delivery: Delivery): void {
    unacknowledged += 1;
    session.deliver(delivery);
  }

  /** Any session of the account: carriers send a receipt wherever they like. */
  function pickSession(systemId: string): CentreSession | undefined {
    const able = [...sessions].filter((session) => session.systemId === systemId && session.canDeliver());
    return able.length < 2 ? able[0] : able[Math.floor(random() * able.length)];
  }

  return {
    open: (session) => sessions.add(session),
    close: (session) => sessions.delete(session),
    post(delivery) {
      const session = pickSession(delivery.systemId);
      if (session === undefined) backlog.add(delivery);
      else hand(session, delivery);
    },
    postWaiting(session) {
      const { systemId } = session;
      if (systemId === undefined) return;
      while (session.canDeliver()) {
        const delivery = backlog.take(systemId);
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
