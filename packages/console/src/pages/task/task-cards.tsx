// A task as cards: what it waits for, outcomes, money, stages, request.

import { Alert } from '@mantine/core';
import { isFinished, type TaskDetail, type VariableName } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import type { NameSender, NameTemplate } from '../../api/templates.js';
import type { CountedOutcome } from '../../design/outcomes.js';
import { nameZone, showMoment } from '../../format/moment.js';
import { Card, CardGrid, Facts } from '../../parts/layout/page.js';
import { Copyable } from '../../parts/values/copyable.js';
import { CountsBar, CountsLegend } from '../../parts/values/counts-bar.js';
import { Moment } from '../../parts/values/moment.js';
import { type LinkAmount, MoneySum } from '../../parts/values/money-sum.js';
import { hasSentNothing, StagePill } from '../../parts/values/stage-pill.js';
import { usePreferences } from '../../preferences.js';
import { type Say, sayValue, useWords } from '../../words/say.js';
import { sayDuration } from '../../words/say-duration.js';
import styles from './task.module.css';
import { TaskTimeline } from './task-timeline.js';

interface TaskProps {
  readonly task: TaskDetail;
}

export interface TaskCardsProps extends TaskProps {
  /** Leads from a count to the rows behind it. */
  readonly linkCount?: ((outcome: CountedOutcome, shown: ReactNode) => ReactNode) | undefined;
  readonly linkAmount?: LinkAmount | undefined;
  readonly linkBatch?: ((batchId: string) => ReactNode) | undefined;
  /** Its name beside its number, where the viewer knows it. */
  readonly nameTemplate?: NameTemplate;
  readonly nameSender?: NameSender;
  /** Leads to the page that shows them. */
  readonly linkTemplate?: (templateNo: string, shown: ReactNode) => ReactNode;
  readonly linkSender?: (shown: ReactNode) => ReactNode;
  /** The customer, where it is not the one who looks. */
  readonly whose?: ReactNode;
  /** Shows a code that the text hides, to who may see it. */
  readonly reveal?: ReactNode;
  /** Why its numbers were rejected, where the viewer sees their receipts and nothing was sent. */
  readonly whyRejected?: ReactNode;
  /** How much money it waits for, where the viewer sees the balance. */
  readonly missing?: ((waitsFor: 'funds' | 'limit') => ReactNode) | undefined;
}

export function TaskCards(props: TaskCardsProps): ReactElement {
  const { task, linkCount, linkAmount, missing, whyRejected, reveal } = props;
  const say = useWords();
  return (
    <>
      <TaskNotices task={task} missing={missing} whyRejected={whyRejected} />
      <CardGrid columns={1}>
        <Card title={say('task.outcomes')} side={<Sum task={task} />}>
          <CountsBar of={task} height="0.875rem" />
          <CountsLegend of={task} {...(linkCount && { linkCount })} />
        </Card>
      </CardGrid>
      {task.template_body !== null && (
        <CardGrid columns={1}>
          <Card title={say('task.text')}>
            <p className={styles.text}>{fillBody(task.template_body, task.variable_values)}</p>
            {task.variable_values === null && <p className="soft">{say('task.textsDiffer')}</p>}
            {reveal}
          </Card>
        </CardGrid>
      )}
      <CardGrid columns={[1, 1.25, 1.4]}>
        <Card title={say('task.money')}>
          <MoneySum
            amounts={task.amounts}
            price={task.amounts.price ?? undefined}
            state={say(`accounting.${task.accounting_state}`)}
            linkAmount={linkAmount}
          />
        </Card>
        <Card title={say('task.timeline')}>
          <TaskTimeline task={task} />
        </Card>
        <Card title={say('task.facts')}>
          <TaskFacts {...props} />
        </Card>
      </CardGrid>
    </>
  );
}

/** The text as it was sent. Where each number has its own values, the placeholders stay. */
function fillBody(body: string, values: TaskDetail['variable_values']): string {
  return body.replaceAll(/\{(p\d+)\}/g, (placeholder, name: VariableName) => values?.[name] ?? placeholder);
}

export function TaskHeading({ task }: TaskProps): ReactElement {
  return (
    <>
      {task.title ?? task.client_request_id ?? task.task_no} <StagePill stage={task.stage} />
    </>
  );
}

/** What the stage means. Of a task that was paused on its way it would say that parts are going out. */
export function sayStage(say: Say, { stage, waits_for: waitsFor }: Pick<TaskDetail, 'stage' | 'waits_for'>): string {
  return say(stage === 'submitting' && waitsFor === 'resume' ? 'stageHint.paused' : `stageHint.${stage}`);
}

/** The counts as the sum that they are. */
function Sum({ task }: TaskProps): ReactElement {
  const say = useWords();
  return <span className="soft">{say('state.numbers', { count: task.counts.total })}</span>;
}

function TaskNotices({
  task,
  missing,
  whyRejected,
}: TaskProps & Pick<TaskCardsProps, 'missing' | 'whyRejected'>): ReactElement | null {
  const say = useWords();
  const { language, zone } = usePreferences();
  const { verification, failure, waits_for: waitsFor } = task;
  const waitsUntil = waitsFor === 'send_at' ? task.send_at : waitsFor === 'window' ? task.next_send_at : null;
  const isWaiting = waitsFor !== undefined && waitsFor !== null && waitsFor !== 'receipts' && !isFinished(task);
  return (
    <>
      {failure !== null && (
        <Alert color="red" mb="md">
          {say('task.failure', { reason: sayValue(say, 'problem', failure) })}
        </Alert>
      )}
      {hasSentNothing(task) && (
        <Alert color="red" mb="md">
          {say(task.cancelled === task.counts.total ? 'task.allCancelled' : 'task.nothingSent', {
            count: task.counts.total,
          })}{' '}
          {whyRejected}
        </Alert>
      )}
      {verification !== undefined && (
        <Alert color="yellow" mb="md">
          {say('task.verification', {
            count: verification.unknown,
            deadline: `${showMoment(verification.deadline, language, zone, 'minute')} ${nameZone(zone, Date.parse(verification.deadline))}`,
          })}
        </Alert>
      )}
      {isWaiting && waitsFor !== 'verification' && (
        <Alert color={waitsFor === 'funds' ? 'orange' : 'blue'} mb="md">
          {sayValue(say, 'waits', waitsFor)}
          {(waitsFor === 'funds' || waitsFor === 'limit') && <> {missing?.(waitsFor)}</>}
          {waitsUntil && (
            <>
              {': '}
              <Moment at={waitsUntil} style="minute" /> {nameZone(zone, Date.parse(waitsUntil))}
            </>
          )}
        </Alert>
      )}
      {waitsFor === undefined && task.accounting_state === 'insufficient_funds' && (
        <Alert color="orange" mb="md">
          {say('waits.funds')}
        </Alert>
      )}
    </>
  );
}

/** What people call it, which leads to it, and its number. */
function TemplateName({ task: { template_no: no }, nameTemplate, linkTemplate }: TaskCardsProps): ReactElement {
  const name = nameTemplate?.(no) ?? no;
  const shown = name === no ? <span className="mono">{no}</span> : name;
  return (
    <>
      {linkTemplate === undefined ? shown : linkTemplate(no, shown)}
      {name !== no && <span className="mono"> {no}</span>}
    </>
  );
}

/** Its name and what recipients see: the number it comes from, and the signature. */
function SenderLine({ task: { service_account_no: no }, nameSender, linkSender }: TaskCardsProps): ReactElement {
  const known = nameSender?.(no);
  const shown = known === undefined ? <span className="mono">{no}</span> : `${known.name} (${known.sender})`;
  return (
    <>
      {linkSender === undefined ? shown : linkSender(shown)}
      {known !== undefined && known.signature !== null && ` 【${known.signature}】`}
      {known !== undefined && <span className="mono"> {no}</span>}
    </>
  );
}

function TaskFacts(props: TaskCardsProps): ReactElement {
  const { task, linkBatch = (batchId: string) => batchId, whose } = props;
  const say = useWords();
  const steps = [
    task.auto_prepare && say('action.prepare'),
    task.auto_freeze && say('action.freeze'),
    task.auto_submit && say('action.submit'),
  ].filter((step) => step !== false);
  const spentMs = task.completed_at === null ? null : Date.parse(task.completed_at) - Date.parse(task.created_at);
  return (
    <Facts
      facts={[
        [say('app.customer'), whose],
        [say('task.number'), <Copyable key="no" value={task.task_no} name={say('task.number')} />],
        [
          say('task.requestId'),
          task.client_request_id && <Copyable key="id" value={task.client_request_id} name={say('task.requestId')} />,
        ],
        [say('task.template'), <TemplateName key="template" {...props} />],
        [say('class.title'), say(`class.${task.class}`)],
        [say('task.serviceAccount'), <SenderLine key="account" {...props} />],
        [say('task.firms'), task.target_firms.length === 0 ? say('task.everyFirm') : task.target_firms.join(', ')],
        [say('task.batch'), task.batch_id && linkBatch(task.batch_id)],
        [say('task.automation'), steps.length === 0 ? say('task.automation.none') : steps.join(' → ')],
        [say('task.sendAt'), task.send_at && <Moment key="send" at={task.send_at} />],
        [say('task.expiresAt'), task.expires_at && <Moment key="expires" at={task.expires_at} />],
        [say('task.created'), <Moment key="created" at={task.created_at} />],
        [say('task.completed'), task.completed_at && <Moment key="completed" at={task.completed_at} />],
        [say('task.duration'), spentMs === null ? null : sayDuration(say, spentMs)],
      ]}
    />
  );
}
