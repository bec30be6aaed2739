import type { Channel } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { channelsOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { usePreferences } from '../../../preferences.js';
import { type Say, useWords } from '../../../words/say.js';
import { showRate } from '../platform/platform-channels.js';
import { RoleNeeded } from '../role-needed.js';
import { AddChannel } from './add-channel.js';
import { nameKind, useChannelKinds } from './channel-fields.js';

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
  const source = useRows(channelsOf(operator));
  const { language } = usePreferences();
  const kinds = useChannelKinds();
  const columns = useMemo(() => columnsOf(say, (kind) => nameKind(kinds, kind, language)), [say, kinds, language]);
  return (
    <Page
      title={say('nav.channels')}
      lead={say('channels.lead')}
      actions={
        mayConfigure ? <AddChannel kinds={kinds} /> : <RoleNeeded actions={[[say('channels.addAny'), 'configure']]} />
      }
    >
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
