// One task as the operator sees it: where it stands and why, whose it is, and what can be done with it.

import { Alert } from '@mantine/core';
import type { MoneyRequest, OperatorTaskDetail } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { useSendingNames } from '../../../api/names.js';
import { pollTask } from '../../../api/poll-task.js';
import { PAGE_SIZE } from '../../../api/rows.js';
import { findMissing, showAmount, trimAmount } from '../../../format/money.js';
import { ButtonLink } from '../../../parts/controls/button.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { BackLink } from '../../../parts/layout/back-link.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText } from '../../../parts/layout/states.js';
import { MissingFunds } from '../../../parts/values/missing-money.js';
import { useWords } from '../../../words/say.js';
import { sayReason } from '../../../words/say-reason.js';
import { sayWhat } from '../../../words/say-set-aside.js';
import { ROWS_BEHIND } from '../../task/rows-behind.js';
import { TaskActions } from '../../task/task-actions.js';
import { sayStage, TaskCards, type TaskCardsProps, TaskHeading } from '../../task/task-cards.js';
import { creditFields } from '../money/credit-fields.js';
import { CustomerLink } from '../operator-links.js';
import { RoleNeeded } from '../role-needed.js';
import { useView, type ViewedPage, ViewLink } from '../view.js';
import { ViewButton } from '../view-button.js';
import { RevealText } from './reveal-text.js';

export function OperatorTaskPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayMove = useMay('move');
  const mayView = useMay('view');
  const mayCredit = useMay('credit');
  const mayResolve = useMay('resolve');
  const { taskNo = '' } = useParams({ strict: false });
  const { data, error } = useQuery({
    queryKey: ['operator-task', taskNo],
    // Together, so that the page is drawn once.
    queryFn: async ({ signal }) => {
      const [task, held] = await Promise.all([
        operator.task(taskNo, { signal }),
        operator.setAside({ pageSize: PAGE_SIZE, signal }).page(),
      ]);
      const payer = lacksFunds(task) ? await operator.customer(task.customer_no ?? '', { signal }) : undefined;
      return { task, payer, held: held.items.filter((item) => item.task_no === taskNo) };
    },
    refetchInterval: ({ state }) => pollTask(state.data?.task),
  });
  const view = useView();
  const names = useSendingNames(data?.task.customer_no ?? null);
  if (data === undefined) {
    return (
      <Page title={taskNo} above={<BackLink to="/operator/tasks">{say('task.back')}</BackLink>}>
        <Card>{error === null ? <LoadingState lines={6} /> : <FailureState error={error} />}</Card>
      </Page>
    );
  }
  const { task, payer, held } = data;
  const { customer_no: customerNo } = task;
  const canView = mayView && customerNo !== null;
  const openView = (page: Omit<ViewedPage, 'customerNo'>, shown: ReactNode) => (
    <ViewLink view={view} page={{ ...page, customerNo: customerNo ?? '' }}>
      {shown}
    </ViewLink>
  );
  const to = `/tasks/${task.task_no}`;
  const ways: Pick<TaskCardsProps, 'linkCount' | 'linkAmount' | 'linkBatch'> = {
    linkCount: (outcome, shown) => openView({ to, search: ROWS_BEHIND[outcome], hash: 'records' }, shown),
    linkAmount: (entries, shown) => openView({ to: '/ledger', search: { task_no: task.task_no, ...entries } }, shown),
    linkBatch: (batchId) => openView({ to: `/batches/${encodeURIComponent(batchId)}` }, batchId),
  };
  const { rejected_with: code } = task;
  const price = task.amounts.price ?? undefined;
  const means = payer && { available: payer.account.available, credit_limit: payer.credit_limit };
  const missing = means && price !== undefined ? findMissing(price, means) : undefined;
  const topUp =
    mayCredit && payer !== undefined && missing !== undefined ? (
      <FormDialog
        label={say('credits.topUpSum', { amount: showAmount(missing, payer.currency) })}
        title={say('credits.topUpOf', { name: payer.name })}
        submit={say('credits.topUp')}
        isPrimary
        fields={creditFields(say, payer.currency)}
        initial={{ amount: trimAmount(missing) }}
        onSubmit={(body) => operator.topUp(payer.customer_no, body as unknown as MoneyRequest)}
      />
    ) : undefined;
  return (
    <Page
      title={task.title ?? task.client_request_id ?? task.task_no}
      heading={<TaskHeading task={task} />}
      lead={sayStage(say, task)}
      above={<BackLink to="/operator/tasks">{say('task.back')}</BackLink>}
      actions={
        <>
          {canView && <ViewButton customerNo={customerNo} to={to} />}
          {mayResolve && task.counts.unknown > 0 && (
            <ButtonLink to="/operator/unknown" search={{ task_no: task.task_no }}>
              {say('unknownPage.resolve')}
            </ButtonLink>
          )}
          {mayMove ? (
            <TaskActions
              task={task}
              canHurry
              onMove={(action) => operator.moveTask(task.task_no, action)}
              insteadOfFreeze={topUp}
            />
          ) : (
            topUp
          )}
          <RoleNeeded
            actions={[
              [say('view.start'), 'view'],
              [say('needs.move'), 'move'],
            ]}
          />
        </>
      }
    >
      {held.map((item) => (
        <Alert key={`${item.kind} ${item.node}`} color="red" mb="md" title={sayWhat(say, item)}>
          <code>{item.reason}</code>
        </Alert>
      ))}
      {view.error !== null && (
        <Alert color="red" mb="md" role="alert">
          <ProblemText error={view.error} />
        </Alert>
      )}
      <TaskCards
        task={task}
        missing={() =>
          means && price !== undefined && <MissingFunds price={price} means={means} currency={task.amounts.currency} />
        }
        whyRejected={
          code !== null &&
          say('task.rejectedFor', { reason: sayReason(say, { code, result: 'rejected', description: code }) })
        }
        reveal={mayView && task.class === 'otp' && <RevealText task={task} />}
        whose={<CustomerLink customerNo={customerNo} />}
        {...names}
        {...(customerNo !== null && linkSending(customerNo))}
        {...(canView && ways)}
      />
    </Page>
  );
}

/** Where the customer's page shows its senders and templates. */
function linkSending(customerNo: string): Pick<TaskCardsProps, 'linkTemplate' | 'linkSender'> {
  const link = (hash: string, shown: ReactNode) => (
    <Link to="/operator/customers/$customerNo" params={{ customerNo }} search={{ tab: 'sending' }} hash={hash}>
      {shown}
    </Link>
  );
  return { linkTemplate: (_no, shown) => link('templates', shown), linkSender: (shown) => link('senders', shown) };
}

/** Its money is to be reserved and is not there. */
function lacksFunds({ customer_no: customerNo, stage, accounting_state: accounting }: OperatorTaskDetail): boolean {
  return customerNo !== null && stage === 'prepared' && (accounting === 'none' || accounting === 'insufficient_funds');
}
