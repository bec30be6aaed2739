// How long history is kept, month by month, and what the last run deleted. The setting is the service's: nothing is changed here.

import type { Retention, RetentionMonth } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { retentionQuery } from '../../../api/operator-lists.js';
import { Card, CardGrid, Facts, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { type Say, useWords } from '../../../words/say.js';
import { RowCounts } from './row-counts.js';
import { showBytes } from './show-bytes.js';

const REFRESH_MS = 10_000;

export function RetentionPage(): ReactElement {
  const say = useWords();
  const { data, error } = useQuery({
    ...retentionQuery(useOperator()),
    refetchInterval: ({ state }) => state.data?.last_run?.state === 'running' && REFRESH_MS,
  });
  return (
    <Page title={say('nav.retention')} lead={say('retention.lead')}>
      {data === undefined ? (
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} mayBeMissing />}</Card>
      ) : (
        <CardGrid columns={1}>
          <Summary retention={data} />
          <Card title={say('retention.months')}>
            <PlainTable
              label={say('retention.months')}
              none={say('retention.none')}
              figures={[say('retention.size')]}
              rows={data.months.map((month) => ({
                [say('retention.month')]: month.month,
                [say('field.status')]: <MonthState month={month} />,
                [say('retention.ends')]:
                  month.ends_at === null ? say('retention.never') : <Moment at={month.ends_at} style="minute" />,
                [say('retention.records')]: month.records,
                [say('retention.size')]: month.state === 'ended' ? null : showBytes(month.bytes),
              }))}
            />
            <p className="soft">{say('retention.estimate')}</p>
          </Card>
        </CardGrid>
      )}
    </Page>
  );
}

function Summary({ retention: { kept_days, last_run } }: { readonly retention: Retention }): ReactElement {
  const say = useWords();
  return (
    <Card>
      <Facts
        facts={[
          [
            say('retention.kept'),
            kept_days === null ? say('retention.forever') : say('retention.days', { count: kept_days }),
          ],
          [say('retention.stays'), say('retention.staysList')],
          [
            say('retention.lastRun'),
            last_run === null ? say('retention.noRun') : say('retention.upTo', { month: last_run.month }),
          ],
          [say('field.status'), last_run && <StatusLabel status={last_run.state} />],
          [say('erasures.done'), last_run && <Moment at={last_run.ended_at} />],
          [say('retention.deleted'), last_run && <RowCounts counts={last_run.deleted} />],
        ]}
      />
    </Card>
  );
}

function MonthState({ month }: { readonly month: RetentionMonth }): ReactElement {
  const say = useWords();
  return (
    <div className="nowrap">
      <StatusLabel status={`month_${month.state}`} />
      {month.state === 'open' && <div className="soft">{sayOpen(say, month)}</div>}
    </div>
  );
}

function sayOpen(say: Say, { open_tasks, unsummed_customers }: RetentionMonth): string {
  return open_tasks > 0
    ? say('retention.openTasks', { count: open_tasks })
    : say('retention.unsummed', { count: unsummed_customers });
}
