// Words that no text may contain, and what was rejected for them.

import type { BlockedWordsRequest } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { useMay } from '../../api/identity.js';
import { useCustomerNames } from '../../api/names.js';
import { blockedWordsQuery } from '../../api/operator-lists.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { Card, CardGrid, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { Moment } from '../../parts/values/moment.js';
import { useWords } from '../../words/say.js';
import styles from './operator.module.css';
import { CustomerLink, OperatorTaskLink } from './operator-links.js';
import { RoleNeeded } from './role-needed.js';

export function BlockedWordsPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const { data, error } = useQuery(blockedWordsQuery(operator));
  return (
    <Page
      title={say('nav.blockedWords')}
      lead={say('blockedWords.lead')}
      actions={mayConfigure ? <AddButton /> : <RoleNeeded actions={[[say('blockedWords.add'), 'configure']]} />}
    >
      {data === undefined ? (
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>
      ) : (
        <CardGrid columns={1}>
          <Card title={say('blockedWords.words')}>
            <PlainTable
              label={say('blockedWords.words')}
              none={say('blockedWords.none')}
              rows={data.words.map((list) => ({
                [say('blockedWords.words')]: <span className={styles.text}>{list.words.join(', ')}</span>,
                [say('app.customer')]:
                  list.customer_no === null ? (
                    say('blockedWords.everyone')
                  ) : (
                    <CustomerLink customerNo={list.customer_no} />
                  ),
                [say('blockedWords.added')]: <Moment at={list.created_at} />,
                ' ': mayConfigure && (
                  <ConfirmButton
                    label={say('blockedWords.remove')}
                    title={say('blockedWords.removeOf', { words: list.words.slice(0, 5).join(', ') })}
                    hint={say('blockedWords.removeHint')}
                    isCompact
                    onConfirm={() => operator.removeBlockedWords(list.blocked_word_no)}
                  />
                ),
              }))}
            />
          </Card>
          <Card title={say('blockedWords.hits')}>
            <PlainTable
              label={say('blockedWords.hits')}
              none={say('blockedWords.noHits')}
              rows={data.hits.map((hit) => ({
                [say('blockedWords.word')]: hit.word,
                [say('app.customer')]: <CustomerLink customerNo={hit.customer_no} />,
                [say('record.task')]: <OperatorTaskLink taskNo={hit.task_no} />,
                [say('blockedWords.numbers')]: hit.numbers,
                [say('blockedWords.at')]: <Moment at={hit.at} />,
              }))}
            />
          </Card>
        </CardGrid>
      )}
    </Page>
  );
}

function AddButton(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const customers = useCustomerNames() ?? [];
  return (
    <FormDialog
      label={say('blockedWords.add')}
      isPrimary
      fields={[
        {
          name: 'words',
          label: say('blockedWords.words'),
          hint: say('blockedWords.wordsHint'),
          kind: 'list',
          isRequired: true,
        },
        {
          name: 'customer_no',
          label: say('app.customer'),
          hint: say('blockedWords.customerHint'),
          kind: 'choice',
          choices: customers,
          emptyIs: null,
        },
      ]}
      onSubmit={(body) => operator.addBlockedWords(body as unknown as BlockedWordsRequest)}
    />
  );
}
