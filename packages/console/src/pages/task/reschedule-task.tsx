import { Alert, Group, Modal, Stack } from '@mantine/core';
import type { TaskDetail } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { nameZone, readMomentField, writeMomentField } from '../../format/moment.js';
import { Button } from '../../parts/controls/button.js';
import { TextField } from '../../parts/forms/field.js';
import { ProblemText } from '../../parts/layout/states.js';
import { usePreferences } from '../../preferences.js';
import { useWords } from '../../words/say.js';

/** Another time for a task of which nothing was sent yet. */
export function RescheduleTask({ task }: { readonly task: TaskDetail }): ReactElement | null {
  const say = useWords();
  const [isOpen, setOpen] = useState(false);
  if (task.stage !== 'queued' && task.stage !== 'prepared') return null;
  return (
    <>
      <Button look="bordered" onClick={() => setOpen(true)}>
        {say('task.reschedule')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={say('task.reschedule')}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {isOpen && <TimeForm task={task} onDone={() => setOpen(false)} />}
      </Modal>
    </>
  );
}

function TimeForm({ task, onDone }: { readonly task: TaskDetail; readonly onDone: () => void }): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const { zone } = usePreferences();
  const [text, setText] = useState(() => writeMomentField(task.send_at ?? undefined, zone));
  const at = readMomentField(text, zone);
  const isPast = at !== undefined && Date.parse(at) <= Date.now();
  const save = useMutation({
    mutationFn: () => client.rescheduleTask(task.task_no, at ?? new Date().toISOString()),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <Stack>
      <TextField
        type="datetime-local"
        label={`${say('compose.sendAt')} (${nameZone(zone, Date.now())})`}
        description={say('compose.sendAtHint')}
        error={isPast ? say('compose.past') : undefined}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {save.error !== null && (
        <Alert color="red" role="alert">
          <ProblemText error={save.error} />
        </Alert>
      )}
      <Group justify="flex-end">
        <Button look="bordered" onClick={onDone}>
          {say('action.back')}
        </Button>
        <Button disabled={isPast} isBusy={save.isPending} onClick={() => save.mutate()}>
          {say('form.save')}
        </Button>
      </Group>
    </Stack>
  );
}
