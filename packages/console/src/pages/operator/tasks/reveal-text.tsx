// The text of a number with its code. Each look is written into the audit log.

import { Alert, Stack } from '@mantine/core';
import type { OperatorTaskDetail, RevealedText } from '@postrider/client';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { Button } from '../../../parts/controls/button.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { ProblemText } from '../../../parts/layout/states.js';
import { useWords } from '../../../words/say.js';

export function RevealText({ task }: { readonly task: OperatorTaskDetail }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const reveal = useMutation({ mutationFn: (seq: number) => operator.revealTask(task.task_no, { seq }) });
  return (
    <Stack gap="xs" align="flex-start">
      <span className="soft">{say('reveal.hidden')}</span>
      {reveal.data === undefined &&
        (task.variable_values === null ? (
          <FormDialog
            label={say('reveal.show')}
            isCompact
            fields={[{ name: 'seq', label: say('reveal.seq'), kind: 'number', isRequired: true }]}
            initial={{ seq: 1 }}
            onSubmit={({ seq }) => reveal.mutateAsync(seq as number)}
          />
        ) : (
          <Button look="bordered" size="small" isBusy={reveal.isPending} onClick={() => reveal.mutate(1)}>
            {say('reveal.show')}
          </Button>
        ))}
      {reveal.error !== null && (
        <Alert color="red" role="alert">
          <ProblemText error={reveal.error} />
        </Alert>
      )}
      {reveal.data !== undefined && <Revealed shown={reveal.data} />}
    </Stack>
  );
}

function Revealed({ shown: { seq, text } }: { readonly shown: RevealedText }): ReactElement {
  const say = useWords();
  return (
    <Alert color="yellow" title={say('reveal.shown', { seq })} role="status">
      {text ?? '–'}
    </Alert>
  );
}
