// What can be done with a task as it stands. Each button says what it will do and cost before it does it.

import { Alert, Group, Modal, Stack } from '@mantine/core';
import { isFinished, type TaskDetail } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactElement, useState } from 'react';
import { showAmount } from '../../format/money.js';
import { Button } from '../../parts/controls/button.js';
import { ProblemText } from '../../parts/layout/states.js';
import { type Say, useWords } from '../../words/say.js';

export type Action = 'prepare' | 'freeze' | 'submit' | 'pause' | 'resume' | 'cancel';

function listActions(task: TaskDetail, canHurry: boolean): Action[] {
  if (isFinished(task)) return [];
  const { stage, accounting_state: accounting, counts, waits_for: waitsFor } = task;
  const isUnfrozen = accounting === 'none' || accounting === 'insufficient_funds';
  // A service that says what a task waits for can also pause it.
  const canPause = waitsFor !== undefined && counts.unsent > 0;
  const actions: (Action | false)[] = [
    stage === 'queued' && (canHurry || !task.auto_prepare) && 'prepare',
    stage === 'prepared' && isUnfrozen && 'freeze',
    stage === 'prepared' && accounting === 'frozen' && waitsFor !== 'send_at' && waitsFor !== 'resume' && 'submit',
    canPause && waitsFor !== 'resume' && 'pause',
    canPause && waitsFor === 'resume' && 'resume',
    counts.unsent > 0 && 'cancel',
  ];
  return actions.filter((action) => action !== false);
}

function explain(action: Action, task: TaskDetail, say: Say): string {
  const { total, unsent } = task.counts;
  const price = task.amounts.price ?? undefined;
  const text = say(`action.${action}Hint`, { total, unsent });
  if (action !== 'freeze' || price === undefined) return text;
  return `${text} ${say('action.freezePrice', { amount: showAmount(price, task.amounts.currency) })}`;
}

interface TaskActionsProps {
  readonly task: TaskDetail;
  readonly onMove: (action: Action) => Promise<unknown>;
  /** A task that is prepared automatically later may be prepared now. */
  readonly canHurry?: boolean;
  /** In place of reserving money that is not there. */
  readonly insteadOfFreeze?: ReactElement | undefined;
}

export function TaskActions({ task, onMove, canHurry = false, insteadOfFreeze }: TaskActionsProps): ReactElement {
  const say = useWords();
  const queryClient = useQueryClient();
  const [action, setAction] = useState<Action>();
  const move = useMutation({
    mutationFn: onMove,
    onSuccess: () => setAction(undefined),
    // Also after a refusal: the task may have changed meanwhile.
    onSettled: () => queryClient.invalidateQueries(),
  });
  const close = () => {
    setAction(undefined);
    move.reset();
  };
  return (
    <>
      {listActions(task, canHurry).map((name) =>
        name === 'freeze' && insteadOfFreeze !== undefined ? (
          <Fragment key={name}>{insteadOfFreeze}</Fragment>
        ) : (
          <Button
            key={name}
            look={name === 'cancel' || name === 'pause' ? 'bordered' : 'filled'}
            onClick={() => setAction(name)}
          >
            {say(`action.${name}`)}
          </Button>
        ),
      )}
      <Modal
        opened={action !== undefined}
        onClose={close}
        title={action !== undefined && say(`action.${action}`)}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {action !== undefined && (
          <Stack>
            <span>{explain(action, task, say)}</span>
            {move.error !== null && (
              <Alert color="red" title={say('action.failed')}>
                <ProblemText error={move.error} />
              </Alert>
            )}
            <Group justify="flex-end">
              <Button look="bordered" onClick={close}>
                {say('action.back')}
              </Button>
              <Button isDangerous={action === 'cancel'} isBusy={move.isPending} onClick={() => move.mutate(action)}>
                {say(`action.${action}`)}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
