import { Group } from '@mantine/core';
import type { Channel, ChannelKindDescription, ChannelRequest } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { channelsOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { usePreferences } from '../../../preferences.js';
import { type Say, useWords } from '../../../words/say.js';
import { showRate } from '../platform/platform-channels.js';
import { RoleNeeded } from '../role-needed.js';
import { channelFields, nameKind, settingDefaults, useChannelKinds } from './channel-fields.js';

/** The firms as a form offers them. */
export function useFirmChoices(): readonly { readonly value: string; readonly label: string }[] {
  const operator = useOperator();
  const { data } = useQuery({
    queryKey: ['firm-choices'],
    queryFn: ({ signal }) => operator.firms({ pageSize: 100, signal }).page(),
  });
  return data?.items.map(({ firm, name }) => ({ value: firm, label: `${name} (${firm})` })) ?? [];
}

function columnsOf(say: Say, nameOf: (kind: string) => string): readonly Column<Channel>[] {
  return [
    {
      id: 'name',
      title: say('channels.name'),
      width: 'minmax(7rem, 1.4fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: (channel) => (
        <Link to="/operator/channels/$channelNo" params={{ channelNo: channel.channel_no }} title={channel.name}>
          {channel.name}
        </Link>
      ),
      renderNote: ({ kind, firms }) => `${nameOf(kind)} · ${firms.join(', ')}`,
    },
    {
      id: 'status',
      title: say('record.status'),
      width: '7rem',
      narrowWidth: '6.5rem',
      render: ({ status, health }) => <StatusLabel status={status === 'active' ? health.state : status} />,
    },
    {
      id: 'kind',
      title: say('channels.kind'),
      width: '6rem',
      isWideOnly: true,
      render: ({ kind }) => nameOf(kind),
    },
    {
      id: 'firms',
      title: say('nav.firms'),
      width: 'minmax(0, 1fr)',
      isWideOnly: true,
      render: ({ firms }) => <span title={firms.join(', ')}>{firms.join(', ')}</span>,
    },
    {
      id: 'sessions',
      title: say('channels.sessions'),
      width: '5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ health }) => health.sessions,
    },
    {
      id: 'rate',
      title: say('platform.limit'),
      width: '7rem',
      isEnd: true,
      isWideOnly: true,
      render: (channel) => showRate(say, channel.parts_per_second),
    },
  ];
}

export function ChannelsPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const firms = useFirmChoices();
  const source = useRows(channelsOf(operator));
  const { language } = usePreferences();
  const kinds = useChannelKinds();
  const columns = useMemo(() => columnsOf(say, (kind) => nameKind(kinds, kind, language)), [say, kinds, language]);
  const sayAdd = ({ kind }: ChannelKindDescription) => say('channels.add', { kind: nameKind(kinds, kind, language) });
  const create = (described: ChannelKindDescription, index: number) => (
    <FormDialog
      key={described.kind}
      label={sayAdd(described)}
      isPrimary={index === 0}
      fields={channelFields(say, language, described, firms, false)}
      initial={{ status: 'active', config: settingDefaults(described) }}
      onSubmit={(body) => operator.createChannel({ ...body, kind: described.kind } as unknown as ChannelRequest)}
    />
  );
  return (
    <Page
      title={say('nav.channels')}
      lead={say('channels.lead')}
      actions={
        mayConfigure ? (
          <Group gap="xs">{kinds?.map(create)}</Group>
        ) : (
          <RoleNeeded actions={(kinds ?? []).map((kind) => [sayAdd(kind), 'configure'] as const)} />
        )
      }
    >
      {/* After the buttons above it, so that they do not move it when they come. */}
      {kinds !== undefined && (
        <Card isFlush>
          <RowsTable
            label={say('nav.channels')}
            columns={columns}
            source={source}
            keyOf={(channel) => channel.channel_no}
            empty={<State icon="channels" title={say('channels.empty')} hint={say('channels.emptyHint')} />}
          />
        </Card>
      )}
    </Page>
  );
}
