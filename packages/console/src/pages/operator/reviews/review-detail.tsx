// What a reviewer needs to know of a template, and the decision. The decision names the text that is shown here: one that its
// customer has changed meanwhile is refused.

import { Alert, Group, Stack } from '@mantine/core';
import type { Review } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { Button } from '../../../parts/controls/button.js';
import { ConfirmDialog } from '../../../parts/forms/confirm-dialog.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Facts } from '../../../parts/layout/page.js';
import { ProblemText } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { TextDiff } from '../../../parts/values/text-diff.js';
import { useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { RoleNeeded } from '../role-needed.js';

interface ReviewDetailProps {
  readonly review: Review;
  readonly onDone: () => void;
}

export function ReviewDetail({ review, onDone }: ReviewDetailProps): ReactElement {
  const say = useWords();
  const { example, approved_body: approvedBody, body, sender, firms, decisions } = review;
  return (
    <Stack>
      <section className={styles.preview} aria-label={say('reviews.example')}>
        <h3>{say('reviews.example')}</h3>
        <ol className={styles.parts}>
          <li>{example.text}</li>
        </ol>
        <p className="soft">
          {say('overview.parts', { count: example.parts })} · {say(`sending.alphabet.${example.encoding}`)}
        </p>
      </section>
      <section className={styles.preview} aria-label={say('reviews.text')}>
        <h3>{say(approvedBody === null ? 'reviews.text' : 'reviews.changes')}</h3>
        <TextDiff before={approvedBody ?? body} after={body} />
      </section>
      <Facts
        facts={[
          [say('class.title'), say(`class.${review.class}`)],
          [say('sending.sender'), sender],
          [say('sending.approved'), firms?.join(', ') ?? say('task.everyFirm')],
          [say('templates.submitted'), <Moment key="submitted" at={review.submitted_at} />],
          [say('tasks.filter.template'), <code key="no">{review.template_no}</code>],
        ]}
      />
      <section className={styles.preview} aria-label={say('reviews.earlier')}>
        <h3>{say('reviews.earlier')}</h3>
        <PlainTable
          label={say('reviews.earlier')}
          none={say('reviews.noEarlier')}
          rows={decisions.map((decision) => ({
            [say('reviews.decision')]: say(`reviews.decision.${decision.decision}`),
            [say('templates.reason')]: <span className={styles.text}>{decision.reason ?? '–'}</span>,
            [say('sending.text')]: <span className={styles.text}>{decision.body}</span>,
            [say('reviews.by')]: decision.reviewed_by,
            [say('templates.reviewed')]: <Moment at={decision.reviewed_at} />,
          }))}
        />
      </section>
      <Decision review={review} onDone={onDone} />
    </Stack>
  );
}

function Decision({ review, onDone }: ReviewDetailProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const queryClient = useQueryClient();
  const mayReview = useMay('configure');
  const [isAsked, setAsked] = useState(false);
  const { customer_no: customerNo, customer_name: customer, template_no: templateNo, name, revision } = review;
  const approve = useMutation({
    mutationFn: () => operator.reviewTemplate(customerNo, templateNo, { decision: 'approved', revision }),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries(),
  });
  if (!mayReview) return <RoleNeeded actions={[[say('reviews.approve'), 'configure']]} />;
  return (
    <>
      {approve.error !== null && (
        <Alert color="red" role="alert">
          <ProblemText error={approve.error} />
        </Alert>
      )}
      <Group justify="flex-end">
        <FormDialog
          label={say('reviews.reject')}
          title={say('reviews.rejectOf', { name })}
          submit={say('reviews.reject')}
          fields={[
            {
              name: 'reason',
              label: say('templates.reason'),
              hint: say('reviews.reasonHint'),
              kind: 'text',
              isRequired: true,
            },
          ]}
          onSubmit={async (body) => {
            const reason = String(body.reason);
            await operator.reviewTemplate(customerNo, templateNo, { decision: 'rejected', reason, revision });
            onDone();
          }}
        />
        <Button isBusy={approve.isPending} onClick={() => setAsked(true)}>
          {say('reviews.approve')}
        </Button>
      </Group>
      <ConfirmDialog
        title={isAsked ? say('reviews.approveOf', { name }) : undefined}
        hint={say('reviews.approveHint', { customer })}
        confirm={say('reviews.approve')}
        onClose={() => setAsked(false)}
        onConfirm={() => approve.mutate()}
      />
    </>
  );
}
