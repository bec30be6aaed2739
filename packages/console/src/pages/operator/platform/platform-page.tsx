// The platform at a glance, live and over all processes: what goes through, what waits and for how long, how the channels are,
// what upstreams complain of, who has what in hand, whether the books add up.

import type { OperatorClient, Platform, Stage } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import {
  ageMs,
  type CountName,
  platformQuery,
  rateBetween,
  requestRate,
  usePlatform,
  useReadings,
} from '../../../api/platform.js';
import { queryClient } from '../../../api/query-client.js';
import { showCount } from '../../../format/count.js';
import { showShare, showShareLimit } from '../../../parts/charts/share-chart.js';
import { Card, CardGrid, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { Tiles } from '../../../parts/layout/tiles.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { sayDuration } from '../../../words/say-duration.js';
import { OpenTasks, openTasksQuery } from '../tasks/open-tasks.js';
import { CODES, ErrorCodes } from './error-codes.js';
import { PlatformChannels } from './platform-channels.js';
import { PlatformCharts, RangeChoice } from './platform-charts.js';
import { concernsQuery, PlatformConcerns, useConcerns } from './platform-concerns.js';
import { FAILED_SHARE, failedShare, WAIT_MS } from './platform-limits.js';
import { PlatformNodes } from './platform-nodes.js';
import { PlatformSteps } from './platform-steps.js';
import { REJECTIONS, Rejections } from './rejections.js';
import { ThresholdValue } from './threshold-value.js';

/** On the way to the page. */
export function readPlatform(operator: OperatorClient): Promise<unknown> {
  return Promise.all([
    queryClient.ensureQueryData(platformQuery(operator)),
    queryClient.ensureQueryData(concernsQuery(operator)),
    queryClient.ensureQueryData(openTasksQuery(operator)),
  ]);
}

export function PlatformPage(): ReactElement {
  const say = useWords();
  const { data, error } = usePlatform();
  const readings = useReadings(data);
  const concerns = useConcerns();
  return (
    <Page title={say('nav.platform')} lead={say('platform.lead')} actions={<RangeChoice />}>
      {data === undefined || concerns.isPending ? (
        <Card>{error === null ? <LoadingState lines={8} /> : <FailureState error={error} />}</Card>
      ) : (
        <>
          <PlatformConcerns platform={data} concerns={concerns.data} />
          {concerns.data?.firstSteps !== undefined && <PlatformSteps done={concerns.data.firstSteps} />}
          <PlatformTiles platform={data} readings={readings} />
          <PlatformCharts readings={readings} />
          <CardGrid columns={1}>
            <Card title={say('nav.channels')} side={<Link to="/operator/channels">{say('platform.allChannels')}</Link>}>
              <PlatformChannels platform={data} />
            </Card>
          </CardGrid>
          <CardGrid columns={[1.8, 1]}>
            <Card id={CODES} title={say('platform.codes')}>
              <ErrorCodes platform={data} />
            </Card>
            <Card title={say('platform.waiting')}>
              <OpenTasks />
            </Card>
          </CardGrid>
          <CardGrid columns={1}>
            <Card id={REJECTIONS} title={say('platform.rejections')}>
              <Rejections platform={data} />
            </Card>
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
  const linkRate = (name: 'parts_per_second' | 'reports_per_second', stage: Stage) => (
    <Link to="/operator/tasks" search={{ stage }}>
      {showCount(Math.round(platform.channels.reduce((total, { rate }) => total + rate[name], 0)))}
    </Link>
  );
  const [first] = readings;
  const requests = first === undefined ? 0 : requestRate(first, platform);
  const inFlight = platform.nodes.reduce((total, node) => total + (node.is_alive ? node.requests_in_flight : 0), 0);
  const waits = [platform.to_prepare, ...platform.channels.map(({ queue }) => queue)];
  const oldest = Math.max(...waits.map(({ oldest_at: since }) => ageMs(platform, since) ?? -1));
  // Of the readings that are kept: a rate of one moment would jump.
  const grown = (name: CountName) => (first === undefined ? 0 : rateBetween(first, platform, name));
  const failed = failedShare({ accepted: grown('accepted'), refused: grown('refused'), unknown: grown('unknown') });
  const { books } = platform;
  return (
    <Tiles
      tiles={[
        {
          name: say('platform.parts'),
          value: linkRate('parts_per_second', 'submitting'),
          note: say('platform.perSecond'),
        },
        {
          name: say('platform.reports'),
          value: linkRate('reports_per_second', 'waiting_receipt'),
          note: say('platform.perSecond'),
        },
        {
          name: say('platform.requests'),
          value: showCount(Math.round(requests)),
          note: say('platform.inFlight', { count: inFlight }),
        },
        {
          name: say('platform.oldest'),
          value:
            oldest < 0 ? (
              '–'
            ) : (
              <Link to="/operator/tasks" search={{ stage: platform.to_prepare.tasks > 0 ? 'queued' : 'submitting' }}>
                <ThresholdValue value={oldest} limits={WAIT_MS}>
                  {sayDuration(say, oldest)}
                </ThresholdValue>
              </Link>
            ),
          note: say('platform.oldestNote', { bad: sayDuration(say, WAIT_MS.bad), count: platform.to_prepare.tasks }),
        },
        {
          name: say('platform.failed'),
          value:
            failed === undefined ? (
              '–'
            ) : (
              <a href={`#${CODES}`}>
                <ThresholdValue value={failed} limits={FAILED_SHARE}>
                  {showShare(failed)}
                </ThresholdValue>
              </a>
            ),
          note: say('platform.failedNote', { bad: showShareLimit(FAILED_SHARE.bad) }),
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
