import type { Platform, PlatformChannel } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ageMs } from '../../../api/platform.js';
import { showCount } from '../../../format/count.js';
import { State } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { type Say, useWords } from '../../../words/say.js';
import { sayDuration } from '../../../words/say-duration.js';
import { WAIT_MS, WINDOW_SHARE } from './platform-limits.js';
import { ThresholdValue } from './threshold-value.js';

/** Each channel: up or not, its window, what goes through it now, what waits for it and for how long. */
export function PlatformChannels({ platform }: { readonly platform: Platform }): ReactElement {
  const say = useWords();
  if (platform.channels.length === 0) return <State icon="channels" title={say('channels.empty')} />;
  const rows = platform.channels.map((channel) => {
    const { health, status, rate, window, queue } = channel;
    const age = ageMs(platform, queue.oldest_at);
    return {
      [say('channels.name')]: (
        <Link to="/operator/channels/$channelNo" params={{ channelNo: channel.channel_no }}>
          {channel.name}
        </Link>
      ),
      [say('record.status')]: <StatusLabel status={status === 'active' ? health.state : status} />,
      [say('channels.sessions')]: health.sessions,
      [say('channels.window')]:
        window === null ? null : (
          <ThresholdValue value={window.in_flight / Math.max(1, window.size)} limits={WINDOW_SHARE}>
            {window.in_flight} / {window.size}
          </ThresholdValue>
        ),
      [say('channels.rate')]: Math.round(rate.parts_per_second),
      [say('platform.limit')]: showLimit(say, rate),
      [say('platform.queue')]:
        queue.parts === 0 ? (
          queue.parts
        ) : (
          <Link to="/operator/tasks" search={{ stage: 'submitting' }}>
            {queue.is_exact ? '' : '> '}
            {showCount(queue.parts)}
          </Link>
        ),
      [say('platform.oldest')]:
        age === undefined ? null : (
          <ThresholdValue value={age} limits={WAIT_MS}>
            {sayDuration(say, age)}
          </ThresholdValue>
        ),
    };
  });
  const figures = [say('channels.window'), say('platform.limit'), say('platform.queue'), say('platform.oldest')];
  return <PlainTable rows={rows} label={say('nav.channels')} figures={figures} />;
}

/** As it is configured: so many parts in a second, or as many as there are. */
export function showRate(say: Say, perSecond: number | null): string {
  return perSecond === null ? say('platform.unlimited') : showCount(perSecond);
}

/** What it may carry, and what it holds itself to where the upstream has asked for less. */
export function showLimit(say: Say, { configured, pace }: PlatformChannel['rate']): string {
  const limit = showRate(say, configured);
  if (pace === null || Math.round(pace) === configured) return limit;
  return say('platform.paced', { pace: showCount(Math.round(pace)), limit });
}
