// What could not be done and is tried again: whose it is, why, how often it was tried, and when it is tried next.

import { Modal, UnstyledButton } from '@mantine/core';
import type { SetAside } from '@postrider/client';
import { type ReactElement, useMemo, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { setAsideOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { showCount } from '../../../format/count.js';
import { Card, Facts, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { type Say, useWords } from '../../../words/say.js';
import { sayWhat } from '../../../words/say-set-aside.js';
import styles from '../operator.module.css';
import { ChannelLink, CustomerLink, OperatorTaskLink } from '../operator-links.js';

const ROW_HEIGHT = 60;

function keyOf({ kind, customer_no, task_no, channel_no, node }: SetAside): string {
  return [kind, customer_no, task_no, channel_no, node].join(' ');
}

function columnsOf(say: Say, onOpen: (item: SetAside) => void): readonly Column<SetAside>[] {
  return [
    {
      id: 'what',
      title: say('setAside.what'),
      width: 'minmax(0, 2.4fr)',
      narrowWidth: 'minmax(0, 2.2fr)',
      render: (item) => (
        <UnstyledButton className={styles.opener} onClick={() => onOpen(item)}>
          <strong>{sayWhat(say, item)}</strong>
          <code title={item.reason}>{item.reason}</code>
        </UnstyledButton>
      ),
    },
    {
      id: 'whose',
      title: say('setAside.whose'),
      width: 'minmax(8rem, 0.8fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ customer_no: customerNo, task_no: taskNo }) => (
        <span className={styles.lines}>
          <CustomerLink customerNo={customerNo} />
          {taskNo !== null && <OperatorTaskLink taskNo={taskNo} />}
        </span>
      ),
    },
    {
      id: 'channel',
      title: say('field.channel_no'),
      width: 'minmax(6rem, 0.6fr)',
      isWideOnly: true,
      render: ({ channel_no: channelNo }) => <ChannelLink channelNo={channelNo} />,
    },
    {
      id: 'tries',
      title: say('setAside.tries'),
      width: '4rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ tries }) => showCount(tries),
    },
    {
      id: 'next',
      title: say('setAside.next'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ next_try_at: nextTryAt }) => <Moment at={nextTryAt} />,
    },
  ];
}

export function SetAsidePage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const [chosen, setChosen] = useState<SetAside>();
  const columns = useMemo(() => columnsOf(say, setChosen), [say]);
  const source = useRows(setAsideOf(operator));
  return (
    <Page title={say('nav.setAside')} lead={say('setAside.lead')}>
      <Card isFlush>
        <RowsTable
          label={say('nav.setAside')}
          columns={columns}
          source={source}
          keyOf={keyOf}
          rowHeight={ROW_HEIGHT}
          mayBeMissing
          empty={<State icon="check" title={say('setAside.empty')} hint={say('setAside.emptyHint')} />}
        />
      </Card>
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        size="lg"
        title={chosen && sayWhat(say, chosen)}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && <SetAsideFacts item={chosen} />}
      </Modal>
    </Page>
  );
}

function SetAsideFacts({ item }: { readonly item: SetAside }): ReactElement {
  const say = useWords();
  return (
    <Facts
      facts={[
        [say('setAside.reason'), <code key="reason">{item.reason}</code>],
        [say('app.customer'), item.customer_no && <CustomerLink key="customer" customerNo={item.customer_no} />],
        [say('record.task'), item.task_no && <OperatorTaskLink key="task" taskNo={item.task_no} />],
        [say('field.channel_no'), item.channel_no && <ChannelLink key="channel" channelNo={item.channel_no} />],
        [say('setAside.node'), item.node && <code key="node">{item.node}</code>],
        [say('setAside.since'), item.since && <Moment key="since" at={item.since} />],
        [say('setAside.tries'), showCount(item.tries)],
        [say('setAside.next'), item.next_try_at && <Moment key="next" at={item.next_try_at} />],
      ]}
    />
  );
}
