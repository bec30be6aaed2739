// The platform at a glance, live and over all processes: what goes through, what waits and for how long, how the channels are,
// what upstreams complain of, who has what in hand, whether the books add up.

import type { Platform } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { showDuration } from '../../api/moment.js';
import { ageMs, KEPT_READINGS, rateBetween, requestRate, usePlatform, useReadings } from '../../api/platform.js';
import { Moment } from '../../parts/moment.js';
import { Card, CardGrid, Page } from '../../parts/page.js';
import { StackedBars, type StackedBucket } from '../../parts/stacked-bars.js';
import { FailureState, LoadingState } from '../../parts/states.js';
import { StatusLabel } from '../../parts/status-label.js';
import { Tiles } from '../../parts/tiles.js';
import { useWords } from '../../words/say.js';
import { ErrorCodes } from './error-codes.js';
import { OpenTasks } from './open-tasks.js';
import { PlatformChannels } from './platform-channels.js';
import { PlatformConcerns, useConcerns } from './platform-concerns.js';
import { PlatformNodes } from './platform-nodes.js';

/** What the upstream answered for a part, and the count of the platform for it. */
const OUTCOMES = ['accepted', 'unsent', 'unknown', 'rejected'] as const;
const COUNTS = { accepted: 'accepted', unsent: 'throttled', unknown: 'unknown', rejected: 'refused' } as const;

export function PlatformPage(): ReactElement {
  const say = useWords();
  const { data, error } = usePlatform();
  const readings = useReadings(data);
  const concerns = useConcerns();
  return (
    <Page title={say('nav.platform')} lead={say('platform.lead')}>
      {data === undefined || concerns.isPending ? (
        <Card>{error === null ? <LoadingState lines={8} /> : <FailureState error={error} />}</Card>
      ) : (
        <>
          <PlatformConcerns platform={data} concerns={concerns.data} />
          <PlatformTiles platform={data} readings={readings} />
          <CardGrid columns={1}>
            <Card title={say('platform.throughput')}>
              <StackedBars label={say('platform.throughput')} outcomes={OUTCOMES} buckets={cutReadings(readings)} />
            </Card>
            <Card title={say('nav.channels')} side={<Link to="/operator/channels">{say('platform.allChannels')}</Link>}>
              <PlatformChannels platform={data} />
            </Card>
          </CardGrid>
          <CardGrid columns={2}>
            <Card title={say('platform.codes')}>
              <ErrorCodes platform={data} />
            </Card>
            <Card title={say('platform.waiting')}>
              <OpenTasks />
            </Card>
          </CardGrid>
          <CardGrid columns={1}>
            <Card title={say('platform.nodes')}>
              <PlatformNodes platform={data} />
            </Card>
          </CardGrid>
        </>
      )}
    </Page>
  );
}

interface TilesProps {
  readonly platform: Platform;
  readonly readings: readonly Platform[];
}

function PlatformTiles({ platform, readings }: TilesProps): ReactElement {
  const say = useWords();
  const sum = (name: 'parts_per_second' | 'reports_per_second') =>
    Math.round(platform.channels.reduce((total, { rate }) => total + rate[name], 0)).toLocaleString('en');
  const [first] = readings;
  const requests = first === undefined ? 0 : requestRate(first, platform);
  const inFlight = platform.nodes.reduce((total, node) => total + (node.is_alive ? node.requests_in_flight : 0), 0);
  const waits = [platform.to_prepare, ...platform.channels.map(({ queue }) => queue)];
  const oldest = Math.max(...waits.map(({ oldest_at: since }) => ageMs(platform, since) ?? -1));
  const { books } = platform;
  return (
    <Tiles
      tiles={[
        { name: say('platform.parts'), value: sum('parts_per_second'), note: say('platform.perSecond') },
        { name: say('platform.reports'), value: sum('reports_per_second'), note: say('platform.perSecond') },
        {
          name: say('platform.requests'),
          value: Math.round(requests).toLocaleString('en'),
          note: say('platform.inFlight', { count: inFlight }),
        },
        {
          name: say('platform.oldest'),
          value: oldest < 0 ? '–' : showDuration(oldest),
          note: say('platform.toPrepare', { count: platform.to_prepare.tasks }),
        },
        {
          name: say('platform.books'),
          value: books === null ? '–' : <StatusLabel status={books.imbalances === 0 ? 'balanced' : 'unbalanced'} />,
          note: books && (
            <>
              {say('platform.booksNote')} <Moment at={books.checked_at} />
            </>
          ),
        },
      ]}
    />
  );
}

function cutReadings(readings: readonly Platform[]): StackedBucket[] {
  const buckets = readings.slice(1).map((now, index): StackedBucket => {
    const before = readings[index] ?? now;
    const at = new Date(now.at).toLocaleTimeString('en-GB');
    const counts = Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, Math.round(rateBetween(before, now, COUNTS[outcome]))]),
    );
    return { key: now.at, label: index % 10 === 0 ? at : '', title: at, counts };
  });
  // Always as many columns, so that nothing moves while the first minutes fill up.
  const missing = Array.from({ length: KEPT_READINGS - 1 - buckets.length }, (_, index): StackedBucket => {
    return { key: `empty ${index}`, label: '', title: '', counts: {} };
  });
  return [...missing, ...buckets];
}
