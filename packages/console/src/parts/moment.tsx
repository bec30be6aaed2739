import type { ReactElement } from 'react';
import { type MomentStyle, nameZone, showMoment } from '../api/moment.js';
import { usePreferences } from '../shell/preferences.js';

interface MomentProps {
  readonly at: string | null | undefined;
  readonly style?: MomentStyle;
}

/** A time as the viewer prefers it; its zone and the exact time in UTC are at hand. */
export function Moment({ at, style = 'second' }: MomentProps): ReactElement {
  const { language, zone } = usePreferences();
  if (at === null || at === undefined) return <span className="soft">–</span>;
  const title = `${showMoment(at, language, zone)} ${nameZone(zone, Date.parse(at))}\n${at}`;
  return (
    <time dateTime={at} title={title} className="nowrap">
      {showMoment(at, language, zone, style)}
    </time>
  );
}
