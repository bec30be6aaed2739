// Sending, piece by piece, with a bar. Stopped half-way and begun again, it goes on where it was: the ids are the same.

import { Alert, Progress, Stack } from '@mantine/core';
import type { Task } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { createPatientClient } from '../../api/clients.js';
import { Button } from '../../parts/forms/button.js';
import { ConfirmDialog } from '../../parts/forms/confirm-dialog.js';
import { ProblemText } from '../../parts/layout/states.js';
import { useSessions } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { type Draft, planSend } from './send-plan.js';

interface Sent {
  readonly tasks: readonly Task[];
  readonly batchId: string | undefined;
  /** How many had been sent before. */
  readonly replayed: number;
}

export function useSendRun(draft: Draft) {
  const { customer } = useSessions();
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState({ done: 0, all: 0 });
  const run = useMutation({
    mutationFn: async (): Promise<Sent> => {
      if (customer === undefined) throw new Error('nobody is signed in');
      const client = createPatientClient(customer);
      const bodies = await planSend(draft);
      const tasks: Task[] = [];
      let replayed = 0;
      setProgress({ done: 0, all: bodies.length });
      for (const body of bodies) {
        const sent = await client.sendOrReplay(body);
        tasks.push(sent.task);
        if (sent.replayed) replayed += 1;
        setProgress({ done: tasks.length, all: bodies.length });
      }
      return { tasks, batchId: bodies[0]?.batch_id, replayed };
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  return { run, progress };
}

interface SendRunProps {
  readonly send: ReturnType<typeof useSendRun>;
  readonly isReady: boolean;
  readonly label: string;
  /** What is asked before the first request; undefined where nothing goes out yet. */
  readonly question: string | undefined;
  /** Called with the question, which needs a price of now. */
  readonly onAsk: () => void;
}

export function SendRun({ send: { run, progress }, isReady, label, question, onAsk }: SendRunProps): ReactElement {
  const say = useWords();
  const [isAsked, setAsked] = useState(false);
  const { done, all } = progress;
  const begin = () => {
    if (question === undefined) run.mutate();
    else {
      onAsk();
      setAsked(true);
    }
  };
  return (
    <Stack>
      <Button size="tall" disabled={!isReady && !isAsked} isBusy={run.isPending} onClick={begin}>
        {label}
      </Button>
      <ConfirmDialog
        title={isAsked ? label : undefined}
        hint={question}
        confirm={say('compose.submit')}
        isReady={isReady}
        onClose={() => setAsked(false)}
        onConfirm={() => run.mutate()}
      />
      {run.isPending && all > 1 && (
        <Progress value={(done / all) * 100} aria-label={say('compose.progress', { done, all })} />
      )}
      {run.isPending && all > 1 && (
        <span className="soft" role="status">
          {say('compose.progress', { done, all })}
        </span>
      )}
      {run.error !== null && (
        <Alert color="red" title={say('compose.failed')} role="alert">
          <ProblemText error={run.error} />
          {done > 0 && <p>{say('compose.again', { done, all })}</p>}
        </Alert>
      )}
      {run.data !== undefined && <SentNote sent={run.data} />}
    </Stack>
  );
}

function SentNote({ sent }: { readonly sent: Sent }): ReactElement {
  const say = useWords();
  const { tasks, batchId, replayed } = sent;
  const first = tasks[0];
  const wasSentBefore = replayed === tasks.length;
  return (
    <Alert color={wasSentBefore ? 'yellow' : 'green'} role="status">
      {say(wasSentBefore ? 'compose.replayed' : 'compose.accepted', { count: tasks.length })}{' '}
      {batchId !== undefined ? (
        <Link to="/batches/$batchId" params={{ batchId }}>
          {say('compose.watchBatch')}
        </Link>
      ) : (
        first !== undefined && (
          <Link to="/tasks/$taskNo" params={{ taskNo: first.task_no }}>
            {say('compose.watch')}
          </Link>
        )
      )}
    </Alert>
  );
}
