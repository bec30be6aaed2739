import type { ServerResponse } from 'node:http';
import type { Delivery, Submitted } from '../protocol.js';

export interface HttpSubmitted extends Submitted {
  readonly response: ServerResponse;
}

export interface HttpDelivery extends Delivery {
  readonly body: Readonly<Record<string, string>>;
}
