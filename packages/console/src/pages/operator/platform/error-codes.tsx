// What upstreams complain of: codes by channel, those seen most first, with what they mean where that is known.

import type { CodeCount, Platform, PlatformChannel } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ageMs } from '../../../api/platform.js';
import { showCount } from '../../../format/count.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { RowLink } from '../../../parts/tables/row-link.js';
import { OutcomeLabel, type ShownOutcome } from '../../../parts/values/outcome-label.js';
import { useWords } from '../../../words/say.js';
import { sayDuration } from '../../../words/say-duration.js';
import { sayCode } from '../../../words/say-reason.js';
import styles from '../operator.module.css';

const SHOWN = 12;
/** The words of answers, as those of outcomes. */
const OUTCOMES: Readonly<Record<CodeCount['event'], ShownOutcome>> = {
  refused: 'rejected',
  throttled: 'unsent',
  unknown: 'unknown',
  undelivered: 'undelivered',
  expired: 'expired',
  rejected: 'rejected',
};

export function outcomeOfEvent(event: CodeCount['event']): ShownOutcome {
  return OUTCOMES[event];
}

/** The card that a figure of what went wrong leads to, further down its page. */
export const CODES = 'codes';

/** All further codes of a channel with very many. */
const OTHER_CODES = 'other codes';

interface ErrorCodesProps {
  readonly platform: Platform;
  /** Of this channel alone. */
  readonly channelNo?: string;
}

export function ErrorCodes({ platform, channelNo }: ErrorCodesProps): ReactElement {
  const say = useWords();
  const rows = platform.channels
    .filter((channel) => channelNo === undefined || channel.channel_no === channelNo)
    .flatMap((channel) => channel.codes.map((counted) => ({ channel, counted })))
    .sort((one, other) => other.counted.count - one.counted.count)
    .slice(0, SHOWN)
    .map(({ channel, counted, counted: { event, code, last_at: lastAt } }) => ({
      [say('record.code')]: (
        <span className={styles.explained}>
          <code>{code}</code>
          <span className="soft">{sayCode(say, code)}</span>
          {channelNo === undefined && (
            <Link to="/operator/channels/$channelNo" params={{ channelNo: channel.channel_no }}>
              {channel.name}
            </Link>
          )}
        </span>
      ),
      [say('record.status')]: <OutcomeLabel outcome={outcomeOfEvent(event)} />,
      [say('platform.count')]: (
        <span className={styles.counted}>
          <Count channel={channel} counted={counted} />
          <span className="soft">{say('platform.ago', { time: sayDuration(say, ageMs(platform, lastAt) ?? 0) })}</span>
        </span>
      ),
    }));
  const isDown = platform.channels.some(
    (channel) => channel.channel_no === channelNo && channel.health.state === 'down',
  );
  if (rows.length === 0) return <p className="soft">{say(isDown ? 'platform.noCodesDown' : 'platform.noCodes')}</p>;
  return <PlainTable rows={rows} label={say('platform.codes')} figures={[say('platform.count')]} />;
}

interface CountProps {
  readonly channel: PlatformChannel;
  readonly counted: CodeCount;
}

/** Links to the counted parts. Throttled parts are retried and have no record. */
function Count({ channel, counted: { event, code, count } }: CountProps): ReactElement {
  const say = useWords();
  if (event === 'throttled' || code === OTHER_CODES) return <>{showCount(count)}</>;
  const search = { event, code, start_at: channel.counted?.since };
  return (
    <RowLink
      to="/operator/channels"
      name={channel.channel_no}
      below="failures"
      search={search}
      title={say('failures.show', { code })}
    >
      {showCount(count)}
    </RowLink>
  );
}
