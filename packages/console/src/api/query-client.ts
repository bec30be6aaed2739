import { PostriderError } from '@postrider/client';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { currentSessions, endSession, isUser } from '../session/session.js';
import { forgetUser } from '../session/user-session.js';
import { saysAway, setAway } from './away.js';

function noteFailure(error: unknown): void {
  if (saysAway(error)) setAway(true);
  if (error instanceof PostriderError && error.status === 401 && error.code !== 'timestamp_out_of_range') {
    const role = location.pathname.startsWith('/console/operator') ? 'operator' : 'customer';
    if (isUser(currentSessions()[role])) forgetUser(role);
    endSession(role);
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  defaultOptions: {
    queries: {
      // A service on this machine is reachable without any network.
      networkMode: 'always',
      staleTime: 1_000,
      retry: (count, error) => count < 2 && error instanceof PostriderError && error.status === 429,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false, onError: noteFailure },
  },
});

/** The service does not have this call (yet), or the thing that was asked for is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 404;
}

export function isForbidden(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 403;
}

/** What a key of fewer scopes may not read is nothing to warn of. */
export async function readOr<Found, Otherwise>(
  found: Promise<Found>,
  otherwise: Otherwise,
): Promise<Found | Otherwise> {
  try {
    return await found;
  } catch (error) {
    if (isForbidden(error)) return otherwise;
    throw error;
  }
}
