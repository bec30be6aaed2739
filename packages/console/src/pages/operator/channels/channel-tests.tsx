import { Group } from '@mantine/core';
import type { Channel, ChannelTest, ChannelTestRequest, Page } from '@postrider/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import type { Field } from '../../../parts/forms/entity-form.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { OutcomeLabel } from '../../../parts/values/outcome-label.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';

const SHOWN = 5;
const POLL_MS = 1_000;

export function useChannelTests(channelNo: string): UseQueryResult<Page<ChannelTest>> {
  const operator = useOperator();
  return useQuery({
    queryKey: ['channel-tests', channelNo],
    queryFn: ({ signal }) => operator.channelTests(channelNo, { pageSize: SHOWN, signal }).page(),
    refetchInterval: POLL_MS,
  });
}

/** Sends a test message through this channel, and lists the last ones. */
export function ChannelTests({ channel }: { readonly channel: Channel }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const { channel_no: channelNo } = channel;
  const { data, error } = useChannelTests(channelNo);
  const fields: readonly Field[] = [
    { name: 'phone', label: say('record.phone'), kind: 'text', isRequired: true },
    { name: 'text', label: say('channels.testText'), hint: say('channels.testTextHint'), kind: 'long' },
    { name: 'sender', label: say('channels.testSender'), hint: say('channels.testSenderHint'), kind: 'text' },
  ];
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  const rows = data.items.map((test) => ({
    [say('record.time')]: <Moment at={test.created_at} />,
    [say('record.phone')]: test.phone,
    [say('record.status')]: <StatusLabel status={test.status} />,
    [say('record.code')]: test.code,
    [say('channels.testReport')]: test.report && <OutcomeLabel outcome={test.report.status} />,
    [say('field.message_id')]: test.upstream_message_id && <code>{test.upstream_message_id}</code>,
    [say('audit.who')]: test.created_by,
  }));
  return (
    <>
      <Group justify="space-between" mb="md">
        <span className="soft">{say('channels.testsHint')}</span>
        {mayConfigure ? (
          <FormDialog
            label={say('channels.test')}
            fields={fields}
            onSubmit={(body) => operator.testChannel(channelNo, body as unknown as ChannelTestRequest)}
          />
        ) : (
          <RoleNeeded actions={[[say('channels.test'), 'configure']]} />
        )}
      </Group>
      {rows.length === 0 ? (
        <p className="soft">{say('channels.testsNone')}</p>
      ) : (
        <PlainTable rows={rows} label={say('channels.tests')} />
      )}
    </>
  );
}
