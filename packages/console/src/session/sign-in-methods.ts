import { useQuery } from '@tanstack/react-query';
import { callAuth } from './user-session.js';

interface SignInMethods {
  readonly oidc: boolean;
  /** Absent from a service that has no passkeys yet. */
  readonly passkey?: boolean;
}

/** What the service offers to sign in with; undefined until it has answered. */
export function useSignInMethods(): SignInMethods | undefined {
  const { data } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => callAuth<SignInMethods>({ method: 'GET', path: '/auth/methods', signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
