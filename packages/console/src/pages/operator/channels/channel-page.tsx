import { Group } from '@mantine/core';
import type { Channel } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { ageMs, usePlatform, useReadings } from '../../../api/platform.js';
import { showCount } from '../../../format/count.js';
import { Button } from '../../../parts/controls/button.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { BackLink } from '../../../parts/layout/back-link.js';
import { Card, CardGrid, Facts, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText } from '../../../parts/layout/states.js';
import { Copyable } from '../../../parts/values/copyable.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { usePreferences } from '../../../preferences.js';
import { useWords } from '../../../words/say.js';
import { sayDuration } from '../../../words/say-duration.js';
import styles from '../operator.module.css';
import { CODES, ErrorCodes } from '../platform/error-codes.js';
import { showLimit, showRate } from '../platform/platform-channels.js';
import { PlatformCharts, RangeChoice } from '../platform/platform-charts.js';
import { RoleNeeded } from '../role-needed.js';
import { ChannelCosts, useChannelCosts } from './channel-costs.js';
import { channelFields, nameKind, useChannelKinds } from './channel-fields.js';
import { ChannelLog, useChannelLog } from './channel-log.js';
import { ChannelTests, useChannelTests } from './channel-tests.js';
import { useFirmChoices } from './firm-choices.js';

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
  const readings = useReadings(usePlatform().data);
  const above = <BackLink to="/operator/channels">{say('nav.channels')}</BackLink>;
  // All of it at once: what came later would move what is there.
  const isPending = [
    usePlatform(),
    useChannelTests(channelNo),
    useChannelLog(channelNo),
    useChannelCosts(channelNo),
    useUnknownTotal(channelNo),
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
    <Page title={channel.name} above={above} actions={<ChannelActions channel={channel} />}>
      <CardGrid columns={2}>
        <Card title={say('channels.health')}>
          <Health channel={channel} />
        </Card>
        <Card title={say('channels.wire')}>
          <WireFigures channelNo={channelNo} />
        </Card>
      </CardGrid>
      <Group justify="flex-end" mb="sm">
        <RangeChoice usual="1h" />
      </Group>
      <PlatformCharts readings={readings} channelNo={channelNo} usual="1h" />
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

/** What of the channel waits for a decision. */
function useUnknownTotal(channelNo: string) {
  const operator = useOperator();
  return useQuery({
    queryKey: ['unknown-total', channelNo],
    queryFn: async ({ signal }) => (await operator.unknownParts({ channelNo, pageSize: 1, signal }).page()).total,
    refetchInterval: 10_000,
  });
}

function showSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function ChannelActions({ channel }: { readonly channel: Channel }): ReactElement | null {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const firms = useFirmChoices();
  const { language } = usePreferences();
  const form = useChannelKinds()?.find(({ kind }) => kind === channel.kind);
  const isActive = channel.status === 'active';
  if (!mayConfigure) {
    const words = [isActive ? say('form.disable') : say('channels.enable'), say('form.change')];
    return <RoleNeeded actions={words.map((word) => [word, 'configure'] as const)} />;
  }
  if (form === undefined) return null;
  const setStatus = (status: Channel['status']) => operator.updateChannel(channel.channel_no, { status });
  return (
    <>
      {isActive ? (
        <ConfirmButton
          label={say('form.disable')}
          title={say('channels.disableOf', { name: channel.name })}
          hint={say('channels.disableHint')}
          onConfirm={() => setStatus('disabled')}
        />
      ) : (
        <EnableChannel onEnable={() => setStatus('active')} />
      )}
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
    </>
  );
}

/** Ends nothing, so it is not asked about. */
function EnableChannel({ onEnable }: { readonly onEnable: () => Promise<unknown> }): ReactElement {
  const say = useWords();
  const queryClient = useQueryClient();
  const enable = useMutation({ mutationFn: onEnable, onSettled: () => queryClient.invalidateQueries() });
  return (
    <>
      {enable.error !== null && <ProblemText error={enable.error} />}
      <Button look="bordered" isBusy={enable.isPending} onClick={() => enable.mutate()}>
        {say('channels.enable')}
      </Button>
    </>
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
  const { data: unknownTotal } = useUnknownTotal(channelNo);
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  const channel = data.channels.find((one) => one.channel_no === channelNo);
  const unknown = unknownTotal ?? 0;
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
        [
          say('channels.unconfirmed'),
          unknown > 0 && (
            <Link key="unknown" to="/operator/unknown" search={{ channel_no: channelNo }}>
              {showCount(unknown)}
            </Link>
          ),
        ],
      ]}
    />
  );
}

function Codes({ channelNo }: { readonly channelNo: string }): ReactElement {
  const { data, error } = usePlatform();
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  return <ErrorCodes platform={data} channelNo={channelNo} />;
}
