// Who the operator is and what the role allows. Buttons that the role forbids are not offered; the service forbids them, too.

import type { Identity, OperatorPermission } from '@postrider/client';
import { skipToken, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useOperator } from './clients.js';
import { isNotFound } from './query-client.js';

const ALL: OperatorPermission[] = ['read', 'view', 'resolve', 'suspend', 'credit', 'configure', 'move', 'administer'];

/** A service without names has one operator, who may do everything. */
const ROOT: Identity = { name: 'root', role: 'admin', permissions: ALL };

function useIdentityQuery(): UseQueryResult<Identity> {
  const operator = useOperator();
  return useQuery({
    queryKey: ['identity'],
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      operator.request<Identity>({ method: 'GET', path: '/operator/v1/me', signal }).catch((error: unknown) => {
        if (isNotFound(error)) return ROOT;
        throw error;
      }),
  });
}

export function useIdentity(): Identity | undefined {
  return useIdentityQuery().data;
}

/** For the frame around the pages, which has no client of its own: as soon as a page has asked. */
export function useKnownIdentity(): Identity | undefined {
  return useQuery<Identity>({ queryKey: ['identity'], queryFn: skipToken }).data;
}

/** Pages wait for it, so that no button comes to them later and moves what is there. */
export function useIsIdentified(): boolean {
  return !useIdentityQuery().isPending;
}

export function useMay(permission: OperatorPermission): boolean {
  return useIdentity()?.permissions.includes(permission) ?? false;
}
