// Numbers that wait for a decision: what is known of each, and the two words that end it.

import { Alert, Group, Modal, Stack } from '@mantine/core';
import type { UnknownPart } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { UNKNOWN_FILTERS, unknownOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { Button } from '../../../parts/controls/button.js';
import { Segments } from '../../../parts/controls/segments.js';
import { TextField } from '../../../parts/forms/field.js';
import { FilterBar, NothingFound, useFilters } from '../../../parts/forms/filters.js';
import { Card, Facts, Page } from '../../../parts/layout/page.js';
import { ProblemText, State } from '../../../parts/layout/states.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { type Say, useWords } from '../../../words/say.js';
import { ChannelFilter, CustomerFilter } from '../operator-filters.js';
import { ChannelLink, CustomerLink, OperatorPhoneLink, OperatorTaskLink } from '../operator-links.js';
import { RoleNeeded } from '../role-needed.js';

function columnsOf(say: Say, onResolve: ((part: UnknownPart) => void) | undefined): readonly Column<UnknownPart>[] {
  const columns: readonly Column<UnknownPart>[] = [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(9rem, 1fr)',
      narrowWidth: 'minmax(0, 1.3fr)',
      render: ({ phone }) => <OperatorPhoneLink phone={phone} />,
      renderNote: ({ deadline }) => <Moment at={deadline} style="minute" />,
    },
    {
      id: 'task',
      title: say('record.task'),
      width: 'minmax(0, 1.2fr)',
      isWideOnly: true,
      render: (part) => (
        <OperatorTaskLink taskNo={part.task_no}>
          {part.task_no} #{part.seq}
        </OperatorTaskLink>
      ),
    },
    {
      id: 'customer',
      title: say('app.customer'),
      width: 'minmax(0, 1fr)',
      render: ({ customer_no: customerNo }) => <CustomerLink customerNo={customerNo} />,
      renderNote: ({ channel_no: channelNo }) => <ChannelLink channelNo={channelNo} />,
    },
    {
      id: 'channel',
      title: say('field.channel_no'),
      width: 'minmax(0, 1fr)',
      isWideOnly: true,
      render: ({ channel_no: channelNo }) => <ChannelLink channelNo={channelNo} />,
    },
    {
      id: 'deadline',
      title: say('unknownPage.deadline'),
      width: '10rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ deadline }) => <Moment at={deadline} style="minute" />,
    },
    {
      id: 'resolve',
      title: '',
      width: '6.5rem',
      narrowWidth: '5.25rem',
      isEnd: true,
      render: (part) => (
        <Button size="small" look="bordered" onClick={() => onResolve?.(part)}>
          {say('unknownPage.resolve')}
        </Button>
      ),
    },
  ];
  return onResolve === undefined ? columns.slice(0, -1) : columns;
}

export function UnknownPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayResolve = useMay('resolve');
  const filters = useFilters(UNKNOWN_FILTERS);
  const [chosen, setChosen] = useState<UnknownPart>();
  const columns = useMemo(() => columnsOf(say, mayResolve ? setChosen : undefined), [say, mayResolve]);
  const source = useRows(unknownOf(operator, filters.values));
  return (
    <Page
      title={say('nav.unknown')}
      lead={say('unknownPage.lead')}
      actions={<RoleNeeded actions={[[say('unknownPage.resolve'), 'resolve']]} />}
    >
      <FilterBar filters={filters}>
        <CustomerFilter filters={filters} />
        <ChannelFilter filters={filters} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.unknown')}
          columns={columns}
          source={source}
          keyOf={({ task_no: taskNo, seq, part }) => `${taskNo} ${seq} ${part}`}
          mayBeMissing
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say('unknownPage.empty')} hint={say('unknownPage.emptyHint')} />
            </NothingFound>
          }
        />
      </Card>
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={say('unknownPage.resolve')}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && <ResolveForm part={chosen} onDone={() => setChosen(undefined)} />}
      </Modal>
    </Page>
  );
}

function ResolveForm({ part, onDone }: { readonly part: UnknownPart; readonly onDone: () => void }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const queryClient = useQueryClient();
  const [outcome, setOutcome] = useState<'accepted' | 'not_accepted'>('not_accepted');
  const [remark, setRemark] = useState('');
  const resolve = useMutation({
    mutationFn: () =>
      operator.resolveTask(part.task_no, {
        outcome,
        seqs: [part.seq],
        ...(remark.trim() === '' ? {} : { remark: remark.trim() }),
      }),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <Stack>
      <Facts
        facts={[
          [say('record.phone'), part.phone],
          [say('record.task'), `${part.task_no} #${part.seq}`],
          [say('record.firm'), part.firm],
          [say('record.submitted'), part.submitted_at && <Moment key="submitted" at={part.submitted_at} />],
          [say('unknownPage.since'), <Moment key="since" at={part.since} />],
          [say('unknownPage.deadline'), <Moment key="deadline" at={part.deadline} />],
        ]}
      />
      <Segments
        label={say('unknownPage.outcome')}
        value={outcome}
        onChange={(value) => setOutcome(value === 'accepted' ? 'accepted' : 'not_accepted')}
        choices={[
          { value: 'not_accepted', label: say('unknownPage.notAccepted') },
          { value: 'accepted', label: say('unknownPage.accepted') },
        ]}
      />
      <span className="soft">
        {say(outcome === 'accepted' ? 'unknownPage.acceptedHint' : 'unknownPage.notAcceptedHint')}
      </span>
      <TextField
        label={say('record.remark')}
        value={remark}
        onChange={(event) => setRemark(event.currentTarget.value)}
      />
      {resolve.error !== null && (
        <Alert color="red">
          <ProblemText error={resolve.error} />
        </Alert>
      )}
      <Group justify="flex-end">
        <Button isBusy={resolve.isPending} onClick={() => resolve.mutate()}>
          {say('unknownPage.decide')}
        </Button>
      </Group>
    </Stack>
  );
}
