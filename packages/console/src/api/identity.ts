// Who the operator is and what the role allows. Buttons that the role forbids are not offered; the service forbids them, too.

import type { Identity, OperatorClient, OperatorPermission } from '@postrider/client';
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useOperator } from './clients.js';
import { isNotFound } from './query-client.js';

const ALL: OperatorPermission[] = ['read', 'view', 'resolve', 'suspend', 'credit', 'configure', 'move', 'administer'];

/** A service without names has one operator, who may do everything. */
const ROOT: Identity = { name: 'root', role: 'admin', permissions: ALL };

function identityQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['identity'],
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      operator.request<Identity>({ method: 'GET', path: '/operator/v1/me', signal }).catch((error: unknown) => {
        if (isNotFound(error)) return ROOT;
        throw error;
      }),
  });
}

function useIdentityQuery(): UseQueryResult<Identity> {
  return useQuery(identityQuery(useOperator()));
}

export function useIdentity(): Identity | undefined {
  return useIdentityQuery().data;
}

/** For the frame around the pages, which has a separate client. */
export function useIdentityOf(operator: OperatorClient): Identity | undefined {
  return useQuery(identityQuery(operator)).data;
}

/** Pages wait for it, so that no button comes to them later and moves what is there. */
export function useIsIdentified(): boolean {
  return !useIdentityQuery().isPending;
}

export function useMay(permission: OperatorPermission): boolean {
  return useIdentity()?.permissions.includes(permission) ?? false;
}
