// What upstreams complain of: codes by channel, those seen most first, with what they mean where that is known.

import type { Platform } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ageMs } from '../../api/platform.js';
import { OutcomeLabel, type ShownOutcome } from '../../parts/outcome-label.js';
import { PlainTable } from '../../parts/plain-table.js';
import { useWords } from '../../words/say.js';
import { sayDuration } from '../../words/say-duration.js';
import { sayCode } from '../../words/say-reason.js';
import styles from './operator.module.css';

const SHOWN = 12;
/** The words of answers, as those of outcomes. */
const OUTCOMES: Readonly<Record<string, ShownOutcome>> = { refused: 'rejected', throttled: 'unsent' };

interface ErrorCodesProps {
  readonly platform: Platform;
  /** Of this channel alone. */
  readonly channelNo?: string;
}

export function ErrorCodes({ platform, channelNo }: ErrorCodesProps): ReactElement {
  const say = useWords();
  const rows = platform.channels
    .filter((channel) => channelNo === undefined || channel.channel_no === channelNo)
    .flatMap((channel) => channel.codes.map((code) => ({ channel, ...code })))
    .sort((one, other) => other.count - one.count)
    .slice(0, SHOWN)
    .map(({ channel, event, code, count, last_at: lastAt }) => ({
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
      [say('record.status')]: <OutcomeLabel outcome={OUTCOMES[event] ?? (event as ShownOutcome)} />,
      [say('platform.count')]: count,
      [say('platform.last')]: say('platform.ago', { time: sayDuration(say, ageMs(platform, lastAt) ?? 0) }),
    }));
  if (rows.length === 0) return <p className="soft">{say('platform.noCodes')}</p>;
  return <PlainTable rows={rows} label={say('platform.codes')} figures={[say('platform.last')]} />;
}
