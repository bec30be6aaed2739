// Templates that wait for review, oldest first.

import { Modal, UnstyledButton } from '@mantine/core';
import type { Review } from '@postrider/client';
import { type ReactElement, useMemo, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { REVIEW_FILTERS, reviewsOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { FilterBar, NothingFound, useFilters } from '../../../parts/forms/filters.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { type Say, useWords } from '../../../words/say.js';
import { ClassFilter } from '../../task/class-filter.js';
import styles from '../operator.module.css';
import { CustomerFilter } from '../operator-filters.js';
import { CustomerLink } from '../operator-links.js';
import { ReviewDetail } from './review-detail.js';

const ROW_HEIGHT = 60;

function columnsOf(say: Say, onOpen: (review: Review) => void): readonly Column<Review>[] {
  return [
    {
      id: 'name',
      title: say('tasks.filter.template'),
      width: 'minmax(0, 2.4fr)',
      narrowWidth: 'minmax(0, 2fr)',
      render: (review) => (
        <UnstyledButton className={styles.opener} onClick={() => onOpen(review)}>
          <strong>{review.name}</strong>
          <span className="soft" title={review.example.text}>
            {review.example.text}
          </span>
        </UnstyledButton>
      ),
    },
    {
      id: 'customer',
      title: say('app.customer'),
      width: 'minmax(8rem, 0.8fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ customer_no }) => <CustomerLink customerNo={customer_no} />,
    },
    {
      id: 'class',
      title: say('class.title'),
      width: 'minmax(5rem, 0.5fr)',
      isWideOnly: true,
      render: (review) => say(`class.${review.class}`),
    },
    {
      id: 'submitted',
      title: say('templates.submitted'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ submitted_at }) => <Moment at={submitted_at} />,
    },
  ];
}

export function ReviewsPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const filters = useFilters(REVIEW_FILTERS);
  const [chosen, setChosen] = useState<Review>();
  const columns = useMemo(() => columnsOf(say, setChosen), [say]);
  const source = useRows(reviewsOf(operator, filters.values));
  return (
    <Page title={say('nav.reviews')} lead={say('reviews.lead')}>
      <FilterBar filters={filters}>
        <CustomerFilter filters={filters} />
        <ClassFilter filters={filters} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.reviews')}
          columns={columns}
          source={source}
          keyOf={({ template_no }) => template_no}
          rowHeight={ROW_HEIGHT}
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say('reviews.none')} hint={say('reviews.noneHint')} />
            </NothingFound>
          }
        />
      </Card>
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        size="xl"
        title={chosen && `${chosen.name} · ${chosen.customer_name}`}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && <ReviewDetail review={chosen} onDone={() => setChosen(undefined)} />}
      </Modal>
    </Page>
  );
}
