// Lists of the operator API that the client has no method for.

import type { Listing, OperatorClient, Timestamp } from '@postrider/client';

/** A message part of which it is not known whether the upstream accepted it. */
export interface UnknownPart {
  readonly customer_no: string | null;
  readonly task_no: string;
  readonly client_request_id: string | null;
  readonly seq: number;
  readonly phone: string | null;
  readonly firm: string | null;
  readonly part: number;
  readonly parts: number | null;
  readonly channel_no: string | null;
  readonly submitted_at: Timestamp | null;
  readonly since: Timestamp;
  readonly deadline: Timestamp;
}

export function listOperatorRows<Row>(
  operator: OperatorClient,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  signal: AbortSignal,
): Pick<Listing<Row>, 'page'> {
  return {
    page: (position = {}) =>
      operator.request({ method: 'GET', path: `/operator/v1/${path}`, query: { ...query, ...position }, signal }),
  };
}
