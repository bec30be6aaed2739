// The same client that every program uses, with the credentials of this session.

import { OperatorClient, PostriderClient, type TransportOptions } from '@postrider/client';
import { createContext, useContext } from 'react';
import type { CustomerSession, OperatorSession } from '../session/session.js';

/** One attempt: the page shows at once that the service is away, and refetches later. */
const OPTIONS: TransportOptions = { baseUrl: location.origin, timeoutMs: 20_000, retry: { attempts: 1 } };

export function createCustomerClient(session: CustomerSession): PostriderClient {
  return new PostriderClient({ ...OPTIONS, ...session });
}

/** For sends: what is repeated is the same request under the same id, so trying on is safe. */
export function createPatientClient(session: CustomerSession): PostriderClient {
  return new PostriderClient({ ...OPTIONS, timeoutMs: 60_000, retry: { attempts: 8 }, ...session });
}

export function createOperatorClient(session: OperatorSession): OperatorClient {
  return new OperatorClient({ ...OPTIONS, ...session });
}

export const CustomerClientContext = createContext<PostriderClient | undefined>(undefined);
export const OperatorClientContext = createContext<OperatorClient | undefined>(undefined);

function required<Client>(client: Client | undefined): Client {
  if (client === undefined) throw new Error('a page was shown without a signed-in user');
  return client;
}

export function useCustomer(): PostriderClient {
  return required(useContext(CustomerClientContext));
}

export function useOperator(): OperatorClient {
  return required(useContext(OperatorClientContext));
}
