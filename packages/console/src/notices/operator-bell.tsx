import { type ReactElement, useMemo } from 'react';
import { createOperatorClient } from '../api/clients.js';
import type { OperatorSession } from '../session/session.js';
import { Bell } from './bell.js';
import { useOperatorNotices } from './operator-notices.js';

/** The frame asks for itself: there may be no page in it that does. */
export function OperatorBell({ session }: { readonly session: OperatorSession }): ReactElement {
  const client = useMemo(() => createOperatorClient(session), [session]);
  return <Bell side="operator" notices={useOperatorNotices(client)} />;
}
