// A button for irreversible or immediate actions: asks for confirmation first.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.js';
import { ProblemText } from '../layout/states.js';
import { ConfirmDialog } from './confirm-dialog.js';

export interface ConfirmButtonProps {
  readonly label: string;
  /** The same with what it is about. */
  readonly title: string;
  readonly hint: string;
  /** In a row of a table. */
  readonly isCompact?: boolean;
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmButton({ label, title, hint, isCompact = false, onConfirm }: ConfirmButtonProps): ReactElement {
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const act = useMutation({ mutationFn: onConfirm, onSettled: () => queryClient.invalidateQueries() });
  return (
    <>
      {act.error !== null && <ProblemText error={act.error} />}
      <Button
        look="bordered"
        size={isCompact ? 'small' : 'usual'}
        isBusy={act.isPending}
        onClick={() => setAsked(true)}
      >
        {label}
      </Button>
      <ConfirmDialog
        title={isAsked ? title : undefined}
        hint={hint}
        confirm={label}
        isDangerous
        onClose={() => setAsked(false)}
        onConfirm={() => act.mutate()}
      />
    </>
  );
}
