// The customer's templates: which can be sent, which wait for review, and what was said of those that were rejected.

import { Modal, Stack, UnstyledButton } from '@mantine/core';
import type { OwnTemplate, SubmittedTemplate } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useCallback, useMemo } from 'react';
import { useCustomer } from '../api/clients.js';
import { buildTarget } from '../api/download.js';
import { ownTemplatesOf, TEMPLATE_FILTERS } from '../api/lists.js';
import { useRows } from '../api/rows.js';
import { DownloadButton } from '../parts/forms/download-button.js';
import type { Field } from '../parts/forms/entity-form.js';
import { ChoiceFilter, FilterBar, NothingFound, useFilters } from '../parts/forms/filters.js';
import { FormDialog } from '../parts/forms/form-dialog.js';
import { Card, Facts, Page } from '../parts/layout/page.js';
import { State } from '../parts/layout/states.js';
import { ListTools, useShownColumns } from '../parts/tables/list-tools.js';
import { type Column, RowsTable } from '../parts/tables/rows-table.js';
import { Moment } from '../parts/values/moment.js';
import { StatusLabel } from '../parts/values/status-label.js';
import { useReadOnly } from '../session/session.js';
import { type Say, useWords } from '../words/say.js';
import styles from './operator/operator.module.css';
import { ClassFilter } from './task/class-filter.js';
import { templateFieldsOf } from './template-fields.js';

const ROW_HEIGHT = 60;
const STATUSES = ['active', 'pending', 'rejected', 'disabled'] as const;

/** Under which the choices of its columns and filters are kept. */
const LIST = 'templates';

function columnsOf(say: Say, onOpen: (template: OwnTemplate) => void): readonly Column<OwnTemplate>[] {
  return [
    {
      id: 'name',
      title: say('customers.name'),
      width: 'minmax(0, 2.4fr)',
      narrowWidth: 'minmax(0, 1.6fr)',
      render: (template) => (
        <UnstyledButton className={styles.opener} onClick={() => onOpen(template)}>
          <strong>{template.name}</strong>
          <span className="soft" title={template.body}>
            {template.body}
          </span>
        </UnstyledButton>
      ),
    },
    {
      id: 'class',
      title: say('class.title'),
      width: 'minmax(5rem, 0.5fr)',
      isWideOnly: true,
      render: (template) => say(`class.${template.class}`),
    },
    {
      id: 'status',
      title: say('record.status'),
      width: 'minmax(10rem, 1.2fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ status, reason }) => (
        <span className={styles.lines}>
          <StatusLabel status={status} />
          {reason !== null && <span title={reason}>{reason}</span>}
        </span>
      ),
    },
    {
      id: 'changed',
      title: say('templates.submitted'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ submitted_at: at, created_at }) => <Moment at={at ?? created_at} />,
    },
  ];
}

export function TemplatesPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const isReadOnly = useReadOnly();
  const filters = useFilters(TEMPLATE_FILTERS);
  // Which one is open is no filter: nothing is left out by it.
  const { template: chosenNo } = useFilters(['template'] as const).values;
  const navigate = useNavigate();
  const choose = useCallback(
    (template: string | undefined) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, template }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const all = useMemo(() => columnsOf(say, ({ template_no: no }) => choose(no)), [say, choose]);
  const columns = useShownColumns(LIST, all);
  const source = useRows(ownTemplatesOf(client, filters.values));
  const chosen = source.rows.find(({ template_no }) => template_no === chosenNo);
  return (
    <Page
      title={say('nav.templates')}
      lead={say('templates.lead')}
      actions={
        <>
          <DownloadButton target={buildTarget('/openapi/v1/templates/', filters.values)} fileName="templates.csv" />
          {!isReadOnly && <SubmitButton />}
        </>
      }
    >
      <FilterBar filters={filters} tools={<ListTools list={LIST} columns={all} filters={filters} />}>
        <ClassFilter filters={filters} />
        <ChoiceFilter
          filters={filters}
          name="status"
          label={say('record.status')}
          any={say('record.any')}
          choices={STATUSES.map((value) => ({ value, label: say(`status.${value}`) }))}
        />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.templates')}
          columns={columns}
          source={source}
          keyOf={({ template_no }) => template_no}
          rowHeight={ROW_HEIGHT}
          empty={
            <NothingFound filters={filters}>
              <State icon="empty" title={say('templates.none')} hint={say('templates.noneHint')} />
            </NothingFound>
          }
        />
      </Card>
      <Modal
        opened={chosen !== undefined}
        onClose={() => choose(undefined)}
        size="lg"
        title={chosen?.name}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && <TemplateFacts template={chosen} isReadOnly={isReadOnly} />}
      </Modal>
    </Page>
  );
}

interface TemplateFactsProps {
  readonly template: OwnTemplate;
  readonly isReadOnly: boolean;
}

function TemplateFacts({ template, isReadOnly }: TemplateFactsProps): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const shared = templateFieldsOf(say);
  const { template_no: templateNo, name, body, status, reason, submitted_at, reviewed_at, firms } = template;
  return (
    <Stack>
      <Facts
        facts={[
          [say('record.status'), <StatusLabel key="status" status={status} />],
          [say('templates.reason'), reason],
          [
            say('sending.text'),
            <span key="text" className={styles.text}>
              {body}
            </span>,
          ],
          [say('class.title'), say(`class.${template.class}`)],
          [say('templates.sender'), <code key="account">{template.service_account_no}</code>],
          [say('sending.approved'), firms?.join(', ') ?? say('task.everyFirm')],
          [say('tasks.filter.template'), <code key="no">{templateNo}</code>],
          [say('templates.submitted'), submitted_at && <Moment key="submitted" at={submitted_at} />],
          [say('templates.reviewed'), reviewed_at && <Moment key="reviewed" at={reviewed_at} />],
        ]}
      />
      {!isReadOnly && (
        <div>
          <FormDialog
            label={say('templates.edit')}
            title={say('form.changeOf', { name })}
            submit={say('templates.resubmit')}
            isChange
            fields={[shared.name, { ...shared.body, hint: say('templates.editHint') }]}
            initial={{ name, body }}
            onSubmit={(change) => client.updateTemplate(templateNo, change)}
          />
        </div>
      )}
    </Stack>
  );
}

function SubmitButton(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { data } = useQuery({
    queryKey: ['own-service-accounts'],
    queryFn: ({ signal }) => client.serviceAccounts({ pageSize: 100, signal }).page(),
  });
  const accounts = (data?.items ?? [])
    .filter(({ status }) => status === 'active')
    .map(({ service_account_no: value, name, sender }) => ({ value, label: `${name} · ${sender}` }));
  const shared = templateFieldsOf(say);
  const fields: readonly Field[] = [
    shared.name,
    shared.body,
    shared.class,
    {
      name: 'service_account_no',
      label: say('templates.sender'),
      kind: 'choice',
      isRequired: true,
      choices: accounts,
    },
  ];
  return (
    <FormDialog
      // The sender that stands in the form is the first one that is known.
      key={accounts[0]?.value ?? ''}
      label={say('templates.submit')}
      isPrimary
      submit={say('templates.resubmit')}
      fields={fields}
      initial={{ class: 'notice', service_account_no: accounts[0]?.value }}
      onSubmit={(body) => client.submitTemplate(body as unknown as SubmittedTemplate)}
    />
  );
}
