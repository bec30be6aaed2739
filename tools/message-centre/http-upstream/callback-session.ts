// Carries reports and replies to the addresses of the client, so many at a time. What is not answered with 200 goes again.
import { Agent, request } from 'node:http';
import type { HttpOptions } from '../options.js';
import type { CentreEvents, CentreSession } from '../protocol.js';
import type { HttpDelivery, HttpSubmitted } from './deliveries.js';

const MAX_AT_ONCE = 20;
const TIMEOUT_MS = 10_000;

export function createCallbackSession(
  account: string,
  { reportsUrl, uplinksUrl }: HttpOptions,
  events: CentreEvents<HttpSubmitted, HttpDelivery>,
): CentreSession<HttpSubmitted, HttpDelivery> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_AT_ONCE, timeout: 4_000 });
  let underWay = 0;

  const post = (url: string, body: string): Promise<boolean> =>
    new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(url, { method: 'POST', agent, headers, timeout: TIMEOUT_MS }, (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode === 200));
      });
      sent.once('error', () => resolve(false));
      sent.once('timeout', () => sent.destroy());
      sent.end(body);
    });

  const session: CentreSession<HttpSubmitted, HttpDelivery> = {
    account,
    canDeliver: () => underWay < MAX_AT_ONCE,
    deliver(delivery) {
      const url = delivery.kind === 'receipt' ? reportsUrl : uplinksUrl;
      // A client without an address wants none.
      if (url === '') return events.onAcknowledged(delivery);
      underWay += 1;
      void post(url, JSON.stringify(delivery.body)).then((isTaken) => {
        underWay -= 1;
        if (isTaken) events.onAcknowledged(delivery);
        else events.onReturned(delivery, 'unanswered');
        events.onRoom(session);
      });
    },
    answer() {},
    cut() {},
    unbind() {},
    sendGarbage() {},
  };
  return session;
}
