// The platform at a glance, live: what goes through, what waits, how the channels are, whether the books add up.

import type { Stage } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useOperator } from '../../api/clients.js';
import { type MetricsReading, rateOf, readMetrics, sumMetric } from '../../api/metrics.js';
import { Card, CardGrid, Facts, Page } from '../../parts/page.js';
import { StackedBars, type StackedBucket } from '../../parts/stacked-bars.js';
import { StagePill } from '../../parts/stage-pill.js';
import { FailureState, LoadingState } from '../../parts/states.js';
import { Tiles } from '../../parts/tiles.js';
import { useWords } from '../../words/say.js';
import { ChannelHealthList } from './channel-health-list.js';
import styles from './operator.module.css';

const POLL_MS = 2_000;
const KEPT = 60;
const OPEN_STAGES: readonly Stage[] = ['queued', 'prepared', 'submitting', 'waiting_receipt', 'submit_unknown'];
/** What the upstream answered for a part, and the word of the figures for it. */
const OUTCOMES = ['accepted', 'unsent', 'unknown', 'rejected'] as const;
const WIRE = { accepted: 'accepted', unsent: 'throttled', unknown: 'unknown', rejected: 'refused' } as const;

export function PlatformPage(): ReactElement {
  const say = useWords();
  const metrics = useQuery({
    queryKey: ['metrics'],
    queryFn: ({ signal }) => readMetrics(signal),
    refetchInterval: POLL_MS,
    retry: false,
  });
  const readings = useReadings(metrics.data);
  const [before, now] = [readings.at(-2), readings.at(-1)];
  const rate = (name: string, labels = {}) =>
    before === undefined || now === undefined
      ? '–'
      : Math.round(rateOf(before, now, name, labels)).toLocaleString('en');
  const imbalances = now && sumMetric(now, 'postrider_audit_imbalances');
  return (
    <Page title={say('nav.platform')} lead={say('platform.lead')}>
      <Tiles
        tiles={[
          {
            name: say('platform.parts'),
            value: rate('postrider_parts_total', { outcome: 'accepted' }),
            note: say('platform.perSecond'),
          },
          {
            name: say('platform.reports'),
            value: rate('postrider_feedback_total', { event: 'report' }),
            note: say('platform.perSecond'),
          },
          {
            name: say('platform.requests'),
            value: rate('postrider_http_request_duration_seconds_count'),
            note: now && say('platform.inFlight', { count: sumMetric(now, 'postrider_http_requests_in_flight') }),
          },
          {
            name: say('platform.books'),
            value: imbalances === undefined ? '–' : say(imbalances === 0 ? 'platform.balanced' : 'platform.unbalanced'),
            note: say('platform.booksNote'),
          },
        ]}
      />
      <CardGrid columns={1}>
        <Card title={say('platform.throughput')}>
          {metrics.error !== null && now === undefined ? (
            <FailureState error={metrics.error} />
          ) : readings.length < 2 ? (
            <LoadingState />
          ) : (
            <StackedBars label={say('platform.throughput')} outcomes={OUTCOMES} buckets={cutReadings(readings)} />
          )}
        </Card>
      </CardGrid>
      <CardGrid columns={2}>
        <Card title={say('nav.channels')} side={<Link to="/operator/channels">{say('platform.allChannels')}</Link>}>
          <ChannelHealthList reading={now} before={before} />
        </Card>
        <Card title={say('platform.waiting')}>
          <OpenTasks />
        </Card>
      </CardGrid>
      {now !== undefined && <ProcessCard reading={now} />}
    </Page>
  );
}

/** The readings of the last minutes, the newest last. */
function useReadings(newest: MetricsReading | undefined): readonly MetricsReading[] {
  const kept = useRef<MetricsReading[]>([]);
  const [, redraw] = useState(0);
  useEffect(() => {
    if (newest === undefined || kept.current.at(-1) === newest) return;
    kept.current = [...kept.current, newest].slice(-KEPT);
    redraw((count) => count + 1);
  }, [newest]);
  return kept.current;
}

function cutReadings(readings: readonly MetricsReading[]): StackedBucket[] {
  const buckets = readings.slice(1).map((now, index): StackedBucket => {
    const before = readings[index] ?? now;
    const at = new Date(now.atMs).toLocaleTimeString('en-GB');
    const counts = Object.fromEntries(
      OUTCOMES.map((outcome) => [
        outcome,
        Math.round(rateOf(before, now, 'postrider_parts_total', { outcome: WIRE[outcome] })),
      ]),
    );
    return { key: String(now.atMs), label: index % 10 === 0 ? at : '', title: at, counts };
  });
  // Always as many columns, so that nothing moves while the first minutes fill up.
  const missing = Array.from({ length: KEPT - 1 - buckets.length }, (_, index): StackedBucket => {
    return { key: `empty ${index}`, label: '', title: '', counts: {} };
  });
  return [...missing, ...buckets];
}

function OpenTasks(): ReactElement {
  const operator = useOperator();
  const { data, error } = useQuery({
    queryKey: ['open-tasks'],
    refetchInterval: 4_000,
    queryFn: ({ signal }) =>
      Promise.all(OPEN_STAGES.map((stage) => operator.tasks({ stage, pageSize: 1, signal }).page())),
  });
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  return (
    <ul className={styles.stages}>
      {OPEN_STAGES.map((stage, index) => {
        const page = data[index];
        return (
          <li key={stage}>
            <StagePill stage={stage} />
            <strong>
              {page?.total_is_exact === false && '> '}
              {page?.total.toLocaleString('en')}
            </strong>
          </li>
        );
      })}
    </ul>
  );
}

function ProcessCard({ reading }: { readonly reading: MetricsReading }): ReactElement {
  const say = useWords();
  const memory = sumMetric(reading, 'process_resident_memory_bytes') / 1_048_576;
  const lag = sumMetric(reading, 'nodejs_eventloop_lag_p99_seconds') * 1_000;
  return (
    <Card title={say('platform.process')}>
      <Facts
        facts={[
          [say('platform.memory'), `${Math.round(memory).toLocaleString('en')} MiB`],
          [say('platform.lag'), `${lag.toFixed(1)} ms`],
          [say('platform.waitingCommit'), sumMetric(reading, 'postrider_accept_waiting').toLocaleString('en')],
          [say('platform.faults'), sumMetric(reading, 'postrider_http_internal_faults_total').toLocaleString('en')],
        ]}
      />
    </Card>
  );
}
