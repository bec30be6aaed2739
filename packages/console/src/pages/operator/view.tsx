// Looking on as a customer does. The service writes into the audit log who looked at whom, whichever way led there.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useOperator } from '../../api/clients.js';
import { isKept, signIn } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import styles from './operator.module.css';

/** A page of the customer, with what is chosen on it. */
export interface ViewedPage {
  readonly customerNo: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly hash?: string;
}

export interface View {
  readonly isPending: boolean;
  readonly error: Error | null;
  open(page: ViewedPage): void;
}

/** Opens the console as a customer sees it, in this tab. */
export function useView(): View {
  const operator = useOperator();
  const navigate = useNavigate();
  const { history } = useRouter();
  const queryClient = useQueryClient();
  const view = useMutation({
    mutationFn: ({ customerNo }: ViewedPage) => operator.viewCustomer(customerNo),
    onSuccess: async ({ token, name, expires_at: expiresAt }, { customerNo, ...page }) => {
      const from = history.location.href;
      signIn({ customer: { viewToken: token, customerNo, name, expiresAt, from } }, isKept('operator'));
      // What was loaded of another customer. What this page shows stays, or it would ask for it once more on its way out.
      queryClient.removeQueries({ type: 'inactive' });
      await navigate(page);
    },
  });
  return { isPending: view.isPending, error: view.error, open: view.mutate };
}

interface ViewLinkProps {
  readonly view: View;
  readonly page: ViewedPage;
  readonly children: ReactNode;
}

/** From a figure to the rows behind it, which only the customer's own pages have. A button, for it is written down that it was pressed. */
export function ViewLink({ view, page, children }: ViewLinkProps): ReactElement {
  const say = useWords();
  return (
    <button
      type="button"
      className={styles.look}
      title={say('view.start')}
      disabled={view.isPending}
      onClick={() => view.open(page)}
    >
      {children}
    </button>
  );
}
