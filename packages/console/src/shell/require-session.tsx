// Pages that need a session. Without one, the sign-in form is shown at the same address, and then the page.

import { Outlet } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import {
  CustomerClientContext,
  createCustomerClient,
  createOperatorClient,
  OperatorClientContext,
} from '../api/clients.js';
import { useIsIdentified } from '../api/identity.js';
import { SignInPage } from '../pages/sign-in/sign-in-page.js';
import { LoadingState } from '../parts/layout/states.js';
import { lastView, useSessions } from '../session/session.js';
import { EndedView } from './view-banner.js';

export function RequireCustomer(): ReactElement {
  const { customer } = useSessions();
  const client = useMemo(() => customer && createCustomerClient(customer), [customer]);
  const view = lastView();
  if (client === undefined) return view === undefined ? <SignInPage askedFor="customer" /> : <EndedView view={view} />;
  return (
    <CustomerClientContext value={client}>
      <Outlet />
    </CustomerClientContext>
  );
}

export function RequireOperator(): ReactElement {
  const { operator } = useSessions();
  const client = useMemo(() => operator && createOperatorClient(operator), [operator]);
  if (client === undefined) return <SignInPage askedFor="operator" />;
  return (
    <OperatorClientContext value={client}>
      <IdentifiedPages />
    </OperatorClientContext>
  );
}

function IdentifiedPages(): ReactElement {
  return useIsIdentified() ? <Outlet /> : <LoadingState lines={8} />;
}
