import type { Channel } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { ageMs, usePlatform } from '../../../api/platform.js';
import { showCount } from '../../../format/count.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { BackLink } from '../../../parts/layout/back-link.js';
import { Card, CardGrid, Facts, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { Copyable } from '../../../parts/values/copyable.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { usePreferences } from '../../../preferences.js';
import { useWords } from '../../../words/say.js';
import { sayDuration } from '../../../words/say-duration.js';
import styles from '../operator.module.css';
import { CODES, ErrorCodes } from '../platform/error-codes.js';
import { showLimit, showRate } from '../platform/platform-channels.js';
import { RoleNeeded } from '../role-needed.js';
import { ChannelCosts, useChannelCosts } from './channel-costs.js';
import { channelFields, nameKind, useChannelKinds } from './channel-fields.js';
import { ChannelLog, useChannelLog } from './channel-log.js';
import { ChannelTests, useChannelTests } from './channel-tests.js';
import { useFirmChoices } from './channels-page.js';

export function ChannelPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { channelNo = '' } = useParams({ strict: false });
  const { language } = usePreferences();
  const kinds = useChannelKinds();
  const { data: channel, error } = useQuery({
    queryKey: ['channel', channelNo],
    queryFn: ({ signal }) => operator.channel(channelNo, { signal }),
    refetchInterval: 3_000,
  });
  const above = <BackLink to="/operator/channels">{say('nav.channels')}</BackLink>;
  // All of it at once: what came later would move what is there.
  const isPending = [
    usePlatform(),
    useChannelTests(channelNo),
    useChannelLog(channelNo),
    useChannelCosts(channelNo),
  ].some((one) => one.isPending);
  if (channel === undefined || isPending || kinds === undefined) {
    return (
      <Page title={channelNo} above={above}>
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>
      </Page>
    );
  }
  const fields = kinds.find(({ kind }) => kind === channel.kind)?.fields ?? [];
  const defaults = new Map(fields.map((field) => [field.name, JSON.stringify(field.default)]));
  const isUsual = ([name, value]: [string, unknown]) => defaults.get(name) === JSON.stringify(value);
  const factOf = ([name, value]: [string, unknown]) => [name, <code key={name}>{showSetting(value)}</code>] as const;
  const settings = Object.entries(channel.config);
  const chosen = settings.filter((setting) => !isUsual(setting)).map(factOf);
  const usual = settings.filter(isUsual).map(factOf);
  return (
    <Page title={channel.name} above={above} actions={<ChangeChannel channel={channel} />}>
      <CardGrid columns={2}>
        <Card title={say('channels.health')}>
          <Health channel={channel} />
        </Card>
        <Card title={say('channels.wire')}>
          <WireFigures channelNo={channelNo} />
        </Card>
      </CardGrid>
      <CardGrid columns={1}>
        <Card id={CODES} title={say('platform.codes')}>
          <Codes channelNo={channelNo} />
        </Card>
        <Card title={say('channels.tests')}>
          <ChannelTests channel={channel} />
        </Card>
        <Card title={say('channels.log')}>
          <ChannelLog channelNo={channelNo} />
        </Card>
        <ChannelCosts channel={channel} />
      </CardGrid>
      <Card title={say('channels.settings')}>
        <Facts
          facts={[
            [say('channels.kind'), nameKind(kinds, channel.kind, language)],
            [say('nav.firms'), channel.firms.join(', ')],
            [say('platform.limit'), showRate(say, channel.parts_per_second)],
            ...chosen,
          ]}
        />
        {usual.length > 0 && (
          <details className={styles.more}>
            <summary>{say('channels.usual', { count: usual.length })}</summary>
            <Facts facts={usual} />
          </details>
        )}
      </Card>
    </Page>
  );
}

function showSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function ChangeChannel({ channel }: { readonly channel: Channel }): ReactElement | null {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const firms = useFirmChoices();
  const { language } = usePreferences();
  const form = useChannelKinds()?.find(({ kind }) => kind === channel.kind);
  if (!mayConfigure) return <RoleNeeded actions={[[say('form.change'), 'configure']]} />;
  if (form === undefined) return null;
  return (
    <FormDialog
      label={say('form.change')}
      title={say('form.changeOf', { name: channel.name })}
      submit={say('form.save')}
      isChange
      isPrimary
      fields={channelFields(say, language, form, firms, true)}
      initial={{ ...channel }}
      disableHint={say('channels.disableHint')}
      onSubmit={(body) => operator.updateChannel(channel.channel_no, body)}
    />
  );
}

function Health({ channel }: { readonly channel: Channel }): ReactElement {
  const say = useWords();
  const { health } = channel;
  return (
    <Facts
      facts={[
        [say('channels.number'), <Copyable key="no" value={channel.channel_no} name={say('channels.number')} />],
        [say('record.status'), <StatusLabel key="status" status={channel.status} />],
        [say('channels.health'), <StatusLabel key="health" status={health.state} />],
        [say('channels.detail'), health.detail],
        [say('channels.sessions'), health.sessions],
        [say('channels.owner'), health.owner],
        [say('channels.since'), health.since && <Moment key="since" at={health.since} />],
      ]}
    />
  );
}

/** What goes through it now, what waits for it, and what was counted since its owner has it. */
function WireFigures({ channelNo }: { readonly channelNo: string }): ReactElement {
  const say = useWords();
  const { data, error } = usePlatform();
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  const channel = data.channels.find((one) => one.channel_no === channelNo);
  if (channel === undefined) return <LoadingState />;
  const { counted, window, queue, rate } = channel;
  const age = ageMs(data, queue.oldest_at);
  const figure = (value: number | undefined) => (value === undefined ? undefined : showCount(value));
  const byCode = (value: number | undefined) => (value ? <a href={`#${CODES}`}>{showCount(value)}</a> : figure(value));
  return (
    <Facts
      facts={[
        [say('platform.nowPerSecond'), `${showCount(rate.parts_per_second)} / ${showLimit(say, rate)}`],
        [say('channels.window'), window && `${window.in_flight} / ${window.size}`],
        [say('platform.queue'), `${queue.is_exact ? '' : '> '}${showCount(queue.parts)}`],
        [say('platform.oldest'), age === undefined ? null : sayDuration(say, age)],
        [say('channels.countedSince'), counted && <Moment key="since" at={counted.since} />],
        [say('channels.accepted'), figure(counted?.accepted)],
        [say('channels.refused'), byCode(counted?.refused)],
        [say('channels.throttled'), byCode(counted?.throttled)],
        [say('channels.lost'), byCode(counted?.unknown)],
        [say('channels.reports'), figure(counted?.reports)],
      ]}
    />
  );
}

function Codes({ channelNo }: { readonly channelNo: string }): ReactElement {
  const { data, error } = usePlatform();
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  return <ErrorCodes platform={data} channelNo={channelNo} />;
}
