import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { ProblemText } from '../../parts/states.js';
import { isKept, signIn } from '../../session/session.js';
import { useWords } from '../../words/say.js';

interface ViewButtonProps {
  readonly customerNo: string;
  /** The page of the customer to begin with. */
  readonly to?: string;
  /** What is seen there, where it is not everything. */
  readonly label?: string;
  /** In a row of a table. */
  readonly isCompact?: boolean;
}

/** Opens the console as this customer sees it, in this tab. */
export function ViewButton({ customerNo, to = '/overview', label, isCompact = false }: ViewButtonProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const navigate = useNavigate();
  const { history } = useRouter();
  const queryClient = useQueryClient();
  const view = useMutation({
    mutationFn: () => operator.viewCustomer(customerNo),
    onSuccess: async ({ token, name, expires_at: expiresAt }) => {
      const from = history.location.href;
      signIn({ customer: { viewToken: token, customerNo, name, expiresAt, from } }, isKept('operator'));
      // What was loaded of another customer. What this page shows stays, or it would ask for it once more on its way out.
      queryClient.removeQueries({ type: 'inactive' });
      await navigate({ to });
    },
  });
  return (
    <>
      {view.error !== null && <ProblemText error={view.error} />}
      <Button
        variant="default"
        size={isCompact ? 'compact-sm' : 'sm'}
        loading={view.isPending}
        onClick={() => view.mutate()}
      >
        {label ?? say('view.start')}
      </Button>
    </>
  );
}
