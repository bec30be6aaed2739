import { type ReactElement, useMemo } from 'react';
import { createCustomerClient } from '../api/clients.js';
import type { UserSession } from '../session/session.js';
import { Bell } from './bell.js';
import { useCustomerNotices } from './customer-notices.js';

/** The frame asks for itself: there may be no page in it that does. */
export function CustomerBell({ session }: { readonly session: UserSession }): ReactElement {
  const client = useMemo(() => createCustomerClient(session), [session]);
  return <Bell side="customer" notices={useCustomerNotices(client, session)} />;
}
