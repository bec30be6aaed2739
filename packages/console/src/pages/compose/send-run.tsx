// Sends in batches, with a progress bar. After an interruption it continues where it stopped, because the ids are the same.

import { Alert, Progress, Stack } from '@mantine/core';
import { type PostriderClient, PostriderError, type SendRequest, type SentTask, type Task } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useState } from 'react';
import { createPatientClient } from '../../api/clients.js';
import { Button } from '../../parts/controls/button.js';
import { ConfirmDialog } from '../../parts/forms/confirm-dialog.js';
import { ProblemText } from '../../parts/layout/states.js';
import { useSessions } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { forgetDraft } from './kept-draft.js';
import { keepLastTemplate } from './last-template.js';
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
      if (customer === undefined) throw new Error('not signed in');
      const client = createPatientClient(customer);
      const bodies = await planSend(draft);
      const tasks: Task[] = [];
      let replayed = 0;
      setProgress({ done: 0, all: bodies.length });
      for (const body of bodies) {
        const sent = await sendOnce(client, body);
        tasks.push(sent.task);
        if (sent.replayed) replayed += 1;
        setProgress({ done: tasks.length, all: bodies.length });
      }
      return { tasks, batchId: bodies[0]?.batch_id, replayed };
    },
    onSuccess: () => {
      keepLastTemplate(draft.templateNo);
      if (customer !== undefined) forgetDraft(customer);
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  return { run, progress };
}

/** The task that has the id of this request already. It has the same content, and other steps: it was saved for review, or sent. */
class AlreadyThereError extends Error {
  override readonly name = 'AlreadyThereError';
  readonly task: Task;

  constructor(task: Task) {
    super('the id of the request is in use');
    this.task = task;
  }
}

async function sendOnce(client: PostriderClient, body: SendRequest): Promise<SentTask> {
  try {
    return await client.sendOrReplay(body);
  } catch (error) {
    const isTaken = error instanceof PostriderError && error.code === 'idempotency_conflict';
    const task = isTaken && (await client.findTask(body.client_request_id ?? ''));
    if (task) throw new AlreadyThereError(task);
    throw error;
  }
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
      {run.error instanceof AlreadyThereError && <AlreadyThere task={run.error.task} />}
      {run.error !== null && !(run.error instanceof AlreadyThereError) && (
        <Alert color="red" title={say('compose.failed')} role="alert">
          <ProblemText error={run.error} />
          {done > 0 && <p>{say('compose.again', { done, all })}</p>}
        </Alert>
      )}
      {run.data !== undefined && <SentNote sent={run.data} />}
    </Stack>
  );
}

function AlreadyThere({ task }: { readonly task: Task }): ReactElement {
  const say = useWords();
  const isSaved = !task.auto_submit && (task.stage === 'queued' || task.stage === 'prepared');
  return (
    <Alert color="yellow" role="alert">
      {say(isSaved ? 'compose.saved' : 'compose.used')}{' '}
      <TaskOrBatch task={task} batchId={task.batch_id ?? undefined}>
        {isSaved ? say('compose.openSaved') : undefined}
      </TaskOrBatch>
    </Alert>
  );
}

interface TaskOrBatchProps {
  readonly task: Task | undefined;
  readonly batchId: string | undefined;
  readonly children?: ReactNode;
}

/** Leads to what was accepted. */
function TaskOrBatch({ task, batchId, children }: TaskOrBatchProps): ReactElement | null {
  const say = useWords();
  if (batchId !== undefined) {
    return (
      <Link to="/batches/$batchId" params={{ batchId }}>
        {children ?? say('compose.watchBatch')}
      </Link>
    );
  }
  if (task === undefined) return null;
  return (
    <Link to="/tasks/$taskNo" params={{ taskNo: task.task_no }}>
      {children ?? say('compose.watch')}
    </Link>
  );
}

function SentNote({ sent }: { readonly sent: Sent }): ReactElement {
  const say = useWords();
  const { tasks, batchId, replayed } = sent;
  const wasSentBefore = replayed === tasks.length;
  const isDraft = tasks.every(({ auto_submit: isSubmitted }) => !isSubmitted);
  const text = wasSentBefore ? 'compose.replayed' : isDraft ? 'compose.savedNow' : 'compose.accepted';
  return (
    <Alert color={wasSentBefore ? 'yellow' : 'green'} role="status">
      {say(wasSentBefore && isDraft ? 'compose.saved' : text, { count: tasks.length })}{' '}
      <TaskOrBatch task={tasks[0]} batchId={batchId}>
        {isDraft ? say('compose.openSaved') : undefined}
      </TaskOrBatch>
    </Alert>
  );
}
