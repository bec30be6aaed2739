// What upstreams complain of: codes by channel, those seen most first.

import type { PlatformChannel } from '@postrider/client';
import type { ReactElement } from 'react';
import { Moment } from '../../parts/moment.js';
import { OutcomeLabel, type ShownOutcome } from '../../parts/outcome-label.js';
import { PlainTable } from '../../parts/plain-table.js';
import { State } from '../../parts/states.js';
import { useWords } from '../../words/say.js';

const SHOWN = 12;
/** The words of answers, as those of outcomes. */
const OUTCOMES: Readonly<Record<string, ShownOutcome>> = { refused: 'rejected', throttled: 'unsent' };

export function ErrorCodes({ channels }: { readonly channels: readonly PlatformChannel[] }): ReactElement {
  const say = useWords();
  const isOne = channels.length === 1;
  const rows = channels
    .flatMap((channel) => channel.codes.map((code) => ({ channel, ...code })))
    .sort((one, other) => other.count - one.count)
    .slice(0, SHOWN)
    .map(({ channel, event, code, count, last_at: lastAt }) => ({
      ...(isOne ? {} : { [say('nav.channels')]: channel.name }),
      [say('record.code')]: <code>{code}</code>,
      [say('record.status')]: <OutcomeLabel outcome={OUTCOMES[event] ?? (event as ShownOutcome)} />,
      [say('platform.count')]: count,
      [say('platform.last')]: <Moment at={lastAt} />,
    }));
  if (rows.length === 0) return <State icon="check" title={say('platform.noCodes')} />;
  return <PlainTable rows={rows} label={say('platform.codes')} />;
}
