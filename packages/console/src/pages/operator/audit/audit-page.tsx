import { Modal, Stack, UnstyledButton } from '@mantine/core';
import type { AuditEntry } from '@postrider/client';
import { type ReactElement, useMemo, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { AUDIT_FILTERS, auditOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { showMoment } from '../../../format/moment.js';
import {
  ChoiceFilter,
  DayFilter,
  FilterBar,
  NothingFound,
  TextFilter,
  useFilters,
} from '../../../parts/forms/filters.js';
import { Card, Facts, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { ListTools, useShownColumns } from '../../../parts/tables/list-tools.js';
import { BELOW_FILTERS, type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { usePreferences } from '../../../preferences.js';
import { type Say, sayValue, useWords } from '../../../words/say.js';
import { auditWords } from '../../../words/tables/audit-words.js';
import styles from '../operator.module.css';
import { SubjectLink } from '../operator-links.js';
import { AuditChange } from './audit-change.js';
import { nameField } from './field-names.js';
import { showChange } from './show-change.js';

/** Those that are known here, and the one that the address asks for. */
function actionsOf(
  say: Say,
  chosen: string | undefined,
): readonly { readonly value: string; readonly label: string }[] {
  const known = Object.keys(auditWords).map((word) => word.replace('audited.', ''));
  const actions = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known];
  return actions.map((value) => ({ value, label: sayValue(say, 'audited', value) }));
}

/** In the one line of a row; what does not fit is in the entry, and where a pointer rests. */
function ChangeInBrief({ change }: Pick<AuditEntry, 'change'>): ReactElement {
  const say = useWords();
  const { language, zone } = usePreferences();
  const text = showChange(
    change,
    (at) => showMoment(at, language, zone),
    (field) => nameField(say, field) ?? field,
  );
  return (
    <span className="soft" title={text}>
      {text}
    </span>
  );
}

/** Under which the choices of its columns and filters are kept. */
const LIST = 'audit';

function columnsOf(say: Say, onOpen: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] {
  return [
    {
      id: 'actor',
      title: say('audit.who'),
      width: '6.5rem',
      narrowWidth: '4rem',
      render: ({ actor }) => <span title={actor}>{actor}</span>,
    },
    {
      id: 'action',
      title: say('audit.what'),
      width: '11.5rem',
      narrowWidth: 'minmax(0, 1.3fr)',
      render: (entry) => (
        <UnstyledButton className={styles.opener} onClick={() => onOpen(entry)}>
          <span title={entry.action}>{sayValue(say, 'audited', entry.action)}</span>
        </UnstyledButton>
      ),
      renderNote: ({ at }) => <Moment at={at} style="minute" />,
    },
    {
      id: 'subject',
      title: say('audit.about'),
      width: 'minmax(8rem, 0.5fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ subject }) => <SubjectLink subject={subject} />,
    },
    {
      id: 'change',
      title: say('audit.change'),
      width: 'minmax(0, 1fr)',
      isWideOnly: true,
      render: ({ change }) => <ChangeInBrief change={change} />,
    },
    {
      id: 'at',
      title: say('record.time'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ at }) => <Moment at={at} />,
    },
  ];
}

/** Who did what, when, and what changed by it. */
export function AuditPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { zone } = usePreferences();
  const filters = useFilters(AUDIT_FILTERS);
  const [chosen, setChosen] = useState<AuditEntry>();
  const all = useMemo(() => columnsOf(say, setChosen), [say]);
  const columns = useShownColumns(LIST, all);
  const source = useRows(auditOf(operator, filters.values, zone));
  return (
    <Page title={say('nav.audit')} lead={say('audit.lead')}>
      <FilterBar filters={filters} tools={<ListTools list={LIST} columns={all} filters={filters} />}>
        <TextFilter filters={filters} name="actor" label={say('audit.who')} />
        <ChoiceFilter
          filters={filters}
          name="action"
          label={say('audit.what')}
          any={say('record.any')}
          choices={actionsOf(say, filters.values.action)}
          isSearched
        />
        <TextFilter filters={filters} name="subject" label={say('audit.about')} />
        <DayFilter filters={filters} name="from" label={say('tasks.filter.from')} />
        <DayFilter filters={filters} name="until" label={say('tasks.filter.until')} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.audit')}
          leastTop={BELOW_FILTERS}
          source={source}
          keyOf={(entry) => JSON.stringify(entry)}
          empty={
            <NothingFound filters={filters}>
              <State icon="audit" title={say('state.empty')} />
            </NothingFound>
          }
          columns={columns}
        />
      </Card>
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        size="lg"
        title={chosen && sayValue(say, 'audited', chosen.action)}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && (
          <Stack>
            <Facts
              facts={[
                [say('audit.what'), <code key="action">{chosen.action}</code>],
                [say('audit.who'), chosen.actor],
                [say('record.time'), <Moment key="at" at={chosen.at} />],
                [say('audit.about'), <SubjectLink key="subject" subject={chosen.subject} />],
              ]}
            />
            {Object.keys(chosen.change).length > 0 && <AuditChange change={chosen.change} />}
          </Stack>
        )}
      </Modal>
    </Page>
  );
}
