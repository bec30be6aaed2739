import type { ReactElement } from 'react';
import { showMoment } from '../api/moment.js';
import { usePreferences } from '../shell/preferences.js';

interface MomentProps {
  readonly at: string | null | undefined;
  readonly style?: 'minute' | 'second' | 'day';
}

/** A time as the viewer prefers it; the exact one in UTC is at hand. */
export function Moment({ at, style = 'second' }: MomentProps): ReactElement {
  const { language, zone } = usePreferences();
  if (at === null || at === undefined) return <span className="soft">–</span>;
  return (
    <time dateTime={at} title={at} className="nowrap">
      {showMoment(at, language, zone, style)}
    </time>
  );
}
